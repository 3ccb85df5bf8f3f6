/* Which node is the first that is wrong, as lines behind the table of a run. */
#include <string.h>

#include "cli/run_print.h"

static void print_place(struct dg_writer *out, const struct dg_run_origin *origin)
{
    if (origin->module && *origin->module) {
        dg_print(out, "  in ");
        dg_write_plain(out, dg_text(origin->module));
    }
    if (origin->file) {
        dg_print(out, "  at ");
        dg_write_plain(out, dg_text(origin->file));
        dg_print(out, ":%lld", (long long)origin->line);
    }
    if (origin->module || origin->file)
        dg_print(out, "\n");
}

enum { SUSPECTS_MOST = 10 };

static void print_candidates(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_answer *results = answer->answer;
    const struct dg_step *steps = answer->request->schedule->steps;

    if (results->n_candidates)
        dg_print(out, results->candidates_pass
                          ? "  it reads what is off, too, by less than is told from"
                            " rounding:\n"
                          : "  what is wrong rests on nodes that were not compared:\n");
    for (size_t i = 0; i < results->n_candidates && i < SUSPECTS_MOST; i++) {
        const struct dg_step *step = &steps[results->candidates[i]];

        dg_print(out, "    ");
        dg_write_plain(out, dg_text(step->name ? step->name : ""));
        dg_print(out, "  ");
        dg_write_plain(out, dg_text(step->op ? step->op : ""));
        dg_print(out, "\n");
    }
    if (results->n_candidates > SUSPECTS_MOST)
        dg_print(out, "    and %zu more\n", results->n_candidates - SUSPECTS_MOST);
}

static void print_no_culprit(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_answer *results = answer->answer;
    bool fails = results->counts[DG_VERDICT_FAIL] > 0;
    size_t n_skipped = 0;

    for (size_t i = 0; i < results->n_steps; i++)
        n_skipped += results->steps[i].judgement.verdict == DG_VERDICT_SKIP;
    if (n_skipped == results->n_steps) {
        dg_print(out, "bisect: nothing was compared\n");
        return;
    }
    dg_print(out, "bisect: none of %zu values is beyond its floor",
             results->n_steps - n_skipped);
    if (n_skipped)
        dg_print(out, "; %zu more %s not compared%s", n_skipped,
                 n_skipped == 1 ? "is" : "are",
                 fails ? ", and the cause lies there" : "");
    else if (fails && !answer->request->against_path)
        dg_print(out, ", and what is expected says nothing of them: hold the file to"
                      " what it was made from (--against)");
    dg_print(out, "\n");
}

/* The culprit with reference values in place of its own. */
static void print_alone(struct dg_writer *out, const struct dg_numeric_answer *results)
{
    const struct dg_judgement *alone = &results->alone;

    dg_print(out, "\n  fed with reference values: ");
    if (results->confirmed)
        dg_write_plain(out, dg_text(alone->why));
    else if (alone->verdict == DG_VERDICT_SKIP)
        dg_print(out, "not possible%s%s; the cause is in it or before it",
                 *alone->why ? ", as " : "", alone->why);
    else
        dg_print(out, "passes, so the cause lies before it");
    dg_print(out, "\n");
}

void dg_run_print_bisect(struct dg_writer *out, const struct dg_run_answer *answer)
{
    const struct dg_numeric_answer *results = answer->answer;
    const struct dg_numeric_result *culprit;
    bool one;

    if (results->culprit == SIZE_MAX) {
        print_no_culprit(out, answer);
        print_candidates(out, answer);
        return;
    }
    culprit = &results->steps[results->culprit];
    one = results->culprit == 1;
    dg_print(out, "bisect: the first node beyond its floor is ");
    dg_write_plain(out, dg_text(culprit->name));
    dg_print(out, "  ");
    dg_write_plain(out, dg_text(culprit->op ? culprit->op : ""));
    dg_print(out, "\n");
    if (culprit->other && strcmp(culprit->other, culprit->name) != 0) {
        dg_print(out, "  it is ");
        dg_write_plain(out, dg_text(culprit->other));
        dg_print(out, " of ");
        dg_write_plain(out, dg_text(answer->request->against_path));
        dg_print(out, "\n");
    }
    print_place(out, &answer->origin);
    dg_print(out, "  %zu value%s before it pass%s or %s not compared\n",
             results->culprit, one ? "" : "s", one ? "es" : "", one ? "is" : "are");
    dg_print(out, "  with all before it: ");
    dg_write_plain(out, dg_text(culprit->judgement.why));
    print_alone(out, results);
    if (!results->confirmed)
        print_candidates(out, answer);
}

void dg_run_print_reduced(struct dg_writer *out, const struct dg_run_reduced *reduced)
{
    dg_print(out, "reduced to %zu of %zu nodes:\n", reduced->n_steps, reduced->n_whole);
    for (size_t i = 0; i < reduced->n_steps; i++) {
        dg_print(out, "  ");
        dg_write_plain(out, dg_text(reduced->steps[i]->name));
        dg_print(out, "  ");
        dg_write_plain(out, dg_text(reduced->steps[i]->op));
        dg_print(out, "\n");
    }
    dg_print(out, "  ");
    dg_write_plain(out, dg_text(reduced->why));
    dg_print(out, "\n  ");
    dg_write_plain(out, dg_text(reduced->folder));
    dg_print(out,
             " has repro.pt2, which torch.export.load opens, inputs.npz and wrong.npz,"
             " what the nodes read and gave there, and repro.db and repro.svg\n"
             "reproduce: delegraph run ");
    dg_write_plain(out, dg_text(reduced->program));
    dg_print(out, " --inputs ");
    dg_write_plain(out, dg_text(reduced->inputs));
    dg_print(out, " --expected ");
    dg_write_plain(out, dg_text(reduced->wrong));
    dg_print(out, "\n");
}
