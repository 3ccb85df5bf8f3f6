/* Rows of what a blob computes, for readers that add nodes in the order in which they
 * run.
 *
 * Such a format may write to one place several times: each time is a value of its own,
 * a row with the same idx, and who reads gets the newest. So v_delegate_edge says for
 * all formats who made what a node reads. */
#ifndef DG_FORMATS_BLOB_ROWS_H
#define DG_FORMATS_BLOB_ROWS_H

#include "base/dtype.h"
#include "base/json_writer.h"
#include "formats/blob.h"

/* What a blob calls a value. */
struct dg_blob_ref {
    int64_t idx;
    struct dg_text name; /* as stored; {0}: by number alone */
};

struct dg_blob_held {
    int64_t row; /* of delegate_value */
    bool is_read;
};

struct dg_blob_rows {
    struct dg_program *program;
    const struct dg_blob *blob;
    int64_t graph;               /* its row, the newest */
    struct dg_int_set ids;       /* of values */
    struct dg_blob_held *held;   /* by number in `ids` */
    int64_t n_nodes, n_operands; /* of the graph; of its last node */
    int64_t n_external;
    size_t n_unknown; /* fields and nodes that are newer than the schema */
    uint64_t effort;  /* items of lists that may still be looked at: nodes share them */
    bool exhausted;   /* no, they may not */
};

void dg_blob_rows_begin(struct dg_blob_rows *rows, const struct dg_blob *blob,
                        struct dg_program *program);

/* Counts the rows of the graph, and remarks on what is unknown. */
void dg_blob_rows_end(struct dg_blob_rows *rows);

/* Whether so many items more may be looked at. */
bool dg_blob_spend(struct dg_blob_rows *rows, uint64_t n_items);

/* A new row, which `idx` names from here on. It is valid until the next one. */
struct dg_delegate_value_row *dg_blob_add_value(struct dg_blob_rows *rows, int64_t idx);

/* The row that `idx` names now; DG_NONE: there is none. */
int64_t dg_blob_value(const struct dg_blob_rows *rows, int64_t idx);

/* What `ref` names now is passed by a call, as its next operand: DG_BLOB_INPUT or
 * DG_BLOB_OUTPUT. That there is none is a remark. */
void dg_blob_pass(struct dg_blob_rows *rows, struct dg_blob_ref ref, int64_t flag);

/* What the blob says is that value, "input" and its number: that there is none is a
 * remark. */
void dg_blob_expect(struct dg_blob_rows *rows, const char *what, size_t number,
                    struct dg_blob_ref ref);

/* A remark for `rule` on the graph, which it begins with. */
void dg_blob_remark(struct dg_blob_rows *rows, const char *rule, struct dg_text what);

/* Remarks for `rule` that `what` is a value that there is none of. */
void dg_blob_lacks(struct dg_blob_rows *rows, const char *rule, struct dg_text what,
                   struct dg_blob_ref ref);

/* `op` {0}: it is of a kind that is not known, number `kind`. Operands are of the last
 * node. */
struct dg_delegate_node_row *dg_blob_add_node(struct dg_blob_rows *rows,
                                              struct dg_text op, int64_t kind);
void dg_blob_read(struct dg_blob_rows *rows, struct dg_text name,
                  struct dg_blob_ref ref);
void dg_blob_write(struct dg_blob_rows *rows, struct dg_text name,
                   struct dg_blob_ref ref);

/* Constant `idx`, of bytes that lie in the blob where `bytes` has some. */
struct dg_delegate_constant_row *
dg_blob_add_constant(struct dg_blob_rows *rows, int64_t idx, struct dg_bytes bytes);

/* A size of a shape that is being written, and how many elements there are so far. A
 * negative one has no bound. */
void dg_blob_put_size(struct dg_json_writer *json, int64_t *n_elements, int64_t size);

/* Whole elements of that type; NULL: it is not known, or less than a byte. */
void dg_blob_set_type(struct dg_delegate_value_row *value, const struct dg_dtype *dtype,
                      int64_t n_elements);

/* The same of a type by torch's name; `number`: what the blob has for it. */
void dg_blob_set_torch_type(struct dg_blob_rows *rows,
                            struct dg_delegate_value_row *value,
                            const struct dg_dtype *dtype, int number,
                            int64_t n_elements);

/* What was written, kept as long as the program. */
struct dg_text dg_blob_keep(struct dg_blob_rows *rows, struct dg_json_writer *json);

#endif
