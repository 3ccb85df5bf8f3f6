/* Reading what instructions of a .pte do: what is known between one and the next. */
#ifndef DG_DIFF_SIDE_SCAN_H
#define DG_DIFF_SIDE_SCAN_H

#include "base/text.h"
#include "diff/side.h"

/* A list of lists that is being made. */
struct dg_diff_list {
    struct dg_csr *csr;
    uint32_t n;
};

enum { DG_DIFF_NOBODY = UINT32_MAX };

/* What a value, or the bytes where it begins, had last. */
struct dg_diff_source {
    uint32_t writer; /* node, of which it is... */
    uint32_t result; /* ...that result; DG_DIFF_NOBODY, 0: nobody has written it yet */
    uint32_t input;  /* number + 1 of the input that it is at first; 0: none */
};

struct dg_diff_scan {
    struct dg_diff_side *side;
    struct dg_diff_source *sources; /* of value row i + 1 */
    uint32_t *place_of; /* likewise: number of where it is planned; DG_DIFF_NOBODY */
    struct dg_diff_source *places;
    uint32_t n_written; /* results of the present instruction */
    uint32_t *strings;  /* words, likewise; 0: not asked for yet */
    uint32_t *types;    /* words of the types of values */
    bool *kept;         /* it was found to be state */
    size_t n_values;
    struct dg_writer args, type, weights, text;
    struct dg_diff_list makers, named;
    struct dg_int_set keys; /* of resources */
    bool opens_lists;
};

void dg_diff_list_add(struct dg_diff_list *rows, uint32_t item);

/* All but what inputs are: nobody has written anything yet. */
void dg_diff_scan_places(struct dg_diff_scan *scan);
/* Instruction `node` writes the value; of a list of tensors each item is a result. */
void dg_diff_scan_written(struct dg_diff_scan *scan, uint32_t node, size_t row);
/* What was written where the value begins: lowering leaves out copies that would only
 * show the same bytes in another shape. NULL: nothing was. */
const struct dg_diff_source *dg_diff_scan_shown(const struct dg_diff_scan *scan,
                                                size_t row);

/* Words of all types, shortened where they are long. */
void dg_diff_scan_types(struct dg_diff_scan *scan);

/* The word of a string, likewise. */
uint32_t dg_diff_scan_string(struct dg_diff_scan *scan, size_t row);

/* Constants and delegates. */
enum dg_status dg_diff_scan_resources(struct dg_diff_scan *scan, struct dg_error *err);

/* The row of a node that is being read names the tensor `row`, or its delegate. */
void dg_diff_scan_name(struct dg_diff_scan *scan, enum dg_diff_resource_kind kind,
                       size_t row);
void dg_diff_scan_call(struct dg_diff_scan *scan, uint32_t node);

static inline uint32_t dg_diff_scan_type(const struct dg_diff_scan *scan, size_t row)
{
    return scan->types[scan->side->values->type_of[row]];
}

#endif
