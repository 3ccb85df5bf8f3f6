/* What check found, for people. */
#include <inttypes.h>
#include <string.h>

#include "formats/json.h"
#include "gate/format.h"
#include "reports/picture/picture.h"
#include "verifiers/user.h"

enum { NOTED = 8 }; /* names of one note; JSON has them all */

/* Of one program. */
struct text {
    struct dg_writer *out;
    const struct dg_gate_report *report;
    const struct dg_outcome *outcome;
    struct dg_text_set explained; /* rules whose advice stands above */
};

static void write_label(struct text *text, const struct dg_outcome_finding *finding)
{
    static const char *const colors[] = {"\033[31m", "\033[33m", "\033[36m"};
    bool color = text->report->color;

    dg_print(text->out, "%s%s%s%s[%s]", color ? colors[finding->severity] : "",
             finding->known ? "known " : "", dg_severities[finding->severity],
             color ? "\033[0m" : "", finding->rule);
}

/* "  path: a -> b" of an offence; of a note, which may count very many: "  nodes: a,
 * b"; of what is about no node: "  names: a, b". */
static void write_path(struct dg_writer *out, const struct dg_outcome_finding *finding)
{
    struct dg_json json;
    struct dg_arena memory = {0};
    struct dg_error ignored = {0};
    bool note = finding->severity == DG_N_SEVERITIES - 1,
         nameless = !finding->node.data;
    bool path = !note && !nameless;
    size_t n = 0, most = path ? SIZE_MAX : NOTED;

    dg_json_begin(&json, finding->witness, "witness", &memory, &ignored);
    dg_json_array(&json);
    while (dg_json_item(&json)) {
        struct dg_text name = dg_json_string(&json);

        if (n++ >= most)
            continue;
        if (n == 1)
            dg_print(out, "  %s: ", path ? "path" : nameless ? "names" : "nodes");
        else
            dg_print(out, "%s", path ? " -> " : ", ");
        dg_write_plain(out, name);
    }
    if (n > most)
        dg_print(out, ", ... %zu more", n - most);
    if (n)
        dg_print(out, "\n");
    dg_json_end(&json);
    dg_arena_clear(&memory);
}

static void write_line(struct dg_writer *out, const char *label, struct dg_text text)
{
    if (!text.data)
        return;
    dg_print(out, "  %s: ", label);
    dg_write_plain(out, text);
    dg_write(out, "\n", 1);
}

/* With the first finding of a rule: why it matters, and what to do. */
static void write_advice(struct text *text, const char *id)
{
    uint32_t n = text->explained.n_texts;
    const struct dg_rule *rule;

    if (dg_text_set_add(&text->explained, dg_text(id)) < n)
        return;
    rule = dg_rule_find(id, text->report->user);
    if (rule && rule->reason)
        dg_print(text->out, "  why: %s\n", rule->reason);
    if (rule && rule->fix)
        dg_print(text->out, "  fix: %s\n", rule->fix);
}

static void write_finding(struct text *text, const struct dg_outcome_finding *finding)
{
    struct dg_writer *out = text->out;

    write_label(text, finding);
    dg_write(out, " ", 1);
    dg_write_plain(out, dg_finding_file(text->outcome, finding));
    dg_write(out, ":", 1);
    dg_write_place(out, finding);
    dg_write(out, " ", 1);
    dg_write_plain(out, finding->message);
    dg_write(out, "\n", 1);
    if (text->report->quiet)
        return;
    write_path(out, finding);
    write_line(out, "at", finding->source);
    if (finding->known)
        write_line(out, "known", finding->known->reason);
    write_advice(text, finding->rule);
}

static void write_timing(struct text *text)
{
    const struct dg_outcome *outcome = text->outcome;

    for (size_t i = 0; text->report->timing && i < outcome->n_rules; i++) {
        if (!outcome->rules[i].not_checked)
            dg_print(text->out, "  %9.3f ms  %s\n", outcome->rules[i].seconds * 1e3,
                     outcome->rules[i].id);
    }
}

/* How many rules there are is no news of a program: only where none applies, or -v. */
static void write_rules_run(struct text *text)
{
    const struct dg_outcome *outcome = text->outcome;
    struct dg_writer *out = text->out;
    size_t run = dg_outcome_rules_run(outcome);

    if (!text->report->verbose) {
        dg_print(out, "%s\n", run ? "" : "; no rule applies");
        return;
    }
    dg_print(out, "; %zu rule%s run, %zu do%s not apply\n", run, run == 1 ? "" : "s",
             outcome->n_rules - run, outcome->n_rules - run == 1 ? "es" : "");
    for (size_t i = 0; i < outcome->n_rules; i++) {
        const struct dg_rule_met *rule = &outcome->rules[i];

        if (!rule->not_checked)
            continue;
        dg_print(out, "  not checked: %s: ", rule->id);
        dg_write_plain(out, dg_text(rule->not_checked));
        dg_print(out, "\n");
    }
}

/* Where `rules` finds one that a user wrote. */
static void write_folder(struct dg_writer *out, const struct dg_rule *rule)
{
    struct dg_arena memory = {0};

    if (rule && rule->source)
        dg_print(out, " --rules %s",
                 dg_shell_path(&memory, dg_text(rule->source->folder)).data);
    dg_arena_clear(&memory);
}

static void write_help(struct text *text, const char *id)
{
    dg_print(text->out, "help: delegraph rules %s", id);
    write_folder(text->out, dg_rule_find(id, text->report->user));
    dg_print(text->out, "\n");
}

/* What the runs of its methods gave. */
static void write_runs(struct text *text)
{
    const struct dg_outcome *outcome = text->outcome;

    for (size_t i = 0; i < outcome->n_runs; i++) {
        dg_write_plain(text->out, dg_text(outcome->path));
        dg_print(text->out, ": numerics: ");
        dg_write_plain(text->out, outcome->runs[i].sentence);
        dg_write(text->out, "\n", 1);
    }
}

static void write_summary(struct text *text)
{
    const struct dg_outcome *outcome = text->outcome;

    if (text->report->quiet)
        return;
    for (size_t i = outcome->n_findings; i-- > 0;) {
        if (outcome->findings[i].known)
            continue;
        write_help(text, outcome->findings[i].rule);
        break;
    }
    write_runs(text);
    dg_write_plain(text->out, dg_text(outcome->path));
    dg_print(text->out, ": ");
    dg_write_counts(text->out, outcome->counts, outcome->n_known);
    dg_write_text(text->out, outcome->weights);
    write_rules_run(text);
    write_timing(text);
}

static void write_outcome(struct dg_writer *out, const struct dg_gate_report *report,
                          const struct dg_outcome *outcome)
{
    struct text text = {.out = out, .report = report, .outcome = outcome};

    for (size_t i = 0; i < outcome->n_findings; i++) {
        if (!outcome->findings[i].known || report->verbose)
            write_finding(&text, &outcome->findings[i]);
    }
    write_summary(&text);
    dg_text_set_clear(&text.explained);
}

/* Of several programs; it says whether the gate fails, as the exit code does. */
static void write_total(struct dg_writer *out, const struct dg_gate_report *report)
{
    if (report->n_outcomes < 2 || report->quiet)
        return;
    dg_print(out, "%zu programs: ", report->n_outcomes);
    dg_write_counts(out, report->totals, report->n_known);
    if (report->n_troubles)
        dg_print(out, ", %zu could not be read", report->n_troubles);
    dg_print(out, ": %s\n", report->failed ? "FAIL" : "PASS");
}

static void write(struct dg_writer *out, const struct dg_gate_report *report)
{
    for (size_t i = 0; i < report->n_outcomes; i++) {
        if (!report->outcomes[i].trouble)
            write_outcome(out, report, &report->outcomes[i]);
    }
    write_total(out, report);
    if (report->policy && !report->quiet) {
        dg_print(out, "policy: ");
        dg_write_plain(out, dg_text(report->policy));
        dg_print(out, "\n");
    }
}

const struct dg_gate_format dg_gate_format_text = {.name = "text", .write = write};
