/* The sections as one table, and what several of them need. */
#include "reports/picture/svg.h"
#include "reports/sections/section.h"

#define TABLES(name, words)                                                            \
    const struct dg_section dg_section_##name = {#name, words, NULL};
#define SECTION(name)
#include "reports/sections/list.h"
#undef SECTION
#undef TABLES

const struct dg_section *const dg_sections[] = {
#define SECTION(name) &dg_section_##name,
#define TABLES(name, words) SECTION(name)
#include "reports/sections/list.h"
#undef SECTION
#undef TABLES
    NULL,
};

enum dg_status dg_section_write(struct dg_page *page, const struct dg_section *section,
                                const struct dg_report_input *input,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;

    page->forms = DG_FORM_ALL;
    if (section->write)
        status = section->write(page, input, err);
    return status
               ? status
               : dg_section_rows(page, input, section->id, input->artifact, NULL, err);
}

enum dg_status dg_sections_write(struct dg_page *page,
                                 const struct dg_report_input *input,
                                 struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (const struct dg_section *const *at = dg_sections; *at && !status; at++) {
        dg_page_section(page, (*at)->id, (*at)->title);
        status = dg_section_write(page, *at, input, err);
    }
    return status;
}

/* The options that make this view of this program. */
static const char *command_of(struct dg_page *page, const struct dg_report_input *input,
                              const struct dg_view *view,
                              const struct dg_view_options *options)
{
    struct dg_arena *memory = &page->memory;
    struct dg_writer text = {0};

    dg_print(&text, "delegraph dot %s", input->path);
    if (options->finding)
        dg_print(&text, " --finding %lld", (long long)options->finding);
    else
        dg_print(&text, " --view %s", view->name);
    if (view == &dg_view_diff && input->against)
        dg_print(&text, " --against %s", input->against);
    if (options->method)
        dg_print(&text, " --method %s",
                 dg_shell_word(memory, dg_text(options->method)).data);
    if (options->graph)
        dg_print(&text, " --graph %s",
                 dg_shell_word(memory, dg_text(options->graph)).data);
    dg_print(&text, "%s -o ",
             options->finding ? input->finding_options : input->plan_options);
    if (options->finding)
        dg_print(&text, "finding-%lld.svg", (long long)options->finding);
    else
        dg_print(&text, "%s.svg", view->name);
    return dg_keep(memory, &text).data;
}

enum dg_status dg_section_picture(struct dg_page *page,
                                  const struct dg_report_input *input, const char *id,
                                  const char *title, const struct dg_view *view,
                                  const struct dg_view_options *options,
                                  struct dg_error *err)
{
    struct dg_view_options wanted = *options;
    struct dg_svg_options how = {.prefix = id, .part_of_page = true};
    struct dg_picture picture = {0};
    struct dg_writer svg = {0};
    enum dg_status status;

    if (!input->pictures)
        return DG_OK;
    wanted.path = input->path;
    wanted.artifact = input->artifact;
    status = view->build(&picture, input->store, &wanted, err);
    /* One box says no more than its name does. */
    if (!status && dg_picture_n_drawn(&picture) > 1)
        status = dg_picture_svg(&svg, &picture, &how, err);
    if (!status && svg.size)
        dg_page_picture(page, id, title, dg_written(&svg), view->summary,
                        command_of(page, input, view, &wanted));
    dg_writer_clear(&svg);
    dg_picture_clear(&picture);
    return status;
}
