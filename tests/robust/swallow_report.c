/* A store taken through all that shows it: every view as a picture, every form of the
 * report. */
#include "robust/swallow_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "graph/cost.h"
#include "graph/lifetime.h"
#include "reports/picture/svg.h"
#include "reports/sections/section.h"
#include "verifiers/verifier.h"

static void insist(bool holds, const char *what, const struct dg_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "%s: status %d: %s\n", what, (int)err->status, err->text);
    abort();
}

/* What was asked for may not be there, and tables that disagree are no program. */
static bool went(enum dg_status status, const char *what, const struct dg_error *err)
{
    insist(!status || (status == err->status && err->text[0]), what, err);
    insist(!status || status == DG_ERR_USAGE || status == DG_ERR_FORMAT, what, err);
    return !status;
}

static void expect_text(struct dg_writer *out, const char *what)
{
    const struct dg_error none = {0};

    insist(out->size && dg_is_utf8((struct dg_text){out->data, out->size}), what,
           &none);
    dg_writer_clear(out);
}

static void draw(struct dg_store *store, const struct dg_view *view,
                 const struct dg_view_options *options)
{
    const struct dg_svg_options how = {.layout = DG_SVG_PLAIN};
    struct dg_picture picture = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};

    if (went(view->build(&picture, store, options, &err), view->name, &err)) {
        insist(!dg_picture_svg(&out, &picture, &how, &err), view->name, &err);
        expect_text(&out, view->name);
        insist(!dg_picture_write(&out, &picture, &err), view->name, &err);
        expect_text(&out, view->name);
    }
    dg_picture_clear(&picture);
}

static void draw_all(struct dg_store *store)
{
    const struct dg_view_options options[] = {
        {.finding = 1, .hops = 2, .around = "op_1"},
        {.finding = 2, .hops = 9, .around = "add", .max_boxes = 20, .depth = 1},
        {.finding = 3, .hops = 0, .around = "x", .no_fold = true, .no_plan = true},
    };

    for (const struct dg_view *const *view = dg_views; *view; view++)
        for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
            draw(store, *view, &options[i]);
}

static bool words_of(const void *unused, const char *id, struct dg_rule_words *words)
{
    const struct dg_rule *rule = dg_rule_find(id, NULL);

    if (rule)
        *words = (struct dg_rule_words){rule->invariant, rule->reason, rule->fix};
    return rule != NULL;
}

static void write_forms(const struct dg_page *page)
{
    const struct dg_page_options narrow = {.width = 1, .color = true},
                                 plain = {.width = 10000, .ascii = true};
    struct dg_writer out = {0};

    dg_page_html(&out, page);
    expect_text(&out, "HTML is UTF-8");
    dg_page_markdown(&out, page);
    expect_text(&out, "Markdown is UTF-8");
    dg_page_text(&out, page, &narrow);
    expect_text(&out, "narrow text is UTF-8");
    dg_page_text(&out, page, &plain);
    expect_text(&out, "wide text is UTF-8");
}

static void report(struct dg_store *store)
{
    struct dg_report_input input = {.store = store,
                                    .artifact = 1,
                                    .path = "input",
                                    .plan_options = "",
                                    .finding_options = "",
                                    .gate_options = "",
                                    .data_options = "",
                                    .rule = words_of,
                                    .fail_on = "error",
                                    .version = "0",
                                    .invocation = "delegraph report input"};
    struct dg_page page = {.title = dg_text("input")};
    struct dg_error err = {0};

    if (went(dg_sections_write(&page, &input, &err), "a report is made", &err))
        write_forms(&page);
    dg_page_clear(&page);
}

void swallow_report(struct dg_store *store)
{
    const struct dg_selection all = {0};
    struct dg_error err = {0};

    insist(!dg_store_add_views(store, &err), "views are made", &err);
    if (!went(dg_verify(store, &all, NULL, NULL, &err), "every rule runs", &err))
        return;
    draw_all(store);
    if (went(dg_costs_store(store, &err), "costs are told", &err) &&
        went(dg_lifetimes_store(store, &err), "lifetimes are told", &err))
        report(store);
}
