/* Where an input and its companions have tensors and blobs. */
#include <stdlib.h>

#include "formats/weight_search.h"

/* Artifacts are numbered as the files came: the program, then its companions. */
static struct dg_bytes bytes_of(const struct dg_input *input, int64_t artifact)
{
    if (artifact == 1)
        return input->file;
    if (artifact < 2 || (size_t)artifact - 2 >= input->n_companions)
        return (struct dg_bytes){0};
    return input->companions[artifact - 2].file;
}

struct dg_bytes dg_input_slice(const struct dg_input *input, int64_t artifact,
                               int64_t offset, int64_t size)
{
    struct dg_bytes file = bytes_of(input, artifact);

    if (!dg_inside((uint64_t)offset, (uint64_t)size, file.size))
        return (struct dg_bytes){0};
    return dg_slice(file, (size_t)offset, (size_t)size);
}

enum dg_status dg_input_find_weights(struct dg_program *program,
                                     const struct dg_input *input, struct dg_error *err)
{
    struct dg_searched *places = NULL;
    size_t n_places = 0;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, input->store,
        "SELECT artifact_id, file_offset, nbytes, 1, 0, dtype FROM constant"
        " WHERE kind IN ('constant', 'mutable') AND nbytes > 0 UNION ALL"
        " SELECT s.artifact_id, s.file_offset, s.size_bytes, s.kind = 'named_data', 1,"
        "   max(d.dtype) FROM segment AS s LEFT JOIN named_data AS d"
        "   ON d.artifact_id = s.artifact_id AND d.segment_idx = s.idx"
        "  WHERE s.kind IN ('named_data', 'delegate') GROUP BY s.id UNION ALL"
        " SELECT artifact_id, blob_offset, blob_bytes, 0, 1, NULL FROM delegate"
        "  JOIN method ON method.id = method_id WHERE location = 'inline'",
        err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        struct dg_bytes bytes =
            dg_input_slice(input, dg_rows_int(&rows, 0),
                           dg_rows_int_or(&rows, 1, DG_NONE), dg_rows_int(&rows, 2));

        if (bytes.data)
            *DG_APPEND(places, n_places) = (struct dg_searched){
                .bytes = bytes,
                .tensor = dg_rows_int(&rows, 3) != 0,
                .blob = dg_rows_int(&rows, 4) != 0,
                .dtype = dg_dtype_of_name(dg_rows_slice(&rows, 5))};
    }
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status)
        status = dg_find_delegates(program, input, places, n_places, err);
    if (!status)
        dg_find_weights(program, places, n_places);
    free(places);
    return status;
}
