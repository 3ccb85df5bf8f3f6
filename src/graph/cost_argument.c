/* Arguments of calls that are numbers: kernel sizes, flags. */
#include <string.h>

#include "base/ops.h"
#include "graph/cost_parts.h"

/* The numbers and flags of argument ?2 of FX node ?1; torch.export.save writes no names
 * for operators of the edge dialect, only positions (?3). */
static const char fx_sql[] =
    "SELECT leaf.atom FROM node,"
    " json_each(CASE WHEN json_valid(args) THEN args END) AS argument,"
    " json_tree(argument.value) AS leaf WHERE node.id = ?1"
    " AND (argument.value ->> 'name' = ?2"
    "  OR argument.value ->> 'name' = '' AND argument.key = ?3)"
    " AND leaf.type IN ('integer', 'true', 'false')";

/* Those of operand ?2 of instruction ?1; an int_list holds EValue indices. */
static const char instruction_sql[] =
    "SELECT CASE value.kind WHEN 'int_list' THEN item.scalar WHEN 'bool_list' THEN"
    " leaf.value ELSE value.scalar END FROM operand JOIN value ON value.id = value_id"
    " LEFT JOIN json_each(value.items) AS leaf"
    " LEFT JOIN value AS item ON item.id = value.id - value.idx + leaf.value"
    " WHERE node_id = ?1 AND pos = ?2";

/* Those of node ?1 inside of a delegate: its format names them, or their positions. */
static const char inside_sql[] =
    "SELECT leaf.atom FROM delegate_node AS node, json_each(node.args) AS argument,"
    " json_tree(node.args, argument.fullkey) AS leaf WHERE node.id = ?1"
    " AND argument.key IN (?2, 'arg' || ?3)"
    " AND leaf.type IN ('integer', 'true', 'false')";

static int64_t position_of(struct dg_text op, struct dg_text argument)
{
    const struct dg_op *schema = dg_op_find(op.data, op.size);
    const char *cursor = schema ? schema->args : "";
    struct dg_op_arg arg = {0};
    int64_t position = 0;

    while (dg_op_next_arg(&cursor, &arg)) {
        if (dg_text_equal((struct dg_text){arg.name, arg.name_length}, argument))
            return position;
        position++;
    }
    return -1;
}

static enum dg_status opened(struct dg_rows *rows, struct dg_store *store,
                             const char *sql, struct dg_error *err)
{
    return rows->statement ? DG_OK : dg_rows_open(rows, store, sql, err);
}

static enum dg_status read_one(struct dg_cost_arguments *arguments,
                               const struct dg_cost_place *place, struct dg_text name,
                               struct dg_cost_call *call, struct dg_error *err)
{
    static const char *const sql[DG_N_COST_PLACES] = {fx_sql, instruction_sql,
                                                      inside_sql};
    struct dg_rows *rows = &arguments->rows[place->kind];
    bool named = place->kind != DG_COST_INSTRUCTION;
    enum dg_status status = opened(rows, arguments->store, sql[place->kind], err);

    if (status)
        return status;
    dg_rows_bind_int(rows, 1, place->id);
    if (named)
        dg_rows_bind_text(rows, 2, name);
    dg_rows_bind_int(rows, named ? 3 : 2, position_of(place->op, name));
    for (; dg_rows_next(rows); call->n_numbers++) {
        if (call->n_numbers < DG_CALL_NUMBERS)
            call->numbers[call->n_numbers] = dg_rows_int_or(rows, 0, -1);
    }
    return dg_rows_again(rows, err);
}

enum dg_status dg_cost_argument(struct dg_cost_arguments *arguments,
                                const struct dg_cost_place *place, const char *names,
                                struct dg_cost_call *call, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    while (*names && !status) {
        size_t size = strcspn(names, ",");

        status = read_one(arguments, place, (struct dg_text){names, size}, call, err);
        names += size + (names[size] == ',');
    }
    return status;
}

enum dg_status dg_cost_arguments_end(struct dg_cost_arguments *arguments,
                                     enum dg_status status, struct dg_error *err)
{
    for (int kind = 0; kind < DG_N_COST_PLACES; kind++) {
        if (arguments->rows[kind].statement)
            status = dg_rows_close(&arguments->rows[kind], status, err);
    }
    return status;
}
