/* ls --tree as one JSON document: areas inside of areas. */
#include "reports/page/branches.h"
#include "reports/tree.h"

struct writing {
    struct dg_writer *out;
    const struct dg_report_options *options;
    size_t n_trees;
};

static void write_text(struct dg_writer *out, const char *key, struct dg_text text)
{
    dg_print(out, ",\"%s\":", key);
    if (text.size)
        dg_write_json(out, text);
    else
        dg_print(out, "null");
}

static void write_area(struct dg_writer *out, const struct dg_tree *tree, size_t i)
{
    const struct dg_area *area = &tree->areas[i];
    const struct dg_tree_figures *figures = &tree->figures[i];

    dg_print(out, "{\"name\":");
    dg_write_json(out, area->name);
    write_text(out, "path", figures->path);
    write_text(out, "type", area->note);
    dg_print(out, ",\"ops\":%lld,\"delegated\":%lld,\"nbytes\":%lld,\"flops\":",
             (long long)area->count, (long long)figures->delegated,
             (long long)area->bytes);
    dg_print(out, figures->flops < 0 ? "null" : "%.0f", figures->flops);
    if (!i)
        write_text(out, "program", tree->program);
    dg_print(out, ",\"children\":[");
}

static void write_tree(void *context, const struct dg_tree *tree)
{
    struct writing *writing = context;
    struct dg_branch_limits limits = {
        .depth = writing->options->depth ? (size_t)writing->options->depth + 1 : 0};
    struct dg_branches branches = {0};
    size_t depth = 0;

    dg_branches_make(&branches, tree->areas, tree->n_areas, &limits);
    for (size_t i = 0; i < branches.n_lines; i++) {
        const struct dg_branch_line *line = &branches.lines[i];

        for (; depth > line->depth; depth--)
            dg_print(writing->out, "]}");
        if (i ? branches.lines[i - 1].depth >= line->depth : writing->n_trees > 0)
            dg_write(writing->out, ",", 1);
        dg_write(writing->out, "\n", 1);
        write_area(writing->out, tree, line->area);
        depth = line->depth + 1;
    }
    for (; depth; depth--)
        dg_print(writing->out, "]}");
    writing->n_trees++;
    dg_branches_clear(&branches);
}

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            struct dg_error *err)
{
    struct writing writing = {out, options, 0};
    enum dg_status status;

    dg_print(out, "{\"schema_version\":1,\"tree\":[");
    status = dg_tree_each(store, options, false, write_tree, &writing, err);
    dg_print(out, "]}\n");
    return status;
}

const struct dg_report dg_report_tree_json = {
    "tree-json",
    "modules, or delegates and kernels, inside of each other",
    write,
};
