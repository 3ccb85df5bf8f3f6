/* What the blobs of delegates hold, for backends whose format is open: a reader for
 * each, which adds rows to the tables delegate_graph, delegate_value, ... of
 * schema.sql. */
#ifndef DG_FORMATS_BLOB_H
#define DG_FORMATS_BLOB_H

#include "formats/flatbuffer.h"
#include "store/program.h"

/* Flags of a delegate_value, whatever the format; other bits are as stored. */
enum { DG_BLOB_INPUT = 1, DG_BLOB_OUTPUT = 2 };

struct dg_blob {
    struct dg_bytes bytes;
    int64_t file_offset; /* of the first one; DG_NONE: they lie in no file */
};

struct dg_blob_reader {
    const char *backend; /* "XnnpackBackend" */
    const char *format;  /* "xnnpack" */
    bool binds;          /* operands of a call have the types that its values have */
    /* Fill the newest delegate_graph and add its rows; `program` is as it was where
     * that fails. Bytes are untrusted: work and rows are bounded by how many there are.
     */
    enum dg_status (*read)(const struct dg_blob *blob, struct dg_program *program,
                           struct dg_error *err);
};

/* dg_flatbuffer_verify() of a graph that lies in the blob: where it fails, the text says
 * from which byte of the blob on its bytes count. */
enum dg_status dg_blob_verify(const struct dg_blob *blob, struct dg_bytes graph,
                              const struct dg_table_type *root, size_t *n_unknown,
                              struct dg_error *err);

#define BLOB(name) extern const struct dg_blob_reader dg_blob_reader_##name;
#include "formats/blob_list.h"
#undef BLOB

/* NULL: blobs of that backend stay closed. */
const struct dg_blob_reader *dg_blob_reader(struct dg_text backend);

/* The first operands of a call, all of them tensors: what a blob takes and gives. */
struct dg_blob_call {
    size_t n; /* 0: it is not known */
    struct dg_blob_operand {
        uint8_t bytes; /* of one element, as it is read or written; 0: not known */
        bool known;    /* there is such a value in the blob */
        bool gives;    /* it is written */
    } * operands;
};

/* Blobs of a file, each read once. Start from {.program, .effort}; end with
 * dg_blobs_clear(). */
struct dg_blobs {
    struct dg_program *program;
    uint64_t effort; /* bytes that may still be looked at */
    bool exhausted;  /* no, they may not */
    struct dg_text_set places;
    int64_t *graphs;            /* by place: rows, or DG_NONE */
    struct dg_blob_call *calls; /* by row of delegate_graph */
    size_t n_calls;
    struct dg_arena memory;
};

/* Reads the blob of delegate row `delegate`, where there is one, and says so there.
 * What cannot be read is a remark. */
void dg_blobs_read(struct dg_blobs *blobs, int64_t delegate);

/* {0}: it was not read. */
struct dg_blob_call dg_blobs_call(const struct dg_blobs *blobs, int64_t delegate);
void dg_blobs_clear(struct dg_blobs *blobs);

#endif
