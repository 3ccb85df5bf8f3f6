/* What check found as SARIF 2.1.0 (OASIS), within what GitHub takes: 5,000 results are
 * shown of at most 25,000, 100 places of one. */
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "formats/json.h"
#include "gate/format.h"

enum { MOST_RESULTS = 5000, MOST_STEPS = 100, LONGEST = 4096 };

struct sarif {
    struct dg_json_writer json;
    const struct dg_gate_report *report;
    struct dg_text_set rules; /* that have results, in the order of their numbers */
    int64_t n_results, n_left_out;
};

static const char *const levels[] = {"error", "warning", "note"};

static void put_message(struct dg_json_writer *json, const char *key,
                        struct dg_text text)
{
    struct dg_writer plain = {0};

    dg_write_plain(&plain, text);
    dg_put_object(json, key);
    dg_put_text(json, "text", dg_cut(dg_written(&plain), LONGEST));
    dg_put_end(json);
    dg_writer_clear(&plain);
}

/* RFC 3986: what is neither unreserved nor a separator of folders is escaped. */
static void put_uri(struct dg_json_writer *json, const char *path)
{
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                               "0123456789-._~/";
    struct dg_writer uri = {0};

    dg_print(&uri, "%s", *path == '/' ? "file://" : "");
    while (!strncmp(path, "./", 2))
        path += 2 + strspn(path + 2, "/");
    for (const char *at = path; *at; at++)
        dg_print(&uri, strchr(kept, *at) ? "%c" : "%%%02X", (unsigned char)*at);
    dg_put_text(json, "uri", dg_written(&uri));
    dg_writer_clear(&uri);
}

static void put_physical(struct dg_json_writer *json, const char *file, int64_t line)
{
    dg_put_object(json, "physicalLocation");
    dg_put_object(json, "artifactLocation");
    put_uri(json, file);
    dg_put_end(json);
    dg_put_object(json, "region");
    dg_put_int(json, "startLine", line);
    dg_put_end(json);
    dg_put_end(json);
}

static void put_logical(struct dg_json_writer *json,
                        const struct dg_outcome_finding *finding)
{
    struct dg_text parts[] = {finding->method, finding->graph,
                              finding->node.data ? finding->node : finding->value};
    struct dg_writer full = {0}, name = {0};

    for (size_t i = 0; i < 3; i++) {
        if (!parts[i].size)
            continue;
        dg_print(&full, "%s", full.size ? "/" : "");
        dg_write_plain(&full, parts[i]);
        dg_writer_clear(&name);
        dg_write_plain(&name, parts[i]);
    }
    if (!full.size)
        return;
    dg_put_array(json, "logicalLocations");
    dg_put_object(json, NULL);
    dg_put_text(json, "name", dg_cut(dg_written(&name), LONGEST));
    dg_put_text(json, "fullyQualifiedName", dg_cut(dg_written(&full), LONGEST));
    dg_put_text(json, "kind",
                dg_text(finding->node.data    ? "function"
                        : finding->value.data ? "member"
                                              : "module"));
    dg_put_end(json);
    dg_put_end(json);
    dg_writer_clear(&full);
    dg_writer_clear(&name);
}

static void put_step(struct dg_json_writer *json, struct dg_source at,
                     struct dg_text name)
{
    dg_put_object(json, NULL);
    dg_put_object(json, "location");
    put_physical(json, at.file, at.line);
    put_message(json, "message", name);
    dg_put_end(json);
    dg_put_end(json);
}

/* The path that shows an offence. Names of a note are a list, no path. */
static void put_code_flow(struct dg_json_writer *json, struct dg_source at,
                          const struct dg_outcome_finding *finding)
{
    struct dg_json witness;
    struct dg_arena memory = {0};
    struct dg_error ignored = {0};
    int n = 0;

    dg_json_begin(&witness, finding->witness, "witness", &memory, &ignored);
    dg_json_array(&witness);
    while (dg_json_item(&witness)) {
        struct dg_text name = dg_json_string(&witness);

        if (n++ >= MOST_STEPS)
            continue;
        if (n == 1) {
            dg_put_array(json, "codeFlows");
            dg_put_object(json, NULL);
            dg_put_array(json, "threadFlows");
            dg_put_object(json, NULL);
            dg_put_array(json, "locations");
        }
        put_step(json, at, name);
    }
    dg_json_end(&witness);
    for (int i = 0; n && i < 5; i++)
        dg_put_end(json);
    dg_arena_clear(&memory);
}

/* GitHub takes results of one rule, line and hash for one. */
static void put_fingerprints(struct dg_json_writer *json,
                             const struct dg_outcome *outcome,
                             const struct dg_outcome_finding *finding)
{
    struct dg_writer first = {0};

    dg_put_object(json, "partialFingerprints");
    dg_write_identity(&first, outcome, finding);
    dg_print(&first, ":1");
    dg_put_text(json, "primaryLocationLineHash", dg_written(&first));
    dg_put_text(json, "delegraph/v1", finding->fingerprint);
    dg_put_end(json);
    dg_writer_clear(&first);
}

/* The program itself, where the place is a line of Python. */
static void put_related(struct dg_json_writer *json, const struct dg_outcome *outcome)
{
    dg_put_array(json, "relatedLocations");
    dg_put_object(json, NULL);
    put_physical(json, outcome->place, 1);
    put_message(json, "message", dg_text(outcome->path));
    dg_put_end(json);
    dg_put_end(json);
}

static void put_words(struct dg_json_writer *json, const struct dg_outcome *outcome,
                      const struct dg_outcome_finding *finding)
{
    struct dg_writer words = {0};

    if (finding->at.file && !finding->node.data) { /* of the policy */
        dg_write_plain(&words, dg_text(outcome->path));
        dg_print(&words, ": ");
    }
    dg_write_sentence(&words, finding);
    dg_print(&words, "%s", dg_finding_lineless(outcome, finding));
    put_message(json, "message", dg_written(&words));
    dg_writer_clear(&words);
}

static void put_result(struct sarif *sarif, const struct dg_outcome *outcome,
                       const struct dg_outcome_finding *finding)
{
    struct dg_json_writer *json = &sarif->json;
    struct dg_source at = dg_finding_source(outcome, finding);

    if (sarif->n_results == MOST_RESULTS) {
        sarif->n_left_out++;
        return;
    }
    sarif->n_results++;
    dg_put_line(json);
    dg_put_object(json, NULL);
    dg_put_text(json, "ruleId", dg_text(finding->rule));
    dg_put_int(json, "ruleIndex",
               dg_text_set_find(&sarif->rules, dg_text(finding->rule)));
    dg_put_text(json, "level", dg_text(levels[finding->severity]));
    put_words(json, outcome, finding);
    dg_put_array(json, "locations");
    dg_put_object(json, NULL);
    put_physical(json, at.file, at.line);
    put_logical(json, finding);
    dg_put_end(json);
    dg_put_end(json);
    if (finding->at.file)
        put_related(json, outcome);
    if (finding->severity < DG_N_SEVERITIES - 1)
        put_code_flow(json, at, finding);
    put_fingerprints(json, outcome, finding);
    dg_put_end(json);
}

/* Errors first. What is known is left out: GitHub has no word for it. */
static void put_results(struct sarif *sarif)
{
    const struct dg_gate_report *report = sarif->report;
    struct dg_finding_walk walk = {0};

    dg_put_array(&sarif->json, "results");
    while (dg_finding_next(&walk, report))
        put_result(sarif, &report->outcomes[walk.outcome],
                   &report->outcomes[walk.outcome].findings[walk.finding]);
    dg_put_end(&sarif->json);
}

static void put_rule(struct dg_json_writer *json, const char *id,
                     const struct dg_verifier *user)
{
    const struct dg_rule *rule = dg_rule_find(id, user);
    struct dg_writer help = {0};
    size_t family = 0;

    while (id[family] && id[family] != '/')
        family++;
    dg_put_line(json);
    dg_put_object(json, NULL);
    dg_put_text(json, "id", dg_text(id));
    if (rule) {
        put_message(json, "shortDescription", dg_text(rule->invariant));
        put_message(json, "fullDescription",
                    dg_text(rule->reason ? rule->reason : rule->invariant));
        dg_print(&help, "%s.", rule->invariant);
        if (rule->reason)
            dg_print(&help, " Otherwise: %s.", rule->reason);
        if (rule->fix)
            dg_print(&help, " To mend it: %s", rule->fix);
        put_message(json, "help", dg_written(&help));
        dg_put_object(json, "defaultConfiguration");
        dg_put_text(json, "level", dg_text(dg_severity_name(rule->severity)));
        dg_put_end(json);
    }
    dg_put_object(json, "properties");
    dg_put_array(json, "tags");
    dg_put_text(json, NULL, (struct dg_text){id, family});
    dg_put_end(json);
    dg_put_end(json);
    dg_put_end(json);
    dg_writer_clear(&help);
}

static void put_tool(struct sarif *sarif)
{
    struct dg_json_writer *json = &sarif->json;

    dg_put_object(json, "tool");
    dg_put_object(json, "driver");
    dg_put_text(json, "name", dg_text("delegraph"));
    dg_put_text(json, "semanticVersion", dg_text(sarif->report->version));
    dg_put_array(json, "rules");
    for (uint32_t i = 0; i < sarif->rules.n_texts; i++)
        put_rule(json, sarif->rules.texts[i].data, sarif->report->user);
    dg_put_end(json);
    dg_put_end(json);
    dg_put_end(json);
}

static void put_notification(struct dg_json_writer *json, const char *level,
                             const char *place, struct dg_text text)
{
    dg_put_object(json, NULL);
    dg_put_text(json, "level", dg_text(level));
    put_message(json, "message", text);
    if (place) {
        dg_put_array(json, "locations");
        dg_put_object(json, NULL);
        put_physical(json, place, 1);
        dg_put_end(json);
        dg_put_end(json);
    }
    dg_put_end(json);
}

/* What could not be read, and what was left out. */
static void put_invocation(struct sarif *sarif)
{
    struct dg_json_writer *json = &sarif->json;
    const struct dg_gate_report *report = sarif->report;
    char text[96];

    dg_put_array(json, "invocations");
    dg_put_object(json, NULL);
    dg_put_bool(json, "executionSuccessful", !report->n_troubles);
    dg_put_array(json, "toolExecutionNotifications");
    for (size_t i = 0; i < report->n_outcomes; i++) {
        const struct dg_outcome *outcome = &report->outcomes[i];

        if (outcome->trouble)
            put_notification(json, "error", outcome->place, dg_text(outcome->trouble));
    }
    snprintf(text, sizeof(text), "%lld more findings: %d are shown at most",
             (long long)sarif->n_left_out, MOST_RESULTS);
    if (sarif->n_left_out)
        put_notification(json, "warning", NULL, dg_text(text));
    dg_put_end(json);
    dg_put_end(json);
    dg_put_end(json);
}

static void number_rules(struct sarif *sarif)
{
    const struct dg_gate_report *report = sarif->report;

    for (size_t i = 0; i < report->n_outcomes; i++) {
        const struct dg_outcome *outcome = &report->outcomes[i];

        for (size_t k = 0; k < outcome->n_findings; k++) {
            if (!outcome->findings[k].known)
                dg_text_set_add(&sarif->rules, dg_text(outcome->findings[k].rule));
        }
    }
}

static void write(struct dg_writer *out, const struct dg_gate_report *report)
{
    struct sarif sarif = {.json = {.out = out}, .report = report};
    struct dg_json_writer *json = &sarif.json;

    number_rules(&sarif);
    dg_put_object(json, NULL);
    dg_put_text(json, "$schema",
                dg_text("https://json.schemastore.org/sarif-2.1.0.json"));
    dg_put_text(json, "version", dg_text("2.1.0"));
    dg_put_array(json, "runs");
    dg_put_object(json, NULL);
    put_tool(&sarif);
    dg_put_text(json, "columnKind", dg_text("unicodeCodePoints"));
    put_results(&sarif);
    put_invocation(&sarif);
    dg_put_end(json);
    dg_put_end(json);
    dg_put_end(json);
    dg_json_written(json);
    dg_print(out, "\n");
    dg_text_set_clear(&sarif.rules);
}

const struct dg_gate_format dg_gate_format_sarif = {
    .name = "sarif", .write = write, .lines = true, .always = true};
