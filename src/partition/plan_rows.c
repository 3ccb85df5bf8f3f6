/* Rows of a plan on their way into the store. */
#include "partition/plan_rows.h"

static const char tag_sql[] =
    "INSERT INTO partition VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
static const char node_sql[] = "INSERT INTO partition_node VALUES (?1, ?2, ?3)";
static const char spec_sql[] = "INSERT INTO partition_spec VALUES (?1, ?2, ?3, ?4)";
static const char reject_sql[] = "INSERT INTO reject VALUES (?1, ?2, ?3, ?4, ?5)";
static const char remark_sql[] =
    "INSERT INTO remark (artifact_id, rule, method_id, graph_id, node_id, text)"
    " VALUES (?1, ?2, nullif(?3, 0), nullif(?4, 0), nullif(?5, 0), ?6)";

enum dg_status dg_plan_rows_begin(struct dg_plan_rows *rows, struct dg_store *store,
                                  struct dg_new_plan *plan, struct dg_error *err)
{
    enum dg_status status;

    *rows = (struct dg_plan_rows){.store = store};
    status = dg_store_exec(store, "SAVEPOINT new_plan", err);
    if (!status)
        status = dg_plan_begin(plan, store, err);
    rows->run = plan->id;
    if (!status)
        status =
            dg_store_int(store, "SELECT max(id) FROM partition", 0, &rows->part, err);
    if (!status)
        status = dg_rows_open(&rows->tag, store, tag_sql, err);
    if (!status)
        status = dg_rows_open(&rows->node, store, node_sql, err);
    if (!status)
        status = dg_rows_open(&rows->spec, store, spec_sql, err);
    if (!status)
        status = dg_rows_open(&rows->reject, store, reject_sql, err);
    return status ? status : dg_rows_open(&rows->remark, store, remark_sql, err);
}

enum dg_status dg_plan_rows_end(struct dg_plan_rows *rows, enum dg_status status,
                                struct dg_error *err)
{
    struct dg_rows *all[] = {&rows->tag, &rows->node, &rows->spec, &rows->reject,
                             &rows->remark};
    struct dg_error ignored = {0};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (all[i]->statement)
            status = dg_rows_close(all[i], status, err);
    }
    if (!status)
        return dg_store_exec(rows->store, "RELEASE new_plan", err);
    dg_store_exec(rows->store, "ROLLBACK TO new_plan; RELEASE new_plan", &ignored);
    return status;
}

static enum dg_status insert(struct dg_rows *rows, struct dg_error *err)
{
    dg_rows_next(rows);
    return dg_rows_again(rows, err);
}

enum dg_status dg_plan_rows_tag(struct dg_plan_rows *rows, const struct dg_new_tag *tag,
                                struct dg_error *err)
{
    dg_rows_bind_int(&rows->tag, 1, ++rows->part);
    dg_rows_bind_int(&rows->tag, 2, rows->run);
    dg_rows_bind_int(&rows->tag, 3, tag->graph);
    dg_rows_bind_int(&rows->tag, 4, tag->pos);
    if (tag->number >= 0)
        dg_rows_bind_int(&rows->tag, 5, tag->number);
    dg_rows_bind_text(&rows->tag, 6, tag->name);
    if (tag->declared >= 0)
        dg_rows_bind_int(&rows->tag, 7, tag->declared);
    dg_rows_bind_text(&rows->tag, 8, tag->backend);
    return insert(&rows->tag, err);
}

enum dg_status dg_plan_rows_node(struct dg_plan_rows *rows, int64_t pos, int64_t node,
                                 struct dg_error *err)
{
    dg_rows_bind_int(&rows->node, 1, rows->part);
    dg_rows_bind_int(&rows->node, 2, pos);
    dg_rows_bind_int(&rows->node, 3, node);
    return insert(&rows->node, err);
}

enum dg_status dg_plan_rows_spec(struct dg_plan_rows *rows, int64_t pos,
                                 struct dg_text key, struct dg_text value,
                                 struct dg_error *err)
{
    dg_rows_bind_int(&rows->spec, 1, rows->part);
    dg_rows_bind_int(&rows->spec, 2, pos);
    dg_rows_bind_text(&rows->spec, 3, key);
    dg_rows_bind_text(&rows->spec, 4, value);
    return insert(&rows->spec, err);
}

enum dg_status dg_plan_rows_reject(struct dg_plan_rows *rows, int64_t node, int64_t pos,
                                   const char *reason, struct dg_text text,
                                   struct dg_error *err)
{
    dg_rows_bind_int(&rows->reject, 1, rows->run);
    dg_rows_bind_int(&rows->reject, 2, node);
    dg_rows_bind_int(&rows->reject, 3, pos);
    dg_rows_bind_text(&rows->reject, 4, dg_text(reason));
    dg_rows_bind_text(&rows->reject, 5, text);
    return insert(&rows->reject, err);
}

enum dg_status dg_plan_rows_remark(struct dg_plan_rows *rows,
                                   const struct dg_plan_remark *remark,
                                   struct dg_error *err)
{
    dg_rows_bind_int(&rows->remark, 1, remark->artifact);
    dg_rows_bind_text(&rows->remark, 2, dg_text(remark->rule));
    dg_rows_bind_int(&rows->remark, 3, remark->method);
    dg_rows_bind_int(&rows->remark, 4, remark->graph);
    dg_rows_bind_int(&rows->remark, 5, remark->node);
    dg_rows_bind_text(&rows->remark, 6, remark->text);
    return insert(&rows->remark, err);
}
