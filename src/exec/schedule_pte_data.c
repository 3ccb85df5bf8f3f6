/* Where the bytes of a .pte's tensors lie: in its segments, or under keys. */
#include <stdlib.h>

#include "exec/schedule_pte.h"
#include "formats/stored_tensor.h"

/* A constant without a segment lies in the program's table itself. */
static const char constants_query[] =
    "SELECT constant.kind = 'mutable', constant.idx, file_offset,"
    "       CASE WHEN segment_id IS NULL THEN nbytes"
    "            ELSE (SELECT segment.file_offset + size_bytes FROM segment"
    "                   WHERE segment.id = segment_id) - constant.file_offset END"
    "  FROM constant WHERE artifact_id = ?1 ORDER BY 1, 2, constant.id";

static struct dg_bytes bytes_at(struct dg_pte_data *data, struct dg_bytes file,
                                const struct dg_rows *rows, int column)
{
    struct dg_bytes bytes = {0};

    if (!dg_stored_bytes(file, dg_rows_int_or(rows, column, -1),
                         dg_rows_int_or(rows, column + 1, -1), &bytes))
        data->cut_off = true;
    return bytes;
}

const char *dg_pte_data_wanted(const struct dg_pte_data *data)
{
    return data->cut_off ? "a file is cut off or damaged" : "a .ptd is needed";
}

static void put(struct dg_bytes **table, size_t *n, int64_t index,
                struct dg_bytes bytes)
{
    if (index != (int64_t)*n) /* the reader numbers them from 0 on */
        return;
    *DG_APPEND(*table, *n) = bytes;
}

static enum dg_status read_constants(struct dg_pte_maker *maker)
{
    struct dg_pte_data *data = &maker->data;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, maker->store, constants_query, maker->err);

    if (!status)
        dg_rows_bind_int(&rows, 1, maker->schedule->artifact_id);
    while (!status && dg_rows_next(&rows)) {
        bool is_mutable = dg_rows_int(&rows, 0) != 0;
        struct dg_bytes bytes = bytes_at(data, maker->files->file, &rows, 2);

        put(is_mutable ? &data->mutables : &data->constants,
            is_mutable ? &data->n_mutables : &data->n_constants, dg_rows_int(&rows, 1),
            bytes);
    }
    return dg_rows_close(&rows, status, maker->err);
}

static const char keys_query[] =
    "SELECT key, segment.file_offset, named_data.size_bytes"
    "  FROM named_data JOIN segment ON segment.artifact_id = named_data.artifact_id"
    "   AND segment.idx = segment_idx"
    " WHERE named_data.artifact_id = ?1 ORDER BY named_data.idx";

/* The first of several files that have a key counts. */
static enum dg_status read_keys(struct dg_pte_maker *maker, int64_t artifact,
                                struct dg_bytes file)
{
    struct dg_pte_data *data = &maker->data;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, maker->store, keys_query, maker->err);

    if (!status)
        dg_rows_bind_int(&rows, 1, artifact);
    while (!status && dg_rows_next(&rows)) {
        struct dg_text key = dg_rows_slice(&rows, 0);
        size_t n_keys = data->keys.n_texts;

        if (dg_text_set_find(&data->keys, key) != DG_NO_TEXT)
            continue;
        key.data = dg_copy(&maker->scratch, key);
        dg_text_set_add(&data->keys, key);
        *DG_APPEND(data->of_key, n_keys) = bytes_at(data, file, &rows, 1);
    }
    return dg_rows_close(&rows, status, maker->err);
}

enum dg_status dg_pte_schedule_data(struct dg_pte_maker *maker)
{
    const struct dg_schedule_files *files = maker->files;
    enum dg_status status = read_constants(maker);

    for (size_t i = 0; !status && i < files->n_data; i++)
        status = read_keys(maker, files->data_artifacts[i], files->data[i]);
    if (!status)
        status = read_keys(maker, maker->schedule->artifact_id, files->file);
    return status;
}
