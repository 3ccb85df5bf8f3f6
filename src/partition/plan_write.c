/* Writing plan files. */
#include "partition/plan_file.h"

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
    "SELECT path, node.name, tag FROM partition"
    "  JOIN \"graph\" ON \"graph\".id = partition.graph_id"
    "  JOIN partition_node ON partition_id = partition.id"
    "  JOIN node ON node.id = node_id"
    " WHERE part_run_id = ?1 AND method_id = ?2 ORDER BY node_id";

static enum dg_status write_specs(struct dg_writer *out, struct dg_rows *specs,
                                  int64_t partition, struct dg_error *err)
{
    const char *comma = "";

    dg_rows_bind_int(specs, 1, partition);
    while (dg_rows_next(specs)) {
        dg_print(out, "%s{\"key\":", comma);
        dg_write_json(out, dg_rows_slice(specs, 0));
        dg_print(out, ",\"value\":");
        dg_write_json(out, dg_rows_slice(specs, 1));
        dg_print(out, "}");
        comma = ",";
    }
    return dg_rows_again(specs, err);
}

static enum dg_status write_delegate(struct dg_writer *out, const struct dg_rows *rows,
                                     struct dg_rows *specs, struct dg_error *err)
{
    enum dg_status status;

    dg_write_json(out, dg_rows_slice(rows, 1));
    dg_print(out, ":{\"backend\":");
    if (dg_rows_null(rows, 2))
        dg_print(out, "null");
    else
        dg_write_json(out, dg_rows_slice(rows, 2));
    dg_print(out, ",\"compile_specs\":[");
    status = write_specs(out, specs, dg_rows_int(rows, 0), err);
    dg_print(out, "]}");
    return status;
}

static enum dg_status write_delegates(struct dg_writer *out, struct dg_store *store,
                                      int64_t part_run, int64_t method,
                                      struct dg_error *err)
{
    struct dg_rows rows, specs;
    const char *comma = "\n";
    enum dg_status status = dg_rows_open(&rows, store, delegates_sql, err);

    if (status)
        return status;
    status = dg_rows_open(&specs, store, specs_sql, err);
    dg_rows_bind_int(&rows, 1, part_run);
    dg_rows_bind_int(&rows, 2, method);
    while (!status && dg_rows_next(&rows)) {
        dg_print(out, "%s", comma);
        status = write_delegate(out, &rows, &specs, err);
        comma = ",\n";
    }
    if (specs.statement)
        status = dg_rows_close(&specs, status, err);
    return dg_rows_close(&rows, status, err);
}

/* A node of a method's plan: what is written of it under its name. */
typedef void write_fn(struct dg_writer *out, const struct dg_rows *rows,
                      const struct dg_plan_place *place);

static void write_tag(struct dg_writer *out, const struct dg_rows *rows,
                      const struct dg_plan_place *place)
{
    (void)place;
    dg_write_json(out, dg_rows_slice(rows, 2));
}

static void write_place(struct dg_writer *out, const struct dg_rows *rows,
                        const struct dg_plan_place *place)
{
    (void)rows;
    dg_print(out, "{\"op\":");
    if (place->op.data)
        dg_write_json(out, place->op);
    else
        dg_print(out, "null");
    if (place->position < 0)
        dg_print(out, ",\"position\":null}");
    else
        dg_print(out, ",\"position\":%lld}", (long long)place->position);
}

static void write_node(struct dg_writer *out, struct dg_writer *name,
                       const struct dg_rows *rows,
                       const struct dg_plan_program *program, write_fn *write)
{
    struct dg_text path = dg_rows_slice(rows, 0);
    static const struct dg_plan_place nowhere = {.position = -1};
    uint32_t number;

    name->size = 0;
    dg_write_text(name, path);
    dg_write(name, "/", path.size > 0);
    dg_write_text(name, dg_rows_slice(rows, 1));
    number = dg_text_set_find(&program->names, dg_written(name));
    dg_write_json(out, dg_written(name));
    dg_write(out, ":", 1);
    write(out, rows, number == DG_NO_TEXT ? &nowhere : &program->places[number]);
}

static enum dg_status write_nodes(struct dg_writer *out, struct dg_store *store,
                                  int64_t part_run,
                                  const struct dg_plan_program *program,
                                  write_fn *write, struct dg_error *err)
{
    struct dg_rows rows;
    struct dg_writer name = {0};
    const char *comma = "\n";
    enum dg_status status = dg_rows_open(&rows, store, nodes_sql, err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, part_run);
    dg_rows_bind_int(&rows, 2, program->method);
    while (dg_rows_next(&rows)) {
        dg_write(out, comma, strlen(comma));
        write_node(out, &name, &rows, program, write);
        comma = ",\n";
    }
    dg_writer_clear(&name);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status write_method(struct dg_writer *out, struct dg_store *store,
                                   int64_t part_run, int64_t method, int version,
                                   struct dg_error *err)
{
    struct dg_plan_program program = {0};
    enum dg_status status = dg_plan_program_read(&program, store, method, err);

    dg_print(out, ":{\"delegates\":{");
    if (!status)
        status = write_delegates(out, store, part_run, method, err);
    dg_print(out, "},\n\"tags\":{");
    if (!status)
        status = write_nodes(out, store, part_run, &program, write_tag, err);
    if (version > 1)
        dg_print(out, "},\n\"nodes\":{");
    if (version > 1 && !status)
        status = write_nodes(out, store, part_run, &program, write_place, err);
    dg_print(out, "}}");
    dg_plan_program_clear(&program);
    return status;
}

static enum dg_status write_methods(struct dg_writer *out, struct dg_store *store,
                                    int64_t part_run, int version, struct dg_error *err)
{
    struct dg_rows rows;
    const char *comma = "";
    enum dg_status status = dg_rows_open(&rows, store, methods_sql, err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, part_run);
    while (!status && dg_rows_next(&rows)) {
        dg_print(out, "%s\n", comma);
        dg_write_json(out, dg_rows_slice(&rows, 1));
        status =
            write_method(out, store, part_run, dg_rows_int(&rows, 0), version, err);
        comma = ",";
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_plan_file_write(struct dg_writer *out, struct dg_store *store,
                                  int64_t part_run, int version,
                                  struct dg_text program_sha256, struct dg_error *err)
{
    enum dg_status status;

    dg_print(out, "{\"format\":\"delegraph-plan\",\"version\":%d,\"program_sha256\":",
             version);
    if (program_sha256.data)
        dg_write_json(out, program_sha256);
    else
        dg_print(out, "null");
    dg_print(out, ",\n\"methods\":{");
    status = write_methods(out, store, part_run, version, err);
    dg_print(out, "}}\n");
    return status;
}
