/* Whether the plan that was made can be lowered. */
#include "cli/plan_lowers.h"

#include <stdlib.h>

#include "cli/answer.h"
#include "verifiers/planned.h"

enum { MOST_ERRORS = 100 };

static const char **rules_of_plans(struct dg_arena *memory, size_t *n)
{
    const char **ids = NULL, **kept;

    *n = 0;
    for (const struct dg_verifier *const *v = dg_verifiers; *v; v++) {
        for (const struct dg_rule *rule = (*v)->rules; rule->name; rule++) {
            if (dg_rule_is_of_plans(rule))
                *DG_APPEND(ids, *n) =
                    dg_format(memory, "%s/%s", (*v)->name, rule->name).data;
        }
    }
    kept = dg_alloc(memory, *n, sizeof(*kept));
    for (size_t i = 0; i < *n; i++)
        kept[i] = ids[i];
    free(ids);
    return kept;
}

static const char *kept_or_null(struct dg_arena *memory, const struct dg_rows *rows,
                                int column)
{
    return dg_rows_null(rows, column) ? NULL
                                      : dg_copy(memory, dg_rows_slice(rows, column));
}

static enum dg_status read_errors(struct dg_plan_errors *out, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(store,
                    "SELECT rule, message, method.name, nullif(path, ''), node.name"
                    "  FROM finding LEFT JOIN method ON method.id = finding.method_id"
                    "  LEFT JOIN \"graph\" ON \"graph\".id = finding.graph_id"
                    "  LEFT JOIN node ON node.id = finding.node_id"
                    " WHERE severity = 'error' ORDER BY finding.id",
                    err);

    out->items = dg_alloc(&out->memory, MOST_ERRORS, sizeof(*out->items));
    while (dg_rows_next(&rows)) {
        struct dg_plan_error *error = &out->items[out->n_items];

        if (out->n_all++ >= MOST_ERRORS)
            continue;
        out->n_items++;
        error->rule = kept_or_null(&out->memory, &rows, 0);
        error->message = kept_or_null(&out->memory, &rows, 1);
        error->fix = dg_rule_find(error->rule, NULL)->fix;
        error->method = kept_or_null(&out->memory, &rows, 2);
        error->graph = kept_or_null(&out->memory, &rows, 3);
        error->node = kept_or_null(&out->memory, &rows, 4);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_plan_errors_find(struct dg_plan_errors *out, struct dg_store *store,
                                   struct dg_error *err)
{
    struct dg_selection selection = {0};
    enum dg_status status;

    *out = (struct dg_plan_errors){0};
    selection.select = rules_of_plans(&out->memory, &selection.n_select);
    status = dg_verify(store, &selection, NULL, NULL, err);
    return status ? status : read_errors(out, store, err);
}

void dg_plan_errors_clear(struct dg_plan_errors *errors)
{
    dg_arena_clear(&errors->memory);
    *errors = (struct dg_plan_errors){0};
}

void dg_plan_errors_warn(const struct dg_plan_errors *errors, const char *path)
{
    const struct dg_plan_error *first = errors->items;
    struct dg_error line = {0};

    if (!errors->n_all)
        return;
    dg_fail(&line, DG_OK, "warning: the plan breaks %s: %s", first->rule,
            first->message);
    dg_complain_about(path, &line);
    if (errors->n_all > 1)
        dg_fail(&line, DG_OK,
                "fix: %s; there are %zu errors: see delegraph check"
                " --plan",
                first->fix, errors->n_all);
    else
        dg_fail(&line, DG_OK, "fix: %s", first->fix);
    dg_complain_about(path, &line);
}

static void write_member(struct dg_writer *out, const char *key, const char *text)
{
    dg_print(out, ",\"%s\":", key);
    if (text)
        dg_write_json(out, dg_text(text));
    else
        dg_print(out, "null");
}

void dg_plan_errors_json(struct dg_writer *out, const struct dg_plan_errors *errors)
{
    dg_print(out, ",\n\"plan_errors\":[");
    for (size_t i = 0; i < errors->n_items; i++) {
        const struct dg_plan_error *error = &errors->items[i];

        dg_print(out, "%s\n{\"rule\":\"%s\"", i ? "," : "", error->rule);
        write_member(out, "method", error->method);
        write_member(out, "graph", error->graph);
        write_member(out, "node", error->node);
        write_member(out, "message", error->message);
        write_member(out, "fix", error->fix);
        dg_print(out, "}");
    }
    dg_print(out, "]");
}
