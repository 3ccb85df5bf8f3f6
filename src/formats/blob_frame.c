#include "formats/blob_frame.h"

#include <inttypes.h>
#include <string.h>

enum {
    MAGIC_AT = 4,
    GRAPH_AT = 10,
    GRAPH_SIZE_AT = 14,
    DATA_AT = 18,
    DATA_SIZE_AT = 22,
    HEADER_BYTES = 30,
    LEAST_GRAPH = 8,
};

static enum dg_status find_graph(struct dg_bytes blob, struct dg_bytes *graph,
                                 struct dg_error *err)
{
    uint32_t offset = dg_u32(blob.data + GRAPH_AT);
    uint32_t size = dg_u32(blob.data + GRAPH_SIZE_AT);

    if (size < LEAST_GRAPH || !dg_inside(offset, size, blob.size))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: a graph of %" PRIu32 " bytes at byte %" PRIu32
                       " of %zu",
                       GRAPH_AT, size, offset, blob.size);
    *graph = dg_slice(blob, offset, size);
    return DG_OK;
}

static enum dg_status find_data(struct dg_bytes blob, uint64_t graph_end,
                                struct dg_bytes *data, struct dg_error *err)
{
    uint32_t offset = dg_u32(blob.data + DATA_AT);
    uint64_t size = dg_u64(blob.data + DATA_SIZE_AT);

    if (!dg_inside(offset, size, blob.size))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: constants of %" PRIu64 " bytes at byte %" PRIu32
                       " of %zu",
                       DATA_AT, size, offset, blob.size);
    if (offset < graph_end)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: constants at byte %" PRIu32
                       ", before the end of the graph, byte %" PRIu64,
                       DATA_AT, offset, graph_end);
    *data = dg_slice(blob, offset, (size_t)size);
    return DG_OK;
}

enum dg_status dg_blob_find_parts(struct dg_bytes blob, const char *magic,
                                  struct dg_blob_parts *parts, struct dg_error *err)
{
    enum dg_status status;

    if (blob.size < HEADER_BYTES)
        return dg_fail(err, DG_ERR_FORMAT, "it has %zu bytes; the runtime asks for %d",
                       blob.size, HEADER_BYTES);
    *parts = (struct dg_blob_parts){.graph = blob};
    parts->has_header = !memcmp(blob.data + MAGIC_AT, magic, 4);
    if (!parts->has_header)
        return DG_OK;
    status = find_graph(blob, &parts->graph, err);
    return status ? status
                  : find_data(blob,
                              (uint64_t)(parts->graph.data - blob.data) +
                                  parts->graph.size,
                              &parts->data, err);
}
