/* What the payload of an XNNPACK delegate says of the calls that it can be used in. */
#include "formats/xnnpack.h"

#include <string.h>

#include "formats/flatbuffer_fields.h"

/* A header precedes the FlatBuffer: XNNHeader.h */
enum { MAGIC = 4, GRAPH_OFFSET = 10, GRAPH_SIZE = 14, HEADER_BYTES = 30 };

/* Nodes and values of the graph are not looked at. */
TYPE(graph, "XNNGraph", STRING("version"), VECTOR("xnodes", 4), VECTOR("xvalues", 4),
     SCALAR("num_externs", 4), VECTOR("input_ids", 4), VECTOR("output_ids", 4));

enum { INPUT_IDS = 4, OUTPUT_IDS = 5 };

size_t dg_xnnpack_operands(struct dg_bytes payload)
{
    struct dg_error err = {0};
    struct dg_table root;
    uint32_t offset, size;
    size_t n_unknown;

    if (payload.size < HEADER_BYTES || memcmp(payload.data + MAGIC, "XH00", 4))
        return 0;
    offset = dg_u32(payload.data + GRAPH_OFFSET);
    size = dg_u32(payload.data + GRAPH_SIZE);
    if (!dg_inside(offset, size, payload.size))
        return 0;
    payload = (struct dg_bytes){payload.data + offset, size};
    if (dg_flatbuffer_verify(payload, &graph, &n_unknown, &err))
        return 0;
    root = dg_flatbuffer_root(payload, &graph);
    return dg_table_vector(root, INPUT_IDS).n + dg_table_vector(root, OUTPUT_IDS).n;
}
