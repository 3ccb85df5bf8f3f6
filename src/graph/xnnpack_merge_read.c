#include "graph/xnnpack_merge_parts.h"

#include <stdlib.h>

#include "base/sorted.h"

static struct dg_rows open_rows(struct dg_merge_reading *reading, const char *sql)
{
    return dg_rows_of(reading->store, sql, reading->graph, reading->err);
}

#define OF_GRAPH(table)                                                                \
    " JOIN delegate_graph AS g ON g.id = " table                                       \
    ".graph_id AND g.format = 'xnnpack' AND ?1 IN (0, g.id)"

static enum dg_status read_values(struct dg_merge_reading *reading)
{
    struct dg_rows rows = open_rows(
        reading,
        "SELECT v.id, v.datatype IN ('qint8', 'quint8'),"
        "  json_extract(quantization, '$.scale'),"
        "  json_extract(quantization, '$.zero_point'), v.constant_idx NOTNULL,"
        "  v.flags & 2, (SELECT count(*) FROM json_each(v.shape)),"
        "  NOT EXISTS (SELECT 1 FROM json_each(v.shape) AS d WHERE d.value <> 1)"
        " FROM delegate_value AS v" OF_GRAPH("v") " ORDER BY v.id");

    while (dg_rows_next(&rows)) {
        bool is_constant = dg_rows_int(&rows, 4);

        *DG_APPEND(reading->values, reading->n_values) = (struct dg_merge_value){
            .id = dg_rows_int(&rows, 0),
            .is_code = dg_rows_int(&rows, 1) && !dg_rows_null(&rows, 2),
            .scale = dg_rows_real(&rows, 2, 0),
            .zero_point = dg_rows_real(&rows, 3, 0),
            .is_constant = is_constant,
            .is_output = dg_rows_int(&rows, 5) != 0,
            .rank = dg_rows_int(&rows, 6),
            .is_number = is_constant && dg_rows_int(&rows, 7),
            .reader = DG_MERGE_NONE,
            .writer = DG_MERGE_NONE};
    }
    return dg_rows_close(&rows, DG_OK, reading->err);
}

static enum dg_status read_nodes(struct dg_merge_reading *reading)
{
    struct dg_rows rows = open_rows(
        reading,
        "SELECT n.id, n.op FROM delegate_node AS n" OF_GRAPH("n") " ORDER BY n.id");

    while (dg_rows_next(&rows))
        *DG_APPEND(reading->nodes, reading->n_nodes) =
            (struct dg_merge_node){.id = dg_rows_int(&rows, 0),
                                   .op = dg_rows_keep(&reading->memory, &rows, 1).data,
                                   .output = DG_MERGE_NONE};
    return dg_rows_close(&rows, DG_OK, reading->err);
}

int dg_merge_by_id(const void *item, const void *key)
{
    int64_t a = *(const int64_t *)item, b = *(const int64_t *)key;

    return (a > b) - (a < b);
}

static uint32_t find_value(const struct dg_merge_reading *reading, int64_t id)
{
    const struct dg_merge_value *value =
        dg_search(&id, reading->values, reading->n_values, sizeof(*reading->values),
                  dg_merge_by_id);

    return value ? (uint32_t)(value - reading->values) : DG_MERGE_NONE;
}

static void add_operand(struct dg_merge_reading *reading, uint32_t at, uint32_t value,
                        bool writes)
{
    struct dg_merge_node *node = &reading->nodes[at];

    if (writes) {
        node->output = value;
        node->n_outputs++;
        reading->values[value].writer = at;
        return;
    }
    if (!node->n_operands++)
        node->first = (uint32_t)reading->n_operands;
    *DG_APPEND(reading->operands, reading->n_operands) = value;
}

static enum dg_status read_operands(struct dg_merge_reading *reading)
{
    struct dg_rows rows = open_rows(
        reading,
        "SELECT n.id, o.value_id, o.access = 'write' FROM delegate_node AS n" OF_GRAPH(
            "n") " JOIN delegate_operand AS o ON o.node_id = n.id"
                 "  WHERE o.value_id NOTNULL ORDER BY n.id, o.pos");
    size_t at = 0;

    while (dg_rows_next(&rows)) {
        uint32_t value = find_value(reading, dg_rows_int(&rows, 1));

        while (at < reading->n_nodes && reading->nodes[at].id < dg_rows_int(&rows, 0))
            at++;
        if (at < reading->n_nodes && value != DG_MERGE_NONE)
            add_operand(reading, (uint32_t)at, value, dg_rows_int(&rows, 2));
    }
    return dg_rows_close(&rows, DG_OK, reading->err);
}

bool dg_merge_is_live(const struct dg_merge_reading *reading,
                      const struct dg_merge_node *node)
{
    return node->n_outputs != 1 || reading->values[node->output].is_live;
}

static void find_live(struct dg_merge_reading *reading)
{
    for (size_t i = 0; i < reading->n_values; i++)
        reading->values[i].is_live = reading->values[i].is_output;
    for (size_t i = reading->n_nodes; i-- > 0;) {
        const struct dg_merge_node *node = &reading->nodes[i];

        for (uint32_t k = 0; dg_merge_is_live(reading, node) && k < node->n_operands;
             k++)
            reading->values[reading->operands[node->first + k]].is_live = true;
    }
}

/* Who reads it twice is one reader, and so is the caller. */
static void count_readers(struct dg_merge_reading *reading)
{
    for (size_t i = 0; i < reading->n_values; i++)
        reading->values[i].n_readers = reading->values[i].is_output;
    for (uint32_t i = 0; i < reading->n_nodes; i++) {
        const struct dg_merge_node *node = &reading->nodes[i];

        for (uint32_t k = 0; dg_merge_is_live(reading, node) && k < node->n_operands;
             k++) {
            struct dg_merge_value *value =
                &reading->values[reading->operands[node->first + k]];

            value->is_read_twice |= value->reader == i;
            value->n_readers += value->reader != i;
            value->reader = i;
        }
    }
}

enum dg_status dg_merge_read(struct dg_merge_reading *reading)
{
    enum dg_status status = read_values(reading);

    if (!status)
        status = read_nodes(reading);
    if (!status)
        status = read_operands(reading);
    if (status)
        return status;
    find_live(reading);
    count_readers(reading);
    return DG_OK;
}

void dg_merge_clear(struct dg_merge_reading *reading)
{
    free(reading->values);
    free(reading->nodes);
    free(reading->operands);
    dg_arena_clear(&reading->memory);
}
