#include "cli/show_program.h"

#include <string.h>

#include "base/json_writer.h"
#include "base/numeral.h"
#include "cli/run_program.h"
#include "exec/ancestry.h"
#include "reports/rows.h"

struct pair {
    struct dg_run_program ours, theirs;
    struct dg_ancestry ancestry;
    struct dg_arena memory;
};

/* What an ETRecord says, of instructions outside of delegates that were not found. */
static const char handles_sql[] =
    "SELECT instruction, max(node.id) FROM instruction_handle AS h"
    "  JOIN method ON method.id = h.method_id AND method.name = ?1"
    "  JOIN graph ON graph.method_id = method.id"
    "  JOIN node ON node.graph_id = graph.id AND node.debug_handle = h.debug_handle"
    " WHERE part IS NULL GROUP BY h.method_id, instruction";

/* By number of the instruction, "op_3"; *n of them. */
static uint32_t *steps_of_instructions(const struct dg_schedule *schedule, size_t *n,
                                       struct dg_arena *memory)
{
    uint32_t *steps = dg_alloc(memory, schedule->n_steps + 1, sizeof(*steps));

    *n = schedule->n_steps;
    memset(steps, 0xff, *n * sizeof(*steps));
    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        const char *name = schedule->steps[i].name;
        const char *op = schedule->steps[i].op;
        int64_t number;

        if (op && dg_text_begins(dg_text(op), "delegate "))
            continue; /* it is many nodes */
        if (name && dg_text_begins(dg_text(name), "op_") &&
            dg_read_count(&number, name + 3) && (uint64_t)number < *n)
            steps[number] = i;
    }
    return steps;
}

/* By row of node; *n of them. */
static uint32_t *steps_of_nodes(const struct dg_schedule *schedule, size_t *n,
                                struct dg_arena *memory)
{
    uint32_t *steps;

    *n = 0;
    for (size_t i = 0; i < schedule->n_steps; i++)
        *n = (size_t)schedule->steps[i].node_id >= *n
                 ? (size_t)schedule->steps[i].node_id + 1
                 : *n;
    steps = dg_alloc(memory, *n + 1, sizeof(*steps));
    memset(steps, 0xff, *n * sizeof(*steps));
    for (uint32_t i = 0; i < schedule->n_steps; i++)
        steps[schedule->steps[i].node_id] = i;
    return steps;
}

static enum dg_status follow_handles(struct pair *pair,
                                     const struct dg_run_program *program,
                                     const struct dg_schedule *lowered,
                                     struct dg_error *err)
{
    const struct dg_schedule *schedule = &program->schedule;
    struct dg_rows rows;
    size_t n_nodes, n_instructions;
    uint32_t *of_node = steps_of_nodes(schedule, &n_nodes, &pair->memory);
    uint32_t *of_instruction =
        steps_of_instructions(lowered, &n_instructions, &pair->memory);
    enum dg_status status = dg_rows_open(&rows, program->input.store, handles_sql, err);

    if (!status)
        dg_rows_bind_text(&rows, 1, dg_text(schedule->method));
    while (!status && dg_rows_next(&rows)) {
        size_t instruction = (size_t)dg_rows_int(&rows, 0);
        size_t node = (size_t)dg_rows_int(&rows, 1);
        uint32_t ours =
            instruction < n_instructions ? of_instruction[instruction] : DG_NO_STEP;
        uint32_t theirs = node < n_nodes ? of_node[node] : DG_NO_STEP;

        if (ours == DG_NO_STEP || theirs == DG_NO_STEP ||
            pair->ancestry.came_from[ours] != DG_NO_STEP)
            continue;
        pair->ancestry.came_from[ours] = theirs;
        if (pair->ancestry.became[theirs] == DG_NO_STEP)
            pair->ancestry.became[theirs] = ours;
    }
    return dg_rows_close(&rows, status, err);
}

static enum dg_status open_pair(struct pair *pair, const char *path, const char *other,
                                struct dg_error *err)
{
    enum dg_status status = dg_run_program_open(&pair->ours, path, NULL, 0, err);
    const struct dg_run_program *program;
    const struct dg_schedule *became;
    bool lowered;

    if (!status)
        status = dg_run_program_open(&pair->theirs, other, NULL, 0, err);
    if (!status)
        status = dg_run_program_schedule(&pair->ours, NULL, err);
    if (!status)
        status = dg_run_program_schedule(&pair->theirs, NULL, err);
    if (status)
        return status;
    lowered = pair->ours.schedule.is_pte;
    if (lowered == pair->theirs.schedule.is_pte)
        return dg_fail(
            err, DG_ERR_USAGE,
            "--program takes what the file was lowered from or to: one of the"
            " two is a .pte");
    program = lowered ? &pair->theirs : &pair->ours;
    became = lowered ? &pair->ours.schedule : &pair->theirs.schedule;
    status = dg_ancestry_find(&pair->ancestry, &program->schedule, became,
                              &pair->memory, err);
    return status ? status : follow_handles(pair, program, became, err);
}

static void close_pair(struct pair *pair)
{
    dg_run_program_close(&pair->ours);
    dg_run_program_close(&pair->theirs);
    dg_arena_clear(&pair->memory);
}

static const char program_sql[] =
    "SELECT node.name, op.name AS op, module.fqn AS module, frame.file, frame.line"
    "  FROM node LEFT JOIN op ON op.id = node.op_id"
    "  LEFT JOIN module ON module.id = node.module_id"
    "  LEFT JOIN frame ON frame.trace_id = node.trace_id AND frame.pos ="
    "   (SELECT pos FROM frame WHERE trace_id = node.trace_id"
    "     ORDER BY file GLOB '<*', pos DESC LIMIT 1)"
    " WHERE node.id = ?1";

/* A node of the exported program, with its line of Python. */
static enum dg_status put_program(struct dg_json_writer *json,
                                  const struct dg_run_program *program,
                                  const struct dg_step *step, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(program->input.store, program_sql, step->node_id, err);

    if (dg_rows_next(&rows))
        dg_put_members(json, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status put_other(struct dg_json_writer *json, const struct pair *pair,
                                const struct dg_step *step, const struct dg_step *other,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;

    dg_put_object(json, NULL);
    dg_put_text(json, "node", dg_text(step->name));
    if (pair->theirs.schedule.is_pte) {
        dg_put_text(json, "name", dg_text(other->name));
        dg_put_text(json, "op", other->op ? dg_text(other->op) : (struct dg_text){0});
    } else {
        status = put_program(json, &pair->theirs, other, err);
    }
    dg_put_end(json);
    return status;
}

static const char *verb(const struct pair *pair)
{
    return pair->theirs.schedule.is_pte ? "became" : "came from";
}

static enum dg_status print_other(struct dg_writer *out, const struct pair *pair,
                                  const struct dg_step *step,
                                  const struct dg_step *other, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status;

    dg_print(out, "  %s %s\n", step->name, verb(pair));
    if (pair->theirs.schedule.is_pte) {
        dg_print(out, "    %s  %s\n", other->name, other->op ? other->op : "");
        return DG_OK;
    }
    rows = dg_rows_of(pair->theirs.input.store, program_sql, other->node_id, err);
    status = dg_write_table(out, &rows, 4, true, err);
    return status;
}

/* "op_0/Conv2d_4" is also Conv2d_4, of whichever delegate. */
static bool is_called(const struct dg_step *step, const char *name)
{
    const char *inside = step->name ? strchr(step->name, '/') : NULL;

    return step->name &&
           (!strcmp(step->name, name) || (inside && !strcmp(inside + 1, name)));
}

static const struct dg_step *other_of(const struct pair *pair, uint32_t i)
{
    const uint32_t *others =
        pair->ours.schedule.is_pte ? pair->ancestry.came_from : pair->ancestry.became;

    return others[i] == DG_NO_STEP ? NULL : &pair->theirs.schedule.steps[others[i]];
}

static enum dg_status show_others(struct dg_writer *out, bool json,
                                  const struct pair *pair, const char *name,
                                  struct dg_error *err)
{
    const struct dg_schedule *ours = &pair->ours.schedule;
    struct dg_json_writer list = {.out = out};
    enum dg_status status = DG_OK;

    if (json)
        dg_put_array(&list, NULL);
    for (uint32_t i = 0; i < ours->n_steps && !status; i++) {
        const struct dg_step *step = &ours->steps[i];
        const struct dg_step *other = is_called(step, name) ? other_of(pair, i) : NULL;

        if (other && json)
            status = put_other(&list, pair, step, other, err);
        else if (other)
            status = print_other(out, pair, step, other, err);
        else if (!json && is_called(step, name))
            dg_print(out, "  %s %s nothing that is known\n", step->name, verb(pair));
    }
    if (json) {
        dg_put_end(&list);
        dg_json_written(&list);
    }
    return status;
}

enum dg_status dg_show_other(struct dg_writer *out, bool json, const char *path,
                             const char *other, const char *name, struct dg_error *err)
{
    struct pair pair = {0};
    enum dg_status status = open_pair(&pair, path, other, err);

    if (!status && json)
        dg_print(out, ",\"%s\":", pair.theirs.schedule.is_pte ? "became" : "came_from");
    if (!status)
        status = show_others(out, json, &pair, name, err);
    close_pair(&pair);
    return status;
}
