/* ls --tree for people: a line for each module, with bars on a terminal. */
#include "base/quantity.h"
#include "reports/page/grid.h"
#include "reports/page/text_drawing.h"
#include "reports/page/tree_lines.h"
#include "reports/tree.h"

enum {
    NAME,
    CALLS,
    BYTES,
    BYTES_BAR,
    FLOPS,
    FLOPS_BAR,
    DELEGATED,
    DELEGATED_BAR,
    TOOK,
    TOOK_BAR,
    NOTE
};
enum { BAR = 8 };

struct writing {
    struct dg_writer *out;
    const struct dg_report_options *options;
    struct dg_page_options how;
    size_t n_trees;
};

static void end(struct dg_grid *grid)
{
    bool bar = grid->n_cells % grid->n_columns == BYTES_BAR ||
               grid->n_cells % grid->n_columns == FLOPS_BAR ||
               grid->n_cells % grid->n_columns == DELEGATED_BAR ||
               grid->n_cells % grid->n_columns == TOOK_BAR;

    dg_grid_end_cell(grid, bar ? DG_TONE_NOTE : DG_TONE_PLAIN);
}

static void add_header(struct dg_grid *grid, const struct dg_tree *tree)
{
    bool modules = tree->figures[0].flops >= 0;
    const char *const names[] = {[NAME] = modules ? "module" : "method",
                                 [CALLS] = modules ? "ops" : "calls",
                                 [BYTES] = modules ? "weights" : "bytes",
                                 [BYTES_BAR] = "",
                                 [FLOPS] = "FLOPs",
                                 [FLOPS_BAR] = "",
                                 [DELEGATED] = "delegated",
                                 [DELEGATED_BAR] = "",
                                 [TOOK] = "time",
                                 [TOOK_BAR] = "",
                                 [NOTE] = ""};

    for (int i = NAME; i <= NOTE; i++) {
        bool bar =
            i == BYTES_BAR || i == FLOPS_BAR || i == DELEGATED_BAR || i == TOOK_BAR;

        dg_grid_column(grid, i != NAME && i != NOTE && !bar,
                       i == NAME || i == NOTE ? DG_GRID_ELIDED : DG_GRID_WHOLE);
        dg_print(&grid->text, "%s", names[i]);
        end(grid);
    }
}

/* A percentage, and its bar. */
static void add_share(struct dg_grid *grid, double part, double all,
                      const struct writing *writing)
{
    if (all > 0)
        dg_print(&grid->text, "%.1f %%", 100 * part / all);
    end(grid);
    if (all > 0 && writing->how.width)
        dg_write_bar(&grid->text, part / all, BAR, false, writing->how.ascii);
    end(grid);
}

static void add_line(struct dg_grid *grid, const struct dg_tree *tree,
                     struct dg_tree_lines *branches, size_t line,
                     const struct writing *writing)
{
    const struct dg_area *area = &tree->areas[branches->lines[line].area];
    const struct dg_tree_figures *figures = &tree->figures[branches->lines[line].area];
    struct dg_text note = !line && tree->among_several ? tree->program : area->note;

    dg_tree_lines_write(&grid->text, branches, line, writing->how.ascii);
    dg_write_plain(&grid->text, area->name);
    end(grid);
    dg_print(&grid->text, "%lld", (long long)area->count);
    end(grid);
    if (area->bytes)
        dg_write_size(&grid->text, area->bytes);
    end(grid);
    if (area->bytes && writing->how.width)
        dg_write_bar(&grid->text, (double)area->bytes / (double)tree->areas[0].bytes,
                     BAR, false, writing->how.ascii);
    end(grid);
    add_share(grid, figures->flops, tree->figures[0].flops, writing);
    /* A call of a .pte may be one kernel or a whole network: no share of anything. */
    add_share(grid, (double)figures->delegated,
              tree->figures[0].delegated && tree->figures[0].flops >= 0
                  ? (double)area->count
                  : 0,
              writing);
    if (figures->took > 0)
        dg_write_duration(&grid->text, figures->took);
    end(grid);
    if (figures->took > 0 && writing->how.width)
        dg_write_bar(&grid->text, figures->took / tree->figures[0].took, BAR, false,
                     writing->how.ascii);
    end(grid);
    dg_write_plain(&grid->text, note);
    if (branches->lines[line].n_left_out)
        dg_print(&grid->text, "%s%zu inside", note.size ? ", " : "",
                 branches->lines[line].n_left_out);
    end(grid);
}

static void write_tree(void *context, const struct dg_tree *tree)
{
    struct writing *writing = context;
    struct dg_tree_limits limits = {
        .depth = writing->options->depth ? (size_t)writing->options->depth + 1 : 0};
    struct dg_tree_lines branches = {0};
    struct dg_grid grid = {0};

    if (writing->n_trees++)
        dg_write(writing->out, "\n", 1);
    dg_tree_lines_make(&branches, tree->areas, tree->n_areas, &limits);
    add_header(&grid, tree);
    for (size_t i = 0; i < branches.n_lines; i++)
        add_line(&grid, tree, &branches, i, writing);
    dg_grid_drop_empty(&grid);
    dg_grid_give_up(&grid, TOOK_BAR, 0, &writing->how);
    dg_grid_give_up(&grid, DELEGATED_BAR, 0, &writing->how);
    dg_grid_give_up(&grid, FLOPS_BAR, 0, &writing->how);
    dg_grid_give_up(&grid, BYTES_BAR, 0, &writing->how);
    dg_grid_give_up(&grid, NOTE, 0, &writing->how);
    dg_grid_write(writing->out, &grid, 0, true, &writing->how);
    dg_tree_lines_clear(&branches);
    dg_grid_clear(&grid);
}

static enum dg_status write(struct dg_writer *out, struct dg_store *store,
                            const struct dg_report_options *options,
                            struct dg_error *err)
{
    struct writing writing = {
        out,
        options,
        {.width = options->width, .color = options->color, .ascii = options->ascii},
        0};

    return dg_tree_each(store, options, true, write_tree, &writing, err);
}

const struct dg_report dg_report_tree_text = {
    "tree-text",
    "modules, or delegates and kernels, as a tree",
    write,
};
