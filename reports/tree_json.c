/* ls --tree as one JSON document: areas inside of areas. */
#include "base/json_writer.h"
#include "reports/page/tree_lines.h"
#include "reports/tree.h"

struct writing {
    struct dg_json_writer json;
    const struct dg_report_options *options;
};

static void put_some(struct dg_json_writer *json, const char *key, struct dg_text text)
{
    dg_put_text(json, key, text.size ? text : (struct dg_text){0});
}

/* All but the ends of its children and of itself. */
static void put_area(struct dg_json_writer *json, const struct dg_tree *tree, size_t i)
{
    const struct dg_area *area = &tree->areas[i];
    const struct dg_tree_figures *figures = &tree->figures[i];

    dg_put_line(json);
    dg_put_object(json, NULL);
    dg_write_json(dg_put_raw(json, "name"), area->name);
    put_some(json, "path", figures->path);
    put_some(json, "type", area->note);
    dg_put_int(json, "ops", (int64_t)area->count);
    dg_put_int(json, "delegated", (int64_t)figures->delegated);
    dg_put_int(json, "nbytes", (int64_t)area->bytes);
    if (figures->flops < 0)
        dg_put_null(json, "flops");
    else
        dg_print(dg_put_raw(json, "flops"), "%.0f", figures->flops);
    if (figures->took > 0)
        dg_print(dg_put_raw(json, "took"), "%.1f", figures->took);
    else
        dg_put_null(json, "took");
    if (!i)
        put_some(json, "program", tree->program);
    dg_put_array(json, "children");
}

static void put_tree(void *context, const struct dg_tree *tree)
{
    struct writing *writing = context;
    struct dg_tree_limits limits = {
        .depth = writing->options->depth ? (size_t)writing->options->depth + 1 : 0};
    struct dg_tree_lines branches = {0};
    size_t depth = 0;

    dg_tree_lines_make(&branches, tree->areas, tree->n_areas, &limits);
    for (size_t i = 0; i <= branches.n_lines; i++) {
        const struct dg_tree_line *line =
            i < branches.n_lines ? &branches.lines[i] : NULL;

        for (; depth > (line ? line->depth : 0); depth--) {
            dg_put_end(&writing->json);
            dg_put_end(&writing->json);
        }
        if (line) {
            put_area(&writing->json, tree, line->area);
            depth = line->depth + 1;
        }
    }
    dg_tree_lines_clear(&branches);
}

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            struct dg_error *err)
{
    struct writing writing = {{.out = out}, options};
    struct dg_json_writer *json = &writing.json;
    enum dg_status status;

    dg_put_object(json, NULL);
    dg_put_int(json, "schema_version", 1);
    dg_put_array(json, "tree");
    status = dg_tree_each(store, options, false, put_tree, &writing, err);
    dg_put_end(json);
    dg_put_end(json);
    dg_write(out, "\n", 1);
    dg_json_written(json);
    return status;
}

const struct dg_report dg_report_tree_json = {
    "tree-json",
    "modules, or delegates and kernels, inside of each other",
    write,
};
