#include "cli/show_program.h"

#include "base/json_writer.h"
#include "cli/run_program.h"
#include "exec/lineage.h"
#include "reports/rows.h"

/* Which way is asked: what goes with the name of a node, and what that has there. */
struct direction {
    const char *verb, *member;
    const char *nodes_sql;  /* that are called ?1, each once */
    const char *others_sql; /* of the node ?1 */
};

/* A call of a delegate came from all that its nodes came from. */
static const struct direction from = {
    "came from", "came_from",
    "SELECT DISTINCT iif(node = ?1, node, node || '/' || inside) FROM v_lineage"
    " WHERE node = ?1 OR inside = ?1 OR node || '/' || inside = ?1"
    " ORDER BY node_id, inside_id",
    "SELECT DISTINCT from_node AS name, from_op AS op, module, file, line FROM "
    "v_lineage"
    " WHERE node = ?1 OR node || '/' || inside = ?1 ORDER BY from_id"};

/* Only nodes of XNNPACK tell what they came from. */
static const struct direction to = {
    "became", "became", "SELECT DISTINCT from_node FROM v_lineage WHERE from_node = ?1",
    "SELECT coalesce(node || '/' || inside, node) AS name,"
    "  coalesce('xnnpack::' || inside_op, op) AS op FROM v_lineage AS l"
    " WHERE from_node = ?1 AND (inside IS NOT NULL OR NOT EXISTS (SELECT 1 FROM lineage"
    "  WHERE node_id = l.node_id AND from_id = l.from_id AND inside_id IS NOT NULL))"
    " ORDER BY node_id, inside_id"};

static enum dg_status is_lowered(const struct dg_run_program *program, int64_t *answer,
                                 struct dg_error *err)
{
    return dg_store_int(program->input.store,
                        "SELECT EXISTS (SELECT 1 FROM method WHERE ir = 'pte')", 0,
                        answer, err);
}

/* The .pte of both files, and its program joined to it. */
static enum dg_status open_pair(struct dg_run_program *pte,
                                const struct direction **direction,
                                const struct dg_shown_pair *pair, struct dg_error *err)
{
    const char *other = pair->other;
    int64_t lowered = 0;
    enum dg_status status = dg_run_program_open(pte, pair->path, pair->artifact, err);

    if (!status)
        status = is_lowered(pte, &lowered, err);
    *direction = lowered ? &from : &to;
    if (!status && !lowered) {
        dg_run_program_close(pte);
        status = dg_run_program_open(pte, other, NULL, err);
        if (!status)
            status = is_lowered(pte, &lowered, err);
        if (!status && !lowered)
            status = dg_fail(err, DG_ERR_USAGE,
                             "--program takes what the file was lowered from or to: one"
                             " of the two is a .pte");
        other = pair->path;
    }
    if (!status)
        status = dg_input_join(&pte->input, other, "program", DG_HASH_NONE, err);
    if (!status)
        status = dg_store_add_views(pte->input.store, err);
    return status ? status : dg_lineage_store(&pte->input, err);
}

static struct dg_rows rows_of(struct dg_store *store, const char *sql,
                              struct dg_text name, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, sql, err);

    dg_rows_bind_text(&rows, 1, name);
    return rows;
}

static void put_others(struct dg_json_writer *json, struct dg_rows *others,
                       struct dg_text node)
{
    while (dg_rows_next(others)) {
        dg_put_object(json, NULL);
        dg_put_text(json, "node", node);
        dg_put_members(json, others);
        dg_put_end(json);
    }
}

/* Of a node, or a node inside of a delegate, that is there. */
static enum dg_status print_none(struct dg_writer *out, struct dg_store *store,
                                 const struct direction *direction, const char *name,
                                 struct dg_error *err)
{
    struct dg_rows rows = rows_of(
        store,
        "SELECT 1 WHERE ?1 IN (SELECT name FROM node WHERE kind IN"
        "  ('kernel_call', 'delegate_call', 'call_function'))"
        " OR ?1 IN (SELECT name FROM delegate_node)"
        " OR ?1 IN (SELECT node.name || '/' || inside.name FROM node JOIN delegate"
        "  ON delegate.id = delegate_id JOIN delegate_node AS inside"
        "  ON inside.graph_id = inside_id)",
        dg_text(name), err);

    if (dg_rows_next(&rows))
        dg_print(out, "  %s %s nothing that is known\n", name, direction->verb);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status show_others(struct dg_writer *out, bool json,
                                  struct dg_store *store,
                                  const struct direction *direction, const char *name,
                                  struct dg_error *err)
{
    struct dg_json_writer list = {.out = out};
    struct dg_rows nodes = rows_of(store, direction->nodes_sql, dg_text(name), err);
    enum dg_status status = DG_OK;
    bool any = false;

    if (json)
        dg_put_array(&list, NULL);
    while (!status && dg_rows_next(&nodes)) {
        struct dg_text node = dg_rows_slice(&nodes, 0);
        struct dg_rows others = rows_of(store, direction->others_sql, node, err);

        any = true;
        if (json) {
            put_others(&list, &others, node);
            status = dg_rows_close(&others, DG_OK, err);
        } else {
            dg_print(out, "  %.*s %s\n", (int)node.size, node.data, direction->verb);
            status = dg_write_table(out, &others, 4, true, err);
        }
    }
    if (json) {
        dg_put_end(&list);
        dg_json_written(&list);
    } else if (!any && !status) {
        status = print_none(out, store, direction, name, err);
    }
    return dg_rows_close(&nodes, status, err);
}

enum dg_status dg_show_other(struct dg_writer *out, bool json,
                             const struct dg_shown_pair *pair, const char *name,
                             struct dg_error *err)
{
    struct dg_run_program pte = {0};
    const struct direction *direction;
    enum dg_status status = open_pair(&pte, &direction, pair, err);

    if (!status && json)
        dg_print(out, ",\"%s\":", direction->member);
    if (!status)
        status = show_others(out, json, pte.input.store, direction, name, err);
    dg_run_program_close(&pte);
    return status;
}
