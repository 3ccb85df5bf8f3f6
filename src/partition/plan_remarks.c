/* What a plan names and the program lacks. */
#include "partition/plan_install.h"

#include <stdlib.h>

#include "base/text.h"

enum { MOST_SUGGESTIONS = 8 };

static enum dg_status remark(struct dg_plan_install *install, const char *rule,
                             uint32_t name, struct dg_text text, struct dg_error *err)
{
    struct dg_plan_remark row = {.rule = rule,
                                 .artifact = install->artifact,
                                 .method = install->program.method,
                                 .text = text};

    if (name != DG_NO_TEXT) {
        row.graph = install->program.graphs[install->program.graph_of[name]];
        row.node = install->program.nodes[name];
    }
    return dg_plan_rows_remark(&install->rows, &row, err);
}

enum dg_status dg_plan_remark_nodes(struct dg_plan_install *install,
                                    const struct dg_plan_node *first, size_t n,
                                    struct dg_error *err)
{
    const struct dg_plan_method *method = install->method;
    struct dg_text tag = method->tags.texts[first->tag], count = {"", 0};
    const char *near = install->suggestions++ < MOST_SUGGESTIONS
                           ? dg_plan_program_near(&install->program, first->name)
                           : NULL;

    if (n > 1)
        count = dg_format(&install->memory,
                          "%zu of the %zu nodes that the plan tags are not in the"
                          " program; the first: ",
                          n, method->n_nodes);
    return remark(
        install, "partition/node-known", DG_NO_TEXT,
        dg_format(&install->memory,
                  "%.*sthe plan tags \"%.*s\" with \"%.*s\", but there is no such"
                  " node%s%s%s",
                  (int)count.size, count.data, (int)first->name.size, first->name.data,
                  (int)tag.size, tag.data, near ? "; did you mean \"" : "",
                  near ? near : "", near ? "\"?" : ""),
        err);
}

static const char *near_tag(struct dg_plan_install *install, struct dg_text tag)
{
    const struct dg_plan_method *method = install->method;
    const char **names;

    if (install->suggestions++ >= MOST_SUGGESTIONS || !method->n_delegates)
        return NULL;
    names = dg_alloc(&install->memory, method->n_delegates, sizeof(*names));
    for (size_t i = 0; i < method->n_delegates; i++)
        names[i] =
            dg_copy(&install->memory, method->tags.texts[method->delegates[i].tag]);
    return dg_nearest(dg_copy(&install->memory, tag), names, method->n_delegates);
}

enum dg_status dg_plan_remark_tag(struct dg_plan_install *install, uint32_t tag,
                                  uint32_t node, struct dg_error *err)
{
    struct dg_text name = install->method->tags.texts[tag];
    const char *near = near_tag(install, name);
    struct dg_text text =
        dg_format(&install->memory, "tag \"%.*s\" has no delegate in the plan%s%s%s",
                  (int)name.size, name.data, near ? "; did you mean \"" : "",
                  near ? near : "", near ? "\"?" : "");

    return remark(install, "partition/tag-known", node, text, err);
}

enum dg_status dg_plan_remark_others(struct dg_plan_install *install,
                                     struct dg_error *err)
{
    const struct dg_plan_method *method = install->method;
    struct dg_plan_program *program = &install->program;
    const struct dg_plan_known *first = NULL;
    struct dg_text text = {"", 0};
    size_t n = 0;

    for (size_t i = 0; i < method->n_known; i++) {
        if (dg_plan_program_differs(program, &method->known[i]) && !n++)
            first = &method->known[i];
    }
    if (!n)
        return DG_OK;
    if (n > 1)
        text = dg_format(&install->memory,
                         "%zu of the %zu nodes that the plan describes are others here;"
                         " the first: ",
                         n, method->n_known);
    text = dg_format(&install->memory, "%s%s", text.data,
                     dg_plan_program_difference(program, first).data);
    return remark(install, "partition/node-known",
                  dg_text_set_find(&program->names, first->name), text, err);
}

static enum dg_status near_method(struct dg_plan_install *install, const char **near,
                                  struct dg_error *err)
{
    const char **names = NULL;
    size_t n = 0;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, install->store,
                     "SELECT name FROM method WHERE artifact_id = ?1 LIMIT 1000", err);

    *near = NULL;
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, install->artifact);
    while (dg_rows_next(&rows))
        *DG_APPEND(names, n) = dg_copy(&install->memory, dg_rows_slice(&rows, 0));
    if (n)
        *near = dg_nearest(dg_copy(&install->memory, install->method->name), names, n);
    free(names);
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_plan_remark_method(struct dg_plan_install *install,
                                     struct dg_error *err)
{
    struct dg_text name = install->method->name, text;
    const char *near = NULL;
    enum dg_status status = install->suggestions++ < MOST_SUGGESTIONS
                                ? near_method(install, &near, err)
                                : DG_OK;

    text = dg_format(
        &install->memory,
        "the plan tags nodes of method \"%.*s\", which the program lacks%s%s%s",
        (int)name.size, name.data, near ? "; did you mean \"" : "", near ? near : "",
        near ? "\"?" : "");
    return status ? status
                  : remark(install, "partition/node-known", DG_NO_TEXT, text, err);
}
