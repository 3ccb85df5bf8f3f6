/* What check found as a code quality report of GitLab. */
#include "base/json_writer.h"
#include "gate/format.h"

static const char *const severities[] = {"critical", "minor", "info"};

static void put_issue(struct dg_json_writer *json, struct dg_source at,
                      const char *rule, const char *severity, struct dg_text words,
                      struct dg_text fingerprint)
{
    dg_put_line(json);
    dg_put_object(json, NULL);
    dg_put_text(json, "description", words);
    dg_put_text(json, "check_name", dg_text(rule));
    dg_put_text(json, "fingerprint", fingerprint);
    dg_put_text(json, "severity", dg_text(severity));
    dg_put_object(json, "location");
    dg_put_text(json, "path", dg_text(at.file));
    dg_put_object(json, "lines");
    dg_put_int(json, "begin", at.line);
    dg_put_end(json);
    dg_put_end(json);
    dg_put_end(json);
}

static void put_finding(struct dg_json_writer *json, const struct dg_outcome *outcome,
                        const struct dg_outcome_finding *finding)
{
    struct dg_writer words = {0}, identity = {0};

    dg_write_identity(&identity, outcome, finding);
    dg_write_plain(&words, dg_finding_file(outcome, finding));
    dg_print(&words, ": ");
    dg_write_sentence(&words, finding);
    dg_print(&words, "%s", dg_finding_lineless(outcome, finding));
    put_issue(json, dg_finding_source(outcome, finding), finding->rule,
              severities[finding->severity], dg_written(&words), dg_written(&identity));
    dg_writer_clear(&words);
    dg_writer_clear(&identity);
}

static void put_trouble(struct dg_json_writer *json, const struct dg_outcome *outcome)
{
    static const struct dg_outcome_finding none = {.rule = "cannot be checked"};
    struct dg_writer words = {0}, identity = {0};

    dg_write_identity(&identity, outcome, &none);
    dg_write_plain(&words, dg_text(outcome->path));
    dg_print(&words, ": ");
    dg_write_plain(&words, dg_text(outcome->trouble));
    put_issue(json, (struct dg_source){outcome->place, 1}, none.rule, "blocker",
              dg_written(&words), dg_written(&identity));
    dg_writer_clear(&words);
    dg_writer_clear(&identity);
}

static void write(struct dg_writer *out, const struct dg_gate_report *report)
{
    struct dg_json_writer json = {.out = out};
    struct dg_finding_walk walk = {0};

    dg_put_array(&json, NULL);
    for (size_t i = 0; i < report->n_outcomes; i++) {
        if (report->outcomes[i].trouble)
            put_trouble(&json, &report->outcomes[i]);
    }
    while (dg_finding_next(&walk, report))
        put_finding(&json, &report->outcomes[walk.outcome],
                    &report->outcomes[walk.outcome].findings[walk.finding]);
    dg_print(out, "\n");
    dg_put_end(&json);
    dg_json_written(&json);
    dg_print(out, "\n");
}

const struct dg_gate_format dg_gate_format_gitlab = {
    .name = "gitlab", .write = write, .lines = true, .always = true};
