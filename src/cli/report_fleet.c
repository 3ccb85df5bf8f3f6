#include "cli/report_fleet.h"

#include <string.h>

#include "cli/answer.h"
#include "cli/build_choice.h"
#include "formats/input.h"
#include "reports/fleet/section.h"
#include "reports/picture/picture.h"

enum dg_status dg_report_form_check(const struct dg_report_form *form,
                                    struct dg_error *err)
{
    if (form->width > 10000)
        return dg_fail(err, DG_ERR_USAGE, "report: --width must be at most 10000");
    if (!strcmp(form->format, "html") && dg_goes_to_terminal(form->output))
        return dg_fail(
            err, DG_ERR_USAGE,
            "report: a page is for a browser: give -o FILE.html, or --format text");
    return DG_OK;
}

void dg_report_write(struct dg_writer *out, const struct dg_page *page,
                     const struct dg_report_form *form)
{
    struct dg_page_options how = {
        .color = dg_wants_color(form->output),
        .ascii = dg_wants_ascii(form->output),
        .width = form->width ? (int)form->width : dg_terminal_width(form->output)};

    if (!strcmp(form->format, "html"))
        dg_page_html(out, page);
    else if (!strcmp(form->format, "md"))
        dg_page_markdown(out, page);
    else
        dg_page_text(out, page, &how);
}

/* " --label branch=main --last 5", as `trend` takes them. */
static const char *options_of(struct dg_arena *memory,
                              const struct dg_fleet_words *words)
{
    struct dg_writer text = {0};

    for (size_t i = 0; i < words->labels.n_items; i++)
        dg_print(&text, " --label %s",
                 dg_shell_word(memory, dg_text(words->labels.items[i])).data);
    if (words->last)
        dg_print(&text, " --last %lld", (long long)words->last);
    return text.size ? dg_keep(memory, &text).data : "";
}

static enum dg_status write_fleet(struct dg_writer *out, struct dg_input *input,
                                  const char *path, const struct dg_report_form *form,
                                  const struct dg_fleet_words *words,
                                  struct dg_error *err)
{
    struct dg_writer labels = {0};
    struct dg_page page = {.title = dg_text(path)};
    struct dg_fleet_input fleet = {.store = input->store,
                                   .choice = {.name = words->name, .last = words->last},
                                   .path =
                                       dg_shell_path(&page.memory, dg_text(path)).data,
                                   .options = options_of(&page.memory, words)};
    enum dg_status status = dg_write_labels(&labels, &words->labels, err);

    fleet.choice.labels = dg_written(&labels);
    if (!status)
        status = dg_store_add_views(input->store, err);
    if (!status && words->name)
        status = dg_build_name_check(input->store, words->name, err);
    if (!status)
        status = dg_fleet_write(&page, &fleet, err);
    if (!status)
        dg_report_write(out, &page, form);
    dg_page_clear(&page);
    dg_writer_clear(&labels);
    return status;
}

int dg_report_fleet(const char *path, const struct dg_report_form *form,
                    const struct dg_fleet_words *words)
{
    struct dg_input input = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    enum dg_status status = dg_input_open(&input, path, DG_HASH_NONE, &err);

    if (!status && !dg_store_recognises(input.file))
        status = dg_fail(&err, DG_ERR_USAGE,
                         "a program; --fleet takes a store that load --append made");
    if (!status)
        status = write_fleet(&out, &input, path, form, words, &err);
    dg_input_close(&input);
    if (!status)
        return dg_deliver(form->output, &out, DG_EXIT_FINE);
    dg_writer_clear(&out);
    return dg_complain_about(path, &err);
}
