#include "cli/show_program.h"

#include <string.h>

#include "base/json_writer.h"
#include "cli/run_program.h"
#include "exec/ancestry.h"
#include "reports/rows.h"

struct pair {
    struct dg_run_program ours, theirs;
    struct dg_ancestry ancestry;
    struct dg_arena memory;
};

static enum dg_status open_pair(struct pair *pair, const char *path, const char *other,
                                struct dg_error *err)
{
    enum dg_status status = dg_run_program_open(&pair->ours, path, NULL, 0, err);
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
    return dg_ancestry_find(
        &pair->ancestry, lowered ? &pair->theirs.schedule : &pair->ours.schedule,
        lowered ? &pair->ours.schedule : &pair->theirs.schedule, &pair->memory, err);
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
