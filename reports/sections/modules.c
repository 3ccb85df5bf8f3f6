/* The modules of a program as a tree, with their operators and weights. */
#include "reports/sections/section.h"
#include "reports/tree.h"

enum { MOST_METHODS = 4, MOST_MODULES = 1000 }; /* each method is read by itself */

struct writing {
    struct dg_page *page;
    const struct dg_report_input *input;
    size_t n_trees;
};

static void add_tree(void *context, const struct dg_tree *tree)
{
    struct writing *writing = context;
    struct dg_page *page = writing->page;
    size_t n_shown = tree->n_areas < MOST_MODULES ? tree->n_areas : MOST_MODULES;
    struct dg_block *block;

    if (tree->artifact != writing->input->artifact || tree->n_areas < 2)
        return;
    block = dg_page_block(
        page, DG_BLOCK_TREE,
        dg_format(&page->memory, "modules-%zu", ++writing->n_trees).data,
        dg_format(&page->memory, "Modules of %s: operators, and bytes of weights",
                  tree->method)
            .data);
    block->command =
        dg_format(&page->memory, "delegraph ls %s --tree", writing->input->path);
    for (size_t i = 0; i < n_shown; i++) {
        const struct dg_area *area = &tree->areas[i];
        struct dg_area *copy =
            dg_page_area(page, area->parent, area->name, area->bytes, area->count);

        if (area->note.data)
            copy->note =
                (struct dg_text){dg_copy(&page->memory, area->note), area->note.size};
    }
    if (n_shown < tree->n_areas)
        dg_page_say(page, DG_TONE_NOTE, "%zu modules more are in the command's answer.",
                    tree->n_areas - n_shown);
}

/* A .pte names no modules; its delegates and kernels have tables of their own. */
static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    struct writing writing = {page, input, 0};
    int64_t n_methods;
    enum dg_status status =
        dg_store_int(input->store, "SELECT count(*) FROM method WHERE ir <> 'pte'", 0,
                     &n_methods, err);

    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    if (status || !n_methods || n_methods > MOST_METHODS)
        return status;
    return dg_tree_each(input->store, &(struct dg_report_options){0}, true, add_tree,
                        &writing, err);
}

const struct dg_section dg_section_modules = {
    .id = "modules",
    .title = "Modules",
    .write = write,
};
