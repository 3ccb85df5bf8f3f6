/* Copies of views that could be views, and those that a backend makes views of in vain.
 */
#include <stdio.h>

#include "base/json_writer.h"
#include "base/sum.h"
#include "base/text.h"
#include "verifiers/cuda_parts.h"
#include "verifiers/cuda_scopes.h"

enum { MAX_WITNESS = 1000, NAME_SIZE = 96 };

/* The name of a node, cut where it is too long for a message. */
struct name {
    char text[NAME_SIZE];
    int64_t nbytes; /* of its result; -1: not known */
};

static const char name_sql[] =
    "SELECT n.name, coalesce(v.nbytes, (SELECT iif(count(item.nbytes),"
    "    CAST(total(item.nbytes) AS INTEGER), NULL) FROM edge AS e"
    "   JOIN node AS i ON i.id = e.dst JOIN value AS item ON item.id = i.value_id"
    "   JOIN op ON op.id = i.op_id AND op.name = '_operator.getitem'"
    "  WHERE e.src = n.id AND n.value_id IS NULL))"
    "  FROM node AS n LEFT JOIN value AS v ON v.id = n.value_id WHERE n.id = ?1";

static enum dg_status name_node(struct name *name, struct dg_rows *rows,
                                const struct dg_cuda_scope *scope, uint32_t node,
                                struct dg_error *err)
{
    *name = (struct name){.nbytes = -1};
    dg_rows_bind_int(rows, 1, scope->alias->graph.first_id + node);
    if (dg_rows_next(rows)) {
        snprintf(name->text, sizeof(name->text), "%s", dg_rows_text(rows, 0));
        name->nbytes = dg_rows_int_or(rows, 1, -1);
    }
    return dg_rows_again(rows, err);
}

/* What the copies of one scope would save. */
struct savings {
    size_t n_possible, n_together, n_unknown;
    int64_t nbytes;
    struct name largest;
    uint32_t largest_node;
    struct dg_json_writer witness;
};

/* Those that may be views at once stand first among the names. */
static enum dg_status add_up(struct savings *sum, struct dg_rows *rows, bool together,
                             const struct dg_cuda_scope *scope, struct dg_error *err)
{
    enum dg_status status = DG_OK;
    struct name name;

    for (size_t i = 0; i < scope->n_copies && !status; i++) {
        const struct dg_view_copy *copy = &scope->copies[i];

        if (copy->verdict != DG_VIEW_POSSIBLE || copy->together != together)
            continue;
        status = name_node(&name, rows, scope, copy->node, err);
        if (sum->n_possible++ < MAX_WITNESS)
            dg_put_text(&sum->witness, NULL, dg_text(name.text));
        if (sum->n_possible == 1 || name.nbytes > sum->largest.nbytes) {
            sum->largest = name;
            sum->largest_node = copy->node;
        }
        sum->n_together += together;
        sum->n_unknown += together && name.nbytes < 0;
        if (together)
            dg_add_to(&sum->nbytes, name.nbytes);
    }
    return status;
}

static void describe_savings(struct dg_writer *message, const struct savings *sum,
                             const struct dg_cuda_scope *scope)
{
    dg_print(message, "%zu of %zu copies of views", sum->n_possible, scope->n_copies);
    if (scope->tag.data)
        dg_print(message, " in %.*s", (int)scope->tag.size, scope->tag.data);
    dg_print(message, " could be views");
    if (sum->n_together < sum->n_possible)
        dg_print(message, ", %zu of them at once", sum->n_together);
    dg_print(message, "; that saves %s%lld bytes per run",
             sum->n_unknown ? "at least " : "", (long long)sum->nbytes);
    dg_print(message, ", most of them for %s", sum->largest.text);
    if (sum->largest.nbytes >= 0)
        dg_print(message, " (%lld)", (long long)sum->largest.nbytes);
}

static enum dg_status look_for_savings(const struct dg_findings *found,
                                       const struct dg_cuda_scope *scope,
                                       struct dg_error *err)
{
    struct dg_writer message = {0}, witness = {0};
    struct savings sum = {.witness.out = &witness};
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, found->store, name_sql, err);

    if (status)
        return status;
    dg_put_array(&sum.witness, NULL);
    status = add_up(&sum, &rows, true, scope, err);
    if (!status)
        status = add_up(&sum, &rows, false, scope, err);
    status = dg_rows_close(&rows, status, err);
    dg_put_end(&sum.witness);
    dg_json_written(&sum.witness);
    describe_savings(&message, &sum, scope);
    if (!status && sum.n_possible)
        status = dg_find(found,
                         &(struct dg_finding){.node = scope->alias->graph.first_id +
                                                      sum.largest_node,
                                              .message = {message.data, message.size},
                                              .witness = dg_written(&witness)},
                         err);
    dg_writer_clear(&message);
    dg_writer_clear(&witness);
    return status;
}

enum dg_status dg_check_view_copies(const struct dg_findings *found,
                                    struct dg_error *err)
{
    return dg_each_cuda_scope(found, look_for_savings, false, err);
}

/* The nodes that a finding about one copy names. */
struct quoted {
    struct name copy, base, writer, reader;
    bool at_end, by_caller; /* written back, read after the last node */
};

static void describe_collision(struct dg_writer *message,
                               const struct dg_view_copy *copy,
                               const struct quoted *names)
{
    const char *written = copy->base_written ? names->base.text : "the view";
    const char *read = copy->base_written ? "the view" : names->base.text;

    if (copy->verdict == DG_VIEW_UNKNOWN) {
        dg_print(message, "an operator without schema may write either");
    } else if (copy->verdict == DG_VIEW_STRIDES) {
        dg_print(message, "a view of it needs elements that lie one after another");
    } else if (copy->verdict == DG_VIEW_RETURNED) {
        dg_print(message, "it is returned, and the next run writes %s",
                 names->base.text);
    } else {
        if (names->at_end)
            dg_print(message, "%s gets its new value at the end", written);
        else
            dg_print(message, "%s writes %s", names->writer.text, written);
        if (names->by_caller)
            dg_print(message, ", and the caller reads %s afterwards", read);
        else
            dg_print(message, ", and %s reads %s %s", names->reader.text, read,
                     copy->reader == copy->writer ? "in the same call" : "afterwards");
    }
}

static enum dg_status quote(struct quoted *names, struct dg_writer *out,
                            const struct dg_cuda_scope *scope,
                            const struct dg_view_copy *copy, struct dg_rows *rows,
                            struct dg_error *err)
{
    uint32_t n = scope->alias->graph.n_nodes;
    struct dg_json_writer witness = {.out = out};
    enum dg_status status = name_node(&names->base, rows, scope, copy->base, err);

    if (!status)
        status = name_node(&names->copy, rows, scope, copy->node, err);
    dg_put_array(&witness, NULL);
    dg_put_text(&witness, NULL, dg_text(names->base.text));
    dg_put_text(&witness, NULL, dg_text(names->copy.text));
    names->at_end = copy->writer == n;
    names->by_caller = copy->reader == n;
    if (copy->verdict == DG_VIEW_WRITTEN) {
        if (!status && !names->at_end) {
            status = name_node(&names->writer, rows, scope, copy->writer, err);
            dg_put_text(&witness, NULL, dg_text(names->writer.text));
        }
        if (!status && !names->by_caller) {
            status = name_node(&names->reader, rows, scope, copy->reader, err);
            if (copy->reader != copy->writer && copy->reader != copy->node)
                dg_put_text(&witness, NULL, dg_text(names->reader.text));
        }
    }
    dg_put_end(&witness);
    dg_json_written(&witness);
    return status;
}

static enum dg_status find_unsafe(const struct dg_findings *found,
                                  const struct dg_cuda_scope *scope,
                                  const struct dg_view_copy *copy, struct dg_rows *rows,
                                  struct dg_error *err)
{
    bool sure = copy->verdict == DG_VIEW_WRITTEN || copy->verdict == DG_VIEW_RETURNED;
    struct dg_writer message = {0}, witness = {0};
    const char *verb = scope->planned ? "becomes" : "would become";
    struct quoted names = {0};
    enum dg_status status = quote(&names, &witness, scope, copy, rows, err);

    dg_print(&message, "this copy %s a view of %s", verb, names.base.text);
    if (scope->tag.data)
        dg_print(&message, " in %.*s", (int)scope->tag.size, scope->tag.data);
    dg_print(&message, ": ");
    describe_collision(&message, copy, &names);
    if (!status)
        status = dg_find(
            found,
            &(struct dg_finding){.severity = !scope->planned ? "note"
                                             : sure          ? "error"
                                                             : "warning",
                                 .node = scope->alias->graph.first_id + copy->node,
                                 .message = {message.data, message.size},
                                 .witness = {witness.data, witness.size}},
            err);
    dg_writer_clear(&message);
    dg_writer_clear(&witness);
    return status;
}

static enum dg_status look_for_unsafe(const struct dg_findings *found,
                                      const struct dg_cuda_scope *scope,
                                      struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, found->store, name_sql, err);

    for (size_t i = 0; i < scope->n_copies && !status; i++) {
        if (scope->copies[i].replaced && scope->copies[i].verdict != DG_VIEW_POSSIBLE)
            status = find_unsafe(found, scope, &scope->copies[i], &rows, err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_check_unsafe_views(const struct dg_findings *found,
                                     struct dg_error *err)
{
    return dg_each_cuda_scope(found, look_for_unsafe, true, err);
}
