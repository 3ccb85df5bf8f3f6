/* What the parts of the .pte reader share. Every table here was verified. */
#ifndef DG_FORMATS_PTE_H
#define DG_FORMATS_PTE_H

#include "formats/blob.h"
#include "formats/flatbuffer.h"
#include "formats/pte_schema.h"
#include "store/program.h"

struct dg_pte {
    struct dg_bytes file, flatbuffer;
    struct dg_program *program;
    struct dg_flatbuffer_table root;
    uint64_t base;       /* where segments start */
    uint64_t expansions; /* list items that may still be looked at through operands */
    bool exhausted;      /* no, they may not */
    uint64_t key_cost;   /* of the keys of delegates read so far */
    struct dg_blobs blobs;
};

/* A string as UTF-8: bytes that are none are replaced, with a remark. Absent: NULL. */
struct dg_text dg_pte_text(struct dg_program *program, struct dg_flatbuffer_table table,
                           unsigned field);

struct dg_text dg_pte_utf8(struct dg_program *program, struct dg_text text);

/* "cpu", "cuda:1" */
struct dg_text dg_pte_device(struct dg_arena *memory, int8_t type, int8_t index);

/* "[2,3]", NULL when the vector is absent. */
struct dg_text dg_pte_sizes(struct dg_arena *memory, struct dg_vector sizes);
struct dg_text dg_pte_dim_order(struct dg_arena *memory, struct dg_vector dim_order);

/* Bytes of a tensor of that many bytes per element, or DG_NONE: an overflow, a negative
 * size, or no size of an element. */
int64_t dg_pte_nbytes(struct dg_vector sizes, int element_bytes);

/* An index as a row states it. -1 would be NULL there: it becomes 2^32 - 1, which is
 * how the runtime reads it. */
static inline int64_t dg_pte_stored(int32_t index)
{
    return index == -1 ? (int64_t)UINT32_MAX : index;
}

void dg_pte_read_plan(struct dg_pte *pte, struct dg_flatbuffer_table table);

void dg_pte_read_segments(struct dg_pte *pte);
void dg_pte_read_constants(struct dg_pte *pte); /* after all plans */
void dg_pte_read_named_data(struct dg_pte *pte);

/* Segment rows of a .pte or .ptd; `base` is where they start in the file. */
void dg_pte_add_segments(struct dg_program *program, struct dg_vector segments,
                         struct dg_bytes file, uint64_t base, const char *kind);

/* A row for a key of a .pte or .ptd. */
struct dg_named_data_row *dg_pte_add_named_data(struct dg_program *program,
                                                struct dg_text key, uint32_t segment);

/* Where a constant of row->nbytes bytes lies, `offset` bytes into that segment. */
void dg_pte_place_constant(struct dg_program *program, struct dg_bytes file,
                           struct dg_constant_row *row, uint32_t segment,
                           uint64_t offset);

/* The bytes of a delegate: fills location and blob. */
void dg_pte_find_blob(struct dg_pte *pte, struct dg_flatbuffer_table processed,
                      struct dg_delegate_row *row);

/* The keys that delegate row looks up; after its blob and compile specs. */
void dg_pte_read_keys(struct dg_pte *pte, int64_t delegate);
/* Constants of libraries, as delegates list them; after these were read. */
void dg_pte_list_constants(struct dg_pte *pte);

/* xnnpack_scales.c */
/* How large the scales are that lie in constants of `file`. */
void dg_xnnpack_measure_scales(struct dg_program *program, struct dg_bytes file);

#endif
