/* Writing plan files. */
#include "partition/plan_file.h"

#include "base/json_writer.h"
#include "partition/plan_program.h"

static const char methods_sql[] =
    "SELECT DISTINCT method.id, method.name FROM partition"
    "  JOIN \"graph\" ON \"graph\".id = graph_id"
    "  JOIN method ON method.id = method_id WHERE part_run_id = ?1 ORDER BY method.id";

/* One row per tag of a method, in the order of lowering; specs follow by its row id. */
static const char delegates_sql[] =
    "SELECT min(partition.id), tag, backend FROM partition"
    "  JOIN \"graph\" ON \"graph\".id = graph_id"
    " WHERE part_run_id = ?1 AND method_id = ?2 AND declared IS NOT 0"
    " GROUP BY tag ORDER BY min(graph_id), min(pos)";

static const char specs_sql[] =
    "SELECT key, value FROM partition_spec WHERE partition_id = ?1 ORDER BY pos";

static const char nodes_sql[] =
    "SELECT path, node.name, tag, node_id FROM partition"
    "  JOIN \"graph\" ON \"graph\".id = partition.graph_id"
    "  JOIN partition_node ON partition_id = partition.id"
    "  JOIN node ON node.id = node_id"
    " WHERE part_run_id = ?1 AND method_id = ?2 ORDER BY node_id";

static enum dg_status put_specs(struct dg_json_writer *json, struct dg_rows *specs,
                                int64_t partition, struct dg_error *err)
{
    dg_rows_bind_int(specs, 1, partition);
    dg_put_array(json, "compile_specs");
    while (dg_rows_next(specs)) {
        dg_put_object(json, NULL);
        dg_write_json(dg_put_raw(json, "key"), dg_rows_slice(specs, 0));
        dg_write_json(dg_put_raw(json, "value"), dg_rows_slice(specs, 1));
        dg_put_end(json);
    }
    dg_put_end(json);
    return dg_rows_again(specs, err);
}

static enum dg_status put_delegate(struct dg_json_writer *json,
                                   const struct dg_rows *rows, struct dg_rows *specs,
                                   struct dg_error *err)
{
    enum dg_status status;

    dg_put_line(json);
    dg_put_name(json, dg_rows_slice(rows, 1));
    dg_put_object(json, NULL);
    dg_put_text(json, "backend", dg_rows_slice(rows, 2));
    status = put_specs(json, specs, dg_rows_int(rows, 0), err);
    dg_put_end(json);
    return status;
}

static enum dg_status put_delegates(struct dg_json_writer *json, struct dg_store *store,
                                    int64_t part_run, int64_t method,
                                    struct dg_error *err)
{
    struct dg_rows rows, specs;
    enum dg_status status = dg_rows_open(&rows, store, delegates_sql, err);

    if (status)
        return status;
    status = dg_rows_open(&specs, store, specs_sql, err);
    dg_rows_bind_int(&rows, 1, part_run);
    dg_rows_bind_int(&rows, 2, method);
    while (!status && dg_rows_next(&rows))
        status = put_delegate(json, &rows, &specs, err);
    if (specs.statement)
        status = dg_rows_close(&specs, status, err);
    return dg_rows_close(&rows, status, err);
}

/* A node of a method's plan: what is written of it under its name. */
typedef void put_fn(struct dg_json_writer *json, const struct dg_rows *rows,
                    const struct dg_plan_place *place);

static void put_tag(struct dg_json_writer *json, const struct dg_rows *rows,
                    const struct dg_plan_place *place)
{
    (void)place;
    dg_write_json(dg_put_raw(json, NULL), dg_rows_slice(rows, 2));
}

static void put_place(struct dg_json_writer *json, const struct dg_rows *rows,
                      const struct dg_plan_place *place)
{
    (void)rows;
    dg_put_object(json, NULL);
    dg_put_text(json, "op", place->op);
    dg_put_known(json, "position", place->position);
    dg_put_end(json);
}

/* A plan means the first node of a name: it cannot say another. */
static enum dg_status put_node(struct dg_json_writer *json, struct dg_writer *name,
                               const struct dg_rows *rows,
                               const struct dg_plan_program *program, put_fn *put,
                               struct dg_error *err)
{
    struct dg_text path = dg_rows_slice(rows, 0);
    uint32_t number;

    name->size = 0;
    dg_write_text(name, path);
    dg_write(name, "/", path.size > 0);
    dg_write_text(name, dg_rows_slice(rows, 1));
    number = dg_text_set_find(&program->names, dg_written(name));
    if (number == DG_NO_TEXT || program->nodes[number] != dg_rows_int(rows, 3))
        return dg_fail(err, DG_ERR_FORMAT,
                       "node %lld has the name %.*s of an earlier node: a plan cannot"
                       " name it (graph/name-unique)",
                       (long long)dg_rows_int(rows, 3), (int)name->size, name->data);
    dg_put_line(json);
    dg_put_name(json, dg_written(name));
    put(json, rows, &program->places[number]);
    return DG_OK;
}

static enum dg_status put_nodes(struct dg_json_writer *json, struct dg_store *store,
                                int64_t part_run, const struct dg_plan_program *program,
                                put_fn *put, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, nodes_sql, part_run, err);
    struct dg_writer name = {0};
    enum dg_status status = DG_OK;

    dg_rows_bind_int(&rows, 2, program->method);
    while (!status && dg_rows_next(&rows))
        status = put_node(json, &name, &rows, program, put, err);
    dg_writer_clear(&name);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status put_method(struct dg_json_writer *json, struct dg_store *store,
                                 int64_t part_run, int64_t method, int version,
                                 struct dg_error *err)
{
    struct dg_plan_program program = {0};
    enum dg_status status = dg_plan_program_read(&program, store, method, err);

    dg_put_object(json, NULL);
    dg_put_object(json, "delegates");
    if (!status)
        status = put_delegates(json, store, part_run, method, err);
    dg_put_end(json);
    dg_put_line(json);
    dg_put_object(json, "tags");
    if (!status)
        status = put_nodes(json, store, part_run, &program, put_tag, err);
    dg_put_end(json);
    if (version > 1 && !status) {
        dg_put_line(json);
        dg_put_object(json, "nodes");
        status = put_nodes(json, store, part_run, &program, put_place, err);
        dg_put_end(json);
    }
    dg_put_end(json);
    dg_plan_program_clear(&program);
    return status;
}

static enum dg_status put_methods(struct dg_json_writer *json, struct dg_store *store,
                                  int64_t part_run, int version, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, methods_sql, part_run, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        dg_put_line(json);
        dg_put_name(json, dg_rows_slice(&rows, 1));
        status = put_method(json, store, part_run, dg_rows_int(&rows, 0), version, err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_plan_file_write(struct dg_writer *out, struct dg_store *store,
                                  int64_t part_run, int version,
                                  struct dg_text program_sha256, struct dg_error *err)
{
    struct dg_json_writer json = {.out = out};
    enum dg_status status;

    dg_put_object(&json, NULL);
    dg_put_text(&json, "format", dg_text("delegraph-plan"));
    dg_put_int(&json, "version", version);
    dg_put_text(&json, "program_sha256", program_sha256);
    dg_put_line(&json);
    dg_put_object(&json, "methods");
    status = put_methods(&json, store, part_run, version, err);
    dg_put_end(&json);
    dg_put_end(&json);
    dg_write(out, "\n", 1);
    dg_json_written(&json);
    return status;
}
