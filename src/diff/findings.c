/* Findings that are new, and those that are gone. */
#include <stdlib.h>

#include "base/text.h"
#include "diff/finders.h"
#include "diff/waiting.h"

struct found {
    struct dg_text method, rule, severity, message, key; /* key: fingerprint */
    uint32_t node; /* of the model; DG_DIFF_ALONE: it is of none */
    bool matched;
};

struct findings {
    struct found *items;
    size_t n_items;
};

static enum dg_status read_findings(struct findings *findings,
                                    struct dg_diffing *diffing, int side,
                                    struct dg_error *err)
{
    struct dg_arena *memory = &diffing->memory;
    struct dg_rows rows =
        dg_rows_all(diffing->programs[side].store,
                    "SELECT method.name, rule, severity, message, fingerprint, node_id"
                    "  FROM finding LEFT JOIN method ON method.id = method_id"
                    " ORDER BY finding.id",
                    err);

    while (dg_rows_next(&rows)) {
        int64_t node = dg_rows_int_or(&rows, 5, 0);
        bool known = node > 0 && node <= diffing->sides[side].n_nodes;

        *DG_APPEND(findings->items, findings->n_items) = (struct found){
            .method = dg_rows_keep(memory, &rows, 0),
            .rule = dg_rows_keep(memory, &rows, 1),
            .severity = dg_rows_keep(memory, &rows, 2),
            .message = dg_rows_keep(memory, &rows, 3),
            .key = dg_rows_keep(memory, &rows, 4),
            .node = known ? (uint32_t)node - 1 : DG_DIFF_ALONE,
        };
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* A node that got another number has findings with other fingerprints: then it is the
 * rule, and the node by its number on the new side. */
static bool key_of(struct dg_writer *out, const struct dg_diffing *diffing,
                   const struct found *found, int side, bool by_node)
{
    uint32_t node = found->node;

    out->size = 0;
    if (!by_node) {
        dg_write_text(out, found->key);
        return true;
    }
    if (node != DG_DIFF_ALONE && !side)
        node = diffing->alignment.others[0][node];
    dg_write_text(out, found->rule);
    dg_print(out, " %u", node);
    return node != DG_DIFF_ALONE;
}

/* Several of one rule may be of one node: as many as are on both sides are pairs. */
static void pair(struct dg_diffing *diffing, struct findings findings[2], bool by_node)
{
    struct dg_diff_waiting waiting = {0};
    struct dg_writer key = {0};

    for (size_t i = findings[1].n_items; i--;) {
        struct found *new = &findings[1].items[i];

        if (!new->matched && key_of(&key, diffing, new, 1, by_node))
            dg_diff_wait(&waiting, i, dg_written(&key));
    }
    for (size_t i = 0; i < findings[0].n_items; i++) {
        struct found *old = &findings[0].items[i];
        size_t taken = 0;

        if (!old->matched && key_of(&key, diffing, old, 0, by_node))
            taken = dg_diff_take(&waiting, dg_written(&key));
        if (taken)
            old->matched = findings[1].items[taken - 1].matched = true;
    }
    dg_writer_clear(&key);
    dg_diff_waiting_clear(&waiting);
}

static void add_alone(struct dg_diffing *diffing, const struct found *found, int side)
{
    struct dg_difference difference = {.kind = DG_DIFF_FINDING,
                                       .change = side ? DG_DIFF_ADDED : DG_DIFF_REMOVED,
                                       .class = DG_DIFF_FINDINGS,
                                       .method = found->method,
                                       .what = found->rule,
                                       .note = found->severity};

    if (found->node != DG_DIFF_ALONE)
        difference.name = diffing->sides[side].names->items[found->node];
    *(side ? &difference.new : &difference.old) = found->message;
    dg_diff_add(diffing->diff, &difference);
}

enum dg_status dg_diff_findings(struct dg_diffing *diffing, struct dg_error *err)
{
    struct findings findings[2] = {0};
    enum dg_status status = DG_OK;

    if (!dg_diff_wants(diffing->diff, DG_DIFF_FINDINGS))
        return DG_OK;
    for (int s = 0; s < 2 && !status; s++)
        status = read_findings(&findings[s], diffing, s, err);
    if (!status) {
        pair(diffing, findings, false);
        pair(diffing, findings, true);
    }
    for (int s = 1; s >= 0 && !status; s--) {
        for (size_t i = 0; i < findings[s].n_items; i++) {
            if (!findings[s].items[i].matched)
                add_alone(diffing, &findings[s].items[i], s);
        }
    }
    free(findings[0].items);
    free(findings[1].items);
    return status;
}
