/* The formats of check, and what several of them write. */
#include "gate/format.h"

#include <inttypes.h>

#include "base/hash.h"

const struct dg_gate_format *const dg_gate_formats[] = {
#define FORMAT(name) &dg_gate_format_##name,
#include "gate/list.h"
#undef FORMAT
    NULL,
};

const struct dg_gate_format *dg_gate_format_find(struct dg_text name)
{
    const struct dg_gate_format *const *format = dg_gate_formats;

    while (*format && !dg_text_is(name, (*format)->name))
        format++;
    return *format;
}

void dg_write_counts(struct dg_writer *out, const int64_t counts[DG_N_SEVERITIES],
                     int64_t n_known)
{
    for (int i = 0; i < DG_N_SEVERITIES; i++)
        dg_print(out, "%s%" PRId64 " %s%s", i ? ", " : "", counts[i], dg_severities[i],
                 counts[i] == 1 ? "" : "s");
    if (n_known)
        dg_print(out, ", %" PRId64 " known", n_known);
}

void dg_write_sentence(struct dg_writer *out, const struct dg_outcome_finding *finding)
{
    struct dg_writer place = {0};

    dg_write_place(&place, finding);
    if (place.size) { /* it begins with a blank */
        dg_write(out, place.data + 1, place.size - 1);
        dg_write(out, " ", 1);
    }
    dg_write_plain(out, finding->message);
    dg_writer_clear(&place);
}

void dg_write_identity(struct dg_writer *out, const struct dg_outcome *outcome,
                       const struct dg_outcome_finding *finding)
{
    struct dg_writer identity = {0};

    dg_print(&identity, "%s\x1f", finding->rule);
    dg_write_text(&identity, finding->companion.data ? finding->companion
                                                     : dg_text(outcome->place));
    dg_write(&identity, "\x1f", 1);
    dg_write_text(&identity, finding->fingerprint);
    dg_print(out, "%016llx", (unsigned long long)dg_xxh3_64(dg_written(&identity)));
    dg_writer_clear(&identity);
}

static bool step(struct dg_finding_walk *walk, const struct dg_gate_report *report)
{
    if (walk->begun)
        walk->finding++;
    walk->begun = true;
    for (; walk->severity < DG_N_SEVERITIES; walk->severity++, walk->outcome = 0) {
        for (; walk->outcome < report->n_outcomes; walk->outcome++, walk->finding = 0)
            if (walk->finding < report->outcomes[walk->outcome].n_findings)
                return true;
    }
    return false;
}

bool dg_finding_next(struct dg_finding_walk *walk, const struct dg_gate_report *report)
{
    while (step(walk, report)) {
        const struct dg_outcome_finding *finding =
            &report->outcomes[walk->outcome].findings[walk->finding];

        if (!finding->known && finding->severity == walk->severity)
            return true;
    }
    return false;
}
