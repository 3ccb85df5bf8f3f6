/* All differences in one line, as a person would say it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "base/text.h"
#include "diff/diff.h"

struct counts {
    int64_t of[DG_DIFF_KINDS][4]; /* by kind and change */
    int64_t findings[2][3];       /* new and fixed, by severity */
    struct dg_text module;        /* all changed ops are in it; data NULL: none was */
    const struct dg_difference *last;
};

/* The common beginning of two names of modules, up to a dot. */
static struct dg_text common(struct dg_text a, struct dg_text b)
{
    size_t n = 0, end = 0;

    for (; n < a.size && n < b.size && a.data[n] == b.data[n]; n++)
        end = a.data[n] == '.' ? n : end;
    if ((n == a.size || a.data[n] == '.') && (n == b.size || b.data[n] == '.'))
        end = n;
    return (struct dg_text){a.data, end};
}

static unsigned severity_of(struct dg_text name)
{
    return dg_text_is(name, "error") ? 0 : dg_text_is(name, "warning") ? 1 : 2;
}

/* Several differences of one weight, delegate or node of it follow one another, and are of one
 * thing. */
static bool is_of_same(const struct dg_difference *a, const struct dg_difference *b)
{
    return (a->kind == DG_DIFF_WEIGHT || a->kind == DG_DIFF_DELEGATE ||
            a->kind == DG_DIFF_INSIDE) &&
           a->kind == b->kind && a->change == DG_DIFF_CHANGED &&
           b->change == DG_DIFF_CHANGED && a->name.data && b->name.data &&
           dg_text_equal(a->name, b->name) && dg_text_equal(a->method, b->method) &&
           !dg_text_equal(a->what, b->what);
}

static void count_one(struct counts *counts, const struct dg_difference *difference)
{
    const struct dg_difference *last = counts->last;

    counts->last = difference;
    if (last && is_of_same(last, difference))
        return;
    counts->of[difference->kind][difference->change] += difference->count;
    if (difference->kind == DG_DIFF_FINDING)
        counts->findings[difference->change == DG_DIFF_REMOVED]
                        [severity_of(difference->note)] += difference->count;
    if (difference->kind == DG_DIFF_OP && difference->module.data)
        counts->module = counts->module.data
                             ? common(counts->module, difference->module)
                             : difference->module;
}

/* Clauses with commas between them; the most that a person would listen to. */
struct sentence {
    struct dg_writer *out;
    int n_clauses;
};

static void begin(struct sentence *sentence)
{
    if (sentence->n_clauses++)
        dg_print(sentence->out, ", ");
}

static void say_count(struct sentence *sentence, int64_t n, const char *one,
                      const char *many, const char *how)
{
    if (!n)
        return;
    begin(sentence);
    dg_print(sentence->out, "%" PRId64 " %s%s%s", n, n == 1 ? one : many,
             *how ? " " : "", how);
}

static void say_ops(struct sentence *sentence, const struct counts *counts)
{
    static const char *const changes[] = {"added", "removed", "changed", "moved"};
    static const char *const ends[] = {"", "", "", " between host and delegates"};
    const int64_t *of = counts->of[DG_DIFF_OP];
    bool said = false;

    for (int i = 0; i < 4; i++) {
        if (!of[i])
            continue;
        begin(sentence);
        dg_print(sentence->out, "%" PRId64, of[i]);
        if (!said)
            dg_print(sentence->out, of[i] == 1 ? " op" : " ops");
        dg_print(sentence->out, " %s%s", changes[i], ends[i]);
        said = true;
    }
    if (said && counts->module.size) {
        dg_print(sentence->out, " in ");
        dg_write_plain(sentence->out, counts->module);
    }
}

static int64_t all(const int64_t of[4])
{
    return of[0] + of[1] + of[2] + of[3];
}

static void say_inside(struct sentence *sentence, const int64_t of[4])
{
    static const char *const changes[] = {"added", "removed", "changed"};
    bool said = false;

    for (int i = 0; i < 3; i++) {
        if (!of[i])
            continue;
        begin(sentence);
        dg_print(sentence->out, "%" PRId64 "%s %s", of[i],
                 said         ? ""
                 : of[i] == 1 ? " node inside of delegates"
                              : " nodes inside of delegates",
                 changes[i]);
        said = true;
    }
}

static void say_parts(struct sentence *sentence, const struct counts *counts,
                      const struct dg_diff *diff)
{
    const int64_t(*of)[4] = counts->of;
    int64_t n = of[DG_DIFF_WEIGHT][DG_DIFF_CHANGED];

    say_count(sentence, all(of[DG_DIFF_VALUE]), "shape or dtype", "shapes or dtypes",
              "changed");
    if (all(of[DG_DIFF_SIGNATURE])) {
        begin(sentence);
        dg_print(sentence->out, "other signature");
    }
    say_count(sentence, all(of[DG_DIFF_STATE]), "mutable buffer", "mutable buffers",
              "changed");
    if (n) {
        begin(sentence);
        dg_print(sentence->out, "%" PRId64 " of %" PRId64 " weights differ%s", n,
                 diff->n_weights[1], n == 1 ? "s" : "");
    }
    say_count(sentence, of[DG_DIFF_WEIGHT][DG_DIFF_ADDED], "weight", "weights",
              "added");
    say_count(sentence, of[DG_DIFF_WEIGHT][DG_DIFF_REMOVED], "weight", "weights",
              "removed");
    say_count(sentence, of[DG_DIFF_DELEGATE][DG_DIFF_ADDED], "delegate", "delegates",
              "added");
    say_count(sentence, of[DG_DIFF_DELEGATE][DG_DIFF_REMOVED], "delegate", "delegates",
              "removed");
    say_count(sentence, of[DG_DIFF_DELEGATE][DG_DIFF_CHANGED], "delegate", "delegates",
              "changed");
    say_inside(sentence, of[DG_DIFF_INSIDE]);
    if (all(of[DG_DIFF_LIBRARY])) {
        begin(sentence);
        dg_print(sentence->out, "other native code");
    }
}

static void say_percent(struct sentence *sentence, const char *what, int64_t old,
                        int64_t new)
{
    double percent = old > 0 ? 100 * ((double)new - (double)old) / (double)old : 0;

    if (percent < 0.05 && percent > -0.05)
        return;
    begin(sentence);
    dg_print(sentence->out, "%s %+.1f %%", what, percent);
}

static void say_file(struct sentence *sentence, const struct dg_diff *diff)
{
    if (!(diff->ignored & DG_DIFF_SIZES))
        say_percent(sentence, "file", diff->sizes[0].file, diff->sizes[1].file);
}

static void say_findings(struct sentence *sentence, const struct counts *counts)
{
    static const char *const ones[] = {"new error", "new warning", "new note"};
    static const char *const manys[] = {"new errors", "new warnings", "new notes"};
    static const char *const fixed[] = {"error", "warning", "note"};
    static const char *const fixeds[] = {"errors", "warnings", "notes"};

    for (int i = 0; i < 3; i++)
        say_count(sentence, counts->findings[0][i], ones[i], manys[i], "");
    for (int i = 0; i < 3; i++)
        say_count(sentence, counts->findings[1][i], fixed[i], fixeds[i], "fixed");
}

static void say_rest(struct sentence *sentence, const struct counts *counts)
{
    const int64_t(*of)[4] = counts->of;

    say_count(sentence, all(of[DG_DIFF_NAME]), "other name", "other names", "");
    say_count(sentence, all(of[DG_DIFF_SOURCE]), "node", "nodes",
              "from other source lines");
    if (all(of[DG_DIFF_METADATA])) {
        begin(sentence);
        dg_print(sentence->out, "other metadata");
    }
}

void dg_diff_write_sentence(struct dg_writer *out, const struct dg_diff *diff)
{
    struct sentence sentence = {out, 0};
    struct counts counts = {0};
    bool said;

    for (size_t i = 0; i < diff->n_items; i++)
        count_one(&counts, &diff->items[i]);
    if (!diff->n_items) {
        dg_print(out, diff->n_unknown ? "no difference in what could be compared"
                                      : "no difference");
        return;
    }
    say_count(&sentence, counts.of[DG_DIFF_METHOD][DG_DIFF_ADDED], "method", "methods",
              "added");
    say_count(&sentence, counts.of[DG_DIFF_METHOD][DG_DIFF_REMOVED], "method",
              "methods", "removed");
    say_count(&sentence, counts.of[DG_DIFF_GRAPH][DG_DIFF_ADDED], "graph", "graphs",
              "added");
    say_count(&sentence, counts.of[DG_DIFF_GRAPH][DG_DIFF_REMOVED], "graph", "graphs",
              "removed");
    say_count(&sentence, counts.of[DG_DIFF_GRAPH][DG_DIFF_CHANGED], "graph", "graphs",
              "changed");
    say_ops(&sentence, &counts);
    say_parts(&sentence, &counts, diff);
    said = sentence.n_clauses > 0;
    if (said)
        say_file(&sentence, diff);
    if (all(counts.of[DG_DIFF_MEMORY]))
        say_percent(&sentence, "planned memory", diff->sizes[0].planned,
                    diff->sizes[1].planned);
    say_findings(&sentence, &counts);
    say_rest(&sentence, &counts);
    if (!said)
        say_file(&sentence, diff);
    if (!sentence.n_clauses)
        dg_print(out, "%zu difference%s", diff->n_items, diff->n_items == 1 ? "" : "s");
}
