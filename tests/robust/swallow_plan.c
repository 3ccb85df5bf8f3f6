/* A stored program taken through partitioners, rules of plans, explanations and
 * pictures; and a plan file on top of it. */
#define _GNU_SOURCE
#include "robust/swallow_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "partition/explain.h"
#include "partition/plan_file.h"
#include "reports/explain.h"
#include "reports/picture/svg.h"
#include "reports/views/view.h"
#include "verifiers/verifier.h"

enum { ARTIFACT = 1, MOST_SIMULATED = 3 };

static void insist(bool holds, const char *what, const struct dg_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "%s: status %d: %s\n", what, (int)err->status, err->text);
    abort();
}

/* Whether it went well; a refusal must say why. */
static bool went(enum dg_status status, const char *what, const struct dg_error *err)
{
    insist(!status || (status == err->status && err->text[0]), what, err);
    /* usage: what is partitioned already */
    insist(!status || status == DG_ERR_FORMAT || status == DG_ERR_USAGE, what, err);
    return !status;
}

const char *swallow_path(struct dg_bytes bytes)
{
    static char path[32];
    static int file = -1;
    const struct dg_error none = {0};

    if (file < 0)
        file = memfd_create("swallow", 0);
    insist(file >= 0 && !ftruncate(file, 0), "a file in memory", &none);
    insist(pwrite(file, bytes.data, bytes.size, 0) == (ssize_t)bytes.size,
           "a file in memory", &none);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    return path;
}

/* Each time another view; SVG, for that takes the text and a layout. */
static void draw(struct dg_store *store)
{
    static size_t turn;
    struct dg_view_options options = {.max_boxes = 50, .finding = 1};
    struct dg_svg_options how = {.layout = DG_SVG_PLAIN};
    struct dg_picture picture = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    const struct dg_view *view;
    enum dg_status status;

    if (!dg_views[turn])
        turn = 0;
    view = dg_views[turn++];
    status = view->build(&picture, store, &options, &err);
    insist(!status || (status == DG_ERR_USAGE && err.text[0]), view->name, &err);
    if (!status) {
        insist(!dg_picture_svg(&out, &picture, &how, &err), view->name, &err);
        insist(!dg_picture_write(&out, &picture, &err), view->name, &err);
    }
    dg_picture_clear(&picture);
    dg_writer_clear(&out);
}

static void explain(struct dg_store *store)
{
    const struct dg_explain_request request = {.artifact = ARTIFACT};
    struct dg_explanation explanation;
    struct dg_explain_report report = {.explanation = &explanation, .path = "input"};
    struct dg_reason_group *groups = NULL;
    struct dg_writer out = {0};
    struct dg_error err = {0};

    if (went(dg_explain(&explanation, &request, store, &err), "a plan is explained",
             &err)) {
        dg_plan_totals(&report.now, &explanation);
        report.n_groups = dg_reason_groups(&groups, &explanation, MOST_SIMULATED);
        report.groups = groups;
        dg_write_explain_json(&out, &report);
        insist(dg_is_utf8((struct dg_text){out.data, out.size}), "JSON is UTF-8", &err);
        dg_write_explain_text(&out, &report);
    }
    free(groups);
    dg_writer_clear(&out);
    dg_explanation_clear(&explanation);
}

static void verify(struct dg_store *store)
{
    const struct dg_selection all = {0};
    struct dg_error err = {0};

    insist(!dg_verify(store, &all, NULL, NULL, &err), "every rule runs", &err);
}

static int64_t newest_plan(struct dg_store *store)
{
    struct dg_error err = {0};
    int64_t plan;

    insist(!dg_store_int(store, "SELECT max(id) FROM part_run", 0, &plan, &err),
           "plans are counted", &err);
    return plan;
}

static void write_and_read(struct dg_store *store)
{
    struct dg_plan_source source = {.force = true};
    struct dg_writer out = {0};
    struct dg_error err = {0};

    if (!went(dg_plan_file_write(&out, store, newest_plan(store), DG_PLAN_VERSION,
                                 (struct dg_text){0}, &err),
              "a plan is written", &err)) {
        dg_writer_clear(&out);
        return;
    }
    source.path = swallow_path((struct dg_bytes){(const uint8_t *)out.data, out.size});
    insist(!dg_plan_file_read(&source, store, ARTIFACT, &err),
           "what was written is a plan", &err);
    dg_writer_clear(&out);
}

static void take_newest(struct dg_store *store)
{
    verify(store);
    explain(store);
    draw(store);
    write_and_read(store);
}

static void partition(struct dg_store *store, struct dg_run_request *request)
{
    struct dg_run run = {0};
    struct dg_error err = {0};
    bool made = went(dg_run(&run, request, store, &err), "a partitioner runs", &err);

    if (made)
        insist(!dg_run_store(&run, store, &err), "a plan is stored", &err);
    dg_run_clear(&run);
    if (made)
        take_newest(store);
}

void swallow_partitions(struct dg_store *store)
{
    struct dg_run_request request = {.artifact = ARTIFACT, .options = dg_text("{}")};
    struct dg_error err = {0};
    struct dg_support *support;

    insist(!dg_support_from_backend(&support, "xnnpack", &err), "a shipped list", &err);
    for (int mode = DG_RUN_TORCH; mode <= DG_RUN_GROUP; mode++) {
        request.mode = mode;
        request.lower = mode == DG_RUN_AOTI;
        request.bookends = mode == DG_RUN_GROUP;
        request.support = mode == DG_RUN_TORCH ? support : NULL;
        partition(store, &request);
    }
    dg_support_free(support);
}

void swallow_plan_file(struct dg_store *store, struct dg_bytes bytes)
{
    const struct dg_plan_source source = {.path = swallow_path(bytes), .force = true};
    struct dg_run_request request = {
        .mode = DG_RUN_AOTI, .artifact = ARTIFACT, .options = dg_text("{}")};
    struct dg_error err = {0};
    int64_t plan;

    if (!went(dg_plan_file_read(&source, store, ARTIFACT, &err), "a plan is read",
              &err))
        return;
    plan = newest_plan(store);
    take_newest(store);
    request.priors = &plan;
    request.n_priors = 1;
    request.lower = true;
    partition(store, &request);
}
