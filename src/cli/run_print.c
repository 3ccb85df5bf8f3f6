/* The outcome of run as a table. */
#include "cli/run_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"

enum { COLUMNS = 7 };

static const char *const headings[COLUMNS] = {"",       "dtype",   "shape",  "verdict",
                                              "SNR dB", "max abs", "max ulp"};

/* A row of the table. */
struct line {
    char cells[COLUMNS][80];
    const struct dg_numeric_result *result;
};

static void number(char *cell, size_t room, const char *fmt, double value)
{
    if (isfinite(value))
        snprintf(cell, room, fmt, value);
    else
        snprintf(cell, room, "-");
}

static struct line line_of(const struct dg_numeric_result *result, bool with_op)
{
    const struct dg_metrics *metrics = &result->judgement.metrics;
    bool numbers = result->type != DG_TYPE_NONE && metrics->count > 0;
    struct line line = {.result = result};

    if (with_op && result->op)
        snprintf(line.cells[0], sizeof(line.cells[0]), "%.30s  %.46s", result->name,
                 result->op);
    else
        snprintf(line.cells[0], sizeof(line.cells[0]), "%.79s", result->name);
    snprintf(line.cells[1], sizeof(line.cells[1]), "%s",
             result->type == DG_TYPE_NONE ? "-" : dg_type_name(result->type));
    snprintf(line.cells[2], sizeof(line.cells[2]), "%.79s",
             result->shape ? result->shape : "-");
    snprintf(line.cells[3], sizeof(line.cells[3]), "%s",
             dg_verdict_names[result->judgement.verdict]);
    if (numbers && metrics->exact)
        snprintf(line.cells[4], sizeof(line.cells[4]), "equal");
    else
        number(line.cells[4], sizeof(line.cells[4]), "%.1f", metrics->snr_db);
    number(line.cells[5], sizeof(line.cells[5]), "%.2e",
           numbers ? metrics->max_abs : NAN);
    if (numbers && metrics->max_ulp >= 0)
        snprintf(line.cells[6], sizeof(line.cells[6]), "%lld",
                 (long long)metrics->max_ulp);
    else
        snprintf(line.cells[6], sizeof(line.cells[6]), "-");
    return line;
}

static void widen(int *widths, const struct line *line)
{
    for (int i = 0; i < COLUMNS; i++) {
        int width = (int)strlen(line->cells[i]);

        widths[i] = width > widths[i] ? width : widths[i];
    }
}

static const char *color_of(enum dg_verdict verdict)
{
    return verdict == DG_VERDICT_PASS   ? GREEN
           : verdict == DG_VERDICT_FAIL ? RED
                                        : YELLOW;
}

static void print_line(struct dg_writer *out, const struct line *line,
                       const int *widths, bool color)
{
    const struct dg_numeric_result *result = line->result;

    dg_print(out, "  ");
    dg_write_plain(out, dg_text(line->cells[0]));
    dg_print(out, "%*s", widths[0] - (int)strlen(line->cells[0]), "");
    for (int i = 1; i < COLUMNS; i++) {
        bool tinted = color && result && i == 3;

        dg_print(out, "  %s%*s%s", tinted ? color_of(result->judgement.verdict) : "",
                 i < 4 ? -widths[i] : widths[i], line->cells[i], tinted ? PLAIN : "");
    }
    dg_print(out, "\n");
    if (result && result->judgement.why[0]) {
        dg_print(out, "    ");
        dg_write_plain(out, dg_text(result->judgement.why));
        dg_print(out, "\n");
    }
}

static void print_table(struct dg_writer *out, const struct dg_numeric_result *results,
                        size_t n, const char *title, bool with_op, bool color)
{
    struct line head = {.result = NULL};
    int widths[COLUMNS] = {0};

    snprintf(head.cells[0], sizeof(head.cells[0]), "%s%s", title,
             with_op ? "  operator" : "");
    for (int i = 1; i < COLUMNS; i++)
        memcpy(head.cells[i], headings[i], strlen(headings[i]) + 1);
    widen(widths, &head);
    for (size_t i = 0; i < n; i++) {
        struct line line = line_of(&results[i], with_op);

        widen(widths, &line);
    }
    print_line(out, &head, widths, false);
    for (size_t i = 0; i < n; i++) {
        struct line line = line_of(&results[i], with_op);

        print_line(out, &line, widths, color);
    }
}

/* How many nodes rest on each step; free it. */
static size_t *count_resting(const struct dg_numeric_answer *answer)
{
    uint32_t most = 0;
    size_t *resting;

    for (size_t i = 0; i < answer->n_not_compared; i++)
        most = most < answer->not_compared[i].origin ? answer->not_compared[i].origin
                                                     : most;
    resting = calloc((size_t)most + 1, sizeof(*resting));
    if (!resting)
        dg_out_of_memory();
    for (size_t i = 0; i < answer->n_not_compared; i++)
        resting[answer->not_compared[i].origin] +=
            answer->not_compared[i].step != answer->not_compared[i].origin;
    return resting;
}

/* With --isolate: what the table lacks although the other program has it. */
static void print_not_fed(struct dg_writer *out, const struct dg_numeric_answer *answer)
{
    for (int why = 0; why < DG_N_NOT_FED; why++) {
        size_t n = answer->n_not_fed[why];

        if (n)
            dg_print(out, "  %zu more node%s, as %s\n", n,
                     n == 1 ? " is not compared by itself"
                            : "s are not compared by themselves",
                     dg_not_fed_words[why]);
    }
}

static void print_not_compared(struct dg_writer *out,
                               const struct dg_numeric_answer *answer)
{
    size_t *resting = count_resting(answer);

    if (answer->n_not_compared)
        dg_print(out, "not compared:\n");
    for (size_t i = 0; i < answer->n_not_compared; i++) {
        const struct dg_not_compared *one = &answer->not_compared[i];
        size_t n = resting[one->origin];

        if (one->step != one->origin)
            continue;
        dg_print(out, "  ");
        dg_write_plain(out, dg_text(one->node));
        if (one->op && strcmp(one->op, one->why) != 0) {
            dg_print(out, "  ");
            dg_write_plain(out, dg_text(one->op));
        }
        dg_print(out, "  ");
        dg_write_plain(out, dg_text(one->why));
        if (n)
            dg_print(out, "; %zu node%s on it", n, n == 1 ? " rests" : "s rest");
        dg_print(out, "\n");
    }
    free(resting);
}

/* What runs elsewhere can still be held to what is expected. */
static void print_way_out(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_answer *results = answer->answer;

    for (size_t i = 0; i < results->n_not_compared; i++) {
        struct dg_text why = dg_text(results->not_compared[i].why);

        if (!dg_text_begins(why, "delegate ") ||
            dg_text_begins(why, "delegate XnnpackBackend"))
            continue;
        dg_print(
            out,
            "help: delegates other than XNNPACK's run on the device only: save what it "
            "gives there as OUT.npz, then delegraph run ");
        dg_write_plain(out, dg_text(answer->path));
        dg_print(out, " --actual OUT.npz --expected RIGHT.npz\n");
        return;
    }
}

/* Weights that torchao makes hold their tensors inside of objects. */
static void print_unwrapping(struct dg_writer *out,
                             const struct dg_numeric_answer *results)
{
    for (size_t i = 0; i < results->n_not_compared; i++) {
        if (!strstr(results->not_compared[i].why, DG_IS_PICKLED))
            continue;
        dg_print(out,
                 "help: such weights are tensor subclasses: unwrap_tensor_subclass"
                 "(model) of torchao.utils before the export makes plain tensors of"
                 " them, which run\n");
        return;
    }
}

/* Masks and indices that are drawn at random may leave nothing of a model. */
static void print_inputs_wanted(struct dg_writer *out,
                                const struct dg_run_answer *answer)
{
    const struct dg_numeric_answer *results = answer->answer;

    for (size_t i = 0; i < results->n_results; i++) {
        const struct dg_judgement *judgement = &results->results[i].judgement;

        if (judgement->verdict != DG_VERDICT_SKIP || !judgement->metrics.count ||
            judgement->metrics.compared ||
            !dg_text_begins(dg_text(answer->inputs), "random"))
            continue;
        dg_print(out,
                 "help: random inputs lead to nothing but NaN: give real ones with "
                 "--inputs FILE.npz\n");
        return;
    }
}

void dg_run_write_counts(struct dg_writer *out, const int64_t counts[3])
{
    int64_t n = counts[0] + counts[1] + counts[2];

    dg_print(out, "%lld output%s: %lld passed, %lld failed, %lld not compared",
             (long long)n, n == 1 ? "" : "s", (long long)counts[0],
             (long long)counts[1], (long long)counts[2]);
}

/* Outputs may pass although nodes before them are wrong. */
static void print_wrong_nodes(struct dg_writer *out,
                              const struct dg_numeric_answer *results)
{
    size_t n = 0;

    for (size_t i = 0; i < results->n_steps; i++)
        n += results->steps[i].judgement.verdict == DG_VERDICT_FAIL;
    if (results->culprit != SIZE_MAX) {
        dg_print(out, results->confirmed || results->alone.verdict != DG_VERDICT_PASS
                          ? "; but this node is wrong: "
                          : "; but what is before this node is wrong: ");
        dg_write_plain(out, dg_text(results->steps[results->culprit].name));
    } else if (n) {
        dg_print(out, "; but %zu node%s failed", n, n == 1 ? "" : "s");
    }
}

static void print_summary(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_answer *results = answer->answer;

    dg_run_write_counts(out, results->counts);
    if (!results->counts[DG_VERDICT_FAIL])
        print_wrong_nodes(out, results);
    if (answer->request->n_repeats > 1)
        dg_print(out, "; %lld runs are %s", (long long)answer->request->n_repeats,
                 results->repeats_equal ? "equal bit for bit" : "not equal");
    if (results->fallbacks)
        dg_print(out, "; %llu steps ran on the host for want of a kernel",
                 (unsigned long long)results->fallbacks);
    if (results->used_lapack)
        dg_print(out, "; with LAPACK %s", dg_lapack_version(&(struct dg_error){0}));
    dg_print(out, "\n");
}

static void print_limits(struct dg_writer *out, const struct dg_limits *given)
{
    if (!given)
        return;
    dg_print(out, ", within");
    if (given->rtol >= 0 || given->atol >= 0)
        dg_print(out, " rtol %.9g, atol %.9g", fmax(given->rtol, 0),
                 fmax(given->atol, 0));
    if (given->min_snr >= 0)
        dg_print(out, "%s SNR %.9g dB",
                 given->rtol >= 0 || given->atol >= 0 ? " and" : "", given->min_snr);
    dg_print(out, " as given");
}

/* What is held to what. */
static void print_reference(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_request *request = answer->request;

    if (request->against) {
        dg_print(out, "; judged by it: ");
        dg_write_plain(out, dg_text(request->against_path));
    } else {
        dg_print(out, ", judged by %s",
                 answer->n_calls && answer->calls->expected ? "what is expected"
                 : request->device                          ? "the CPU"
                                                            : "itself in f64");
    }
    print_limits(out, request->given);
    dg_print(out, "\n");
}

static void print_what_ran(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_request *request = answer->request;

    dg_write_plain(out, dg_text(answer->path));
    dg_print(out, ": ");
    dg_write_plain(out, dg_text(answer->method));
    dg_print(out, "%s", request->part ? ", " : "");
    dg_write_plain(out, dg_text(request->part));
    if (answer->n_calls && answer->calls->actual)
        dg_print(out, ", not run: ");
    else
        dg_print(out,
                 " on %s, inputs: ", request->device ? request->device->name : "cpu");
    dg_write_plain(out, dg_text(answer->inputs));
}

void dg_run_text(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_request *request = answer->request;
    const struct dg_numeric_answer *results = answer->answer;

    print_what_ran(out, answer);
    print_reference(out, answer);
    for (size_t i = 0; i < results->n_calls; i++) {
        char title[40] = "output";

        if (answer->n_calls > 1)
            snprintf(title, sizeof(title), "call %zu", i);
        print_table(out, dg_results_of_call(results, i),
                    results->first_of_call[i + 1] - results->first_of_call[i], title,
                    false, answer->color);
    }
    if (answer->steps)
        print_table(out, results->steps, results->n_steps,
                    request->partition_of ? "of a partition" : "node",
                    request->schedule->is_pte, answer->color);
    if (answer->steps)
        print_not_fed(out, results);
    print_not_compared(out, results);
    print_way_out(out, answer);
    print_unwrapping(out, results);
    print_inputs_wanted(out, answer);
    if (request->bisect)
        dg_run_print_bisect(out, answer);
    print_summary(out, answer);
    if (answer->reduced)
        dg_run_print_reduced(out, answer->reduced);
}
