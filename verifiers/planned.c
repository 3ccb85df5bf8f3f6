/* What the rules about plans share. */
#include "verifiers/planned.h"

#include <stdarg.h>

#include "base/json_writer.h"

bool dg_rule_is_of_plans(const struct dg_rule *rule)
{
    static const char no_plan[] = DG_NO_PLAN;

    return rule->not_checked &&
           !strncmp(rule->not_checked, no_plan, sizeof(no_plan) - 1);
}

enum dg_status dg_each_planned(const struct dg_findings *found, dg_planned_fn *look,
                               struct dg_error *err)
{
    const struct dg_partitioned_graphs *list;
    enum dg_status status = dg_partitioned_read(&list, found->store, err);

    if (status)
        return status;
    for (size_t i = 0; i < list->n_items && !status; i++)
        if (!list->items[i].inside)
            status = look(found, &list->items[i], err);
    return status;
}

static void write_witness(struct dg_writer *out,
                          const struct dg_partitioned_graph *tagged,
                          const struct dg_offence *offence)
{
    struct dg_json_writer json = {.out = out};

    if (!offence->n_witness)
        return;
    dg_put_array(&json, NULL);
    for (size_t i = 0; i < offence->n_witness; i++)
        dg_write_json(dg_put_raw(&json, NULL),
                      tagged->nodes.names[offence->witness[i]]);
    dg_put_end(&json);
    dg_json_written(&json);
}

enum dg_status dg_find_planned(const struct dg_findings *found,
                               const struct dg_partitioned_graph *tagged,
                               const struct dg_offence *offence, struct dg_error *err,
                               const char *message, ...)
{
    struct dg_writer witness = {0};
    struct dg_finding finding = {.severity = offence->severity,
                                 .node = tagged->nodes.graph.first_id + offence->node};
    struct dg_arena memory = {0};
    enum dg_status status;
    va_list args;

    if (dg_find_full(found))
        return dg_find(found, &finding, err);
    va_start(args, message);
    finding.message = dg_format_list(&memory, message, args);
    va_end(args);
    write_witness(&witness, tagged, offence);
    finding.witness = dg_written(&witness);
    status = dg_find(found, &finding, err);
    dg_writer_clear(&witness);
    dg_arena_clear(&memory);
    return status;
}

struct dg_text dg_tag_in_words(const struct dg_partitioned_graph *tagged, uint32_t node)
{
    uint32_t tag = tagged->tag_of[node];

    return tag == DG_UNTAGGED ? dg_text("no tag") : tagged->tags[tag].name;
}
