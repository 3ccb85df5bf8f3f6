/* A baseline held to what was found: what is known, what expired, what is gone. */
#include "gate/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "gate/day.h"

void dg_baseline_key(struct dg_writer *out, struct dg_text program,
                     struct dg_text fingerprint)
{
    dg_write_text(out, program);
    dg_write(out, "\x1f", 1);
    dg_write_text(out, fingerprint);
}

struct dg_baseline_entry *dg_baseline_find(const struct dg_baseline *baseline,
                                           const char *program,
                                           struct dg_text fingerprint)
{
    struct dg_writer key = {0};
    uint32_t number;

    dg_baseline_key(&key, dg_text(program), fingerprint);
    number = dg_text_set_find(&baseline->numbers, dg_written(&key));
    dg_writer_clear(&key);
    return number == DG_NO_TEXT ? NULL : &baseline->entries[number];
}

struct dg_baseline_entry *dg_baseline_add(struct dg_baseline *baseline,
                                          const char *program,
                                          const struct dg_outcome_finding *finding)
{
    struct dg_arena *memory = &baseline->memory;
    struct dg_baseline_entry *entry = DG_APPEND(baseline->entries, baseline->n_entries);
    struct dg_writer key = {0};

    entry->program = dg_copy_text(memory, dg_text(program));
    entry->fingerprint = dg_copy_text(memory, finding->fingerprint);
    entry->rule = dg_copy_text(memory, dg_text(finding->rule));
    entry->where = dg_finding_where(memory, finding);
    entry->severity = finding->severity;
    entry->used = true;
    dg_baseline_key(&key, entry->program, entry->fingerprint);
    dg_text_set_add(&baseline->numbers, dg_keep(memory, &key));
    return entry;
}

bool dg_baseline_takes(const struct dg_outcome_finding *finding)
{
    static const char *const never[] = {"budget/", "numerics/", "baseline/", "policy/"};
    bool takes = finding->fingerprint.data != NULL;

    for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
        takes = takes && strncmp(finding->rule, never[i], strlen(never[i])) != 0;
    return takes;
}

static void find_fault(struct dg_baseline *baseline, struct dg_outcome *outcome,
                       const char *rule, const struct dg_baseline_entry *entry,
                       struct dg_writer *message)
{
    dg_outcome_add_fault(outcome, rule, entry->fingerprint,
                         dg_keep(&baseline->memory, message), &baseline->memory);
}

static void find_expired(struct dg_baseline *baseline, struct dg_outcome *outcome,
                         const struct dg_baseline_entry *entry)
{
    static const char rule[] = "baseline/expired";
    struct dg_writer message = {0};

    dg_print(&message, "%s at ", entry->rule.data);
    dg_write_text(&message, entry->where.size ? entry->where : dg_text("the program"));
    dg_print(&message, " was known until %s", entry->known.expires.data);
    if (entry->known.owner.size) {
        dg_print(&message, " (owner: ");
        dg_write_text(&message, entry->known.owner);
        dg_print(&message, ")");
    }
    dg_print(&message, "; it counts again");
    find_fault(baseline, outcome, rule, entry, &message);
}

static void find_unused(struct dg_baseline *baseline, struct dg_outcome *outcome,
                        const struct dg_baseline_entry *entry)
{
    struct dg_writer message = {0};

    dg_print(&message, "%s is no longer found at ", entry->rule.data);
    dg_write_text(&message, entry->where.size ? entry->where : dg_text("the program"));
    find_fault(baseline, outcome, "baseline/unused", entry, &message);
}

static void apply_to(struct dg_baseline *baseline, struct dg_outcome *outcome,
                     const char *day, bool tell_expired)
{
    size_t n = outcome->n_findings; /* those that are added here are not asked about */

    for (size_t i = 0; i < n; i++) {
        struct dg_outcome_finding *finding = &outcome->findings[i];
        struct dg_baseline_entry *entry =
            dg_baseline_takes(finding)
                ? dg_baseline_find(baseline, outcome->entry, finding->fingerprint)
                : NULL;

        if (!entry)
            continue;
        entry->used = true;
        if (finding->severity < entry->severity)
            continue;
        if (!dg_has_passed(entry->known.expires, day))
            finding->known = &entry->known;
        else if (tell_expired)
            find_expired(baseline, outcome, entry);
    }
}

/* What the rules of a program said: all of it, or what was left for want of room. */
struct spoken {
    struct dg_text_set rules; /* that ran */
    int64_t *n_findings;      /* of each */
};

static void read_spoken(struct spoken *spoken, const struct dg_outcome *outcome)
{
    spoken->n_findings = dg_zeroed(outcome->n_rules + 1, sizeof(*spoken->n_findings));
    for (size_t i = 0; i < outcome->n_rules; i++) {
        if (!outcome->rules[i].not_checked)
            dg_text_set_add(&spoken->rules, dg_text(outcome->rules[i].id));
    }
    for (size_t i = 0; i < outcome->n_findings; i++) {
        uint32_t rule =
            dg_text_set_find(&spoken->rules, dg_text(outcome->findings[i].rule));

        if (rule != DG_NO_TEXT)
            spoken->n_findings[rule]++;
    }
}

/* Whether its silence means something: it ran, and said all that it found. */
static bool has_spoken(const struct spoken *spoken, struct dg_text rule)
{
    uint32_t number = dg_text_set_find(&spoken->rules, rule);

    return number != DG_NO_TEXT && spoken->n_findings[number] < DG_MOST_FINDINGS;
}

/* What is checked once, by its name in the baseline. */
struct checked {
    struct dg_text_set programs;
    struct dg_outcome **outcomes;
    struct spoken *spoken;
};

static void read_checked(struct checked *checked, struct dg_outcome *outcomes,
                         size_t n_outcomes)
{
    checked->outcomes = dg_zeroed(n_outcomes, sizeof(struct dg_outcome *));
    checked->spoken = dg_zeroed(n_outcomes, sizeof(*checked->spoken));
    for (size_t i = 0; i < n_outcomes; i++) {
        uint32_t n = checked->programs.n_texts;

        if (!outcomes[i].entry ||
            dg_text_set_add(&checked->programs, dg_text(outcomes[i].entry)) < n)
            continue;
        checked->outcomes[n] = &outcomes[i];
        read_spoken(&checked->spoken[n], &outcomes[i]);
    }
}

static void clear_checked(struct checked *checked)
{
    for (uint32_t i = 0; i < checked->programs.n_texts; i++) {
        dg_text_set_clear(&checked->spoken[i].rules);
        free(checked->spoken[i].n_findings);
    }
    free(checked->outcomes);
    free(checked->spoken);
    dg_text_set_clear(&checked->programs);
}

/* Entries of programs that were not checked, and of rules that this build does not
 * have, wait for another run. */
static void find_gone(struct dg_baseline *baseline, struct dg_outcome *outcomes,
                      size_t n_outcomes, bool tell_unused)
{
    struct checked checked = {0};

    read_checked(&checked, outcomes, n_outcomes);
    for (size_t i = 0; i < baseline->n_entries; i++) {
        struct dg_baseline_entry *entry = &baseline->entries[i];
        uint32_t number = dg_text_set_find(&checked.programs, entry->program);

        if (entry->used || number == DG_NO_TEXT ||
            !has_spoken(&checked.spoken[number], entry->rule))
            continue;
        entry->gone = true;
        if (tell_unused)
            find_unused(baseline, checked.outcomes[number], entry);
    }
    clear_checked(&checked);
}

void dg_baseline_apply(struct dg_baseline *baseline, struct dg_outcome *outcomes,
                       size_t n_outcomes, const struct dg_selection *selection)
{
    char day[DG_DAY_SIZE];

    dg_today(day);
    for (size_t i = 0; i < n_outcomes; i++) {
        if (outcomes[i].entry)
            apply_to(baseline, &outcomes[i], day,
                     dg_selects(selection, "baseline/expired"));
    }
    find_gone(baseline, outcomes, n_outcomes, dg_selects(selection, "baseline/unused"));
    for (size_t i = 0; i < n_outcomes; i++)
        dg_outcome_count(&outcomes[i]);
}
