/* Who runs what: shares of backends, delegates, the plan, and why calls stay out. */
#include "reports/sections/partitions_parts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "graph/coverage_sql.h"
#include "partition/partitioned.h"

#define METHODS "SELECT id FROM method WHERE artifact_id = ?1"

struct side {
    struct dg_text backend; /* data NULL: the host */
    int64_t calls, ops, flops, bytes, unknown_flops;
};

struct sides {
    struct side *items;
    size_t n_items;
    struct side all, delegated;
    bool called; /* instructions call delegates */
    bool opaque; /* what some of those compute is not known */
};

static void add_side(struct side *sum, const struct side *more)
{
    dg_add_to(&sum->ops, more->ops);
    dg_add_to(&sum->flops, more->flops);
    dg_add_to(&sum->bytes, more->bytes);
    dg_add_to(&sum->unknown_flops, more->unknown_flops);
}

static const char sides_sql[] =
    "SELECT backend, sum(ops), " DG_SQL_SUM("flops") ", " DG_SQL_SUM(
        "bytes") ","
                 " sum(unknown_flops), max(kind = 'delegate_call' AND"
                 " (unknown_flops > 0 OR bytes IS NULL)), sum(calls), max(kind = "
                 "'delegate_call')"
                 " FROM call_sum WHERE costed AND method_id IN (" METHODS ")"
                 " GROUP BY backend ORDER BY backend IS NULL, sum(calls) DESC, backend";

static enum dg_status load_sides(struct sides *sides, struct dg_page *page,
                                 const struct dg_report_input *input,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(input->store, sides_sql, input->artifact, err);

    while (dg_rows_next(&rows)) {
        struct side *side = DG_APPEND(sides->items, sides->n_items);

        if (!dg_rows_null(&rows, 0))
            side->backend = dg_text(dg_copy(&page->memory, dg_rows_slice(&rows, 0)));
        side->ops = dg_rows_int(&rows, 1);
        side->flops = dg_rows_int(&rows, 2);
        side->bytes = dg_rows_int(&rows, 3);
        side->unknown_flops = dg_rows_int(&rows, 4);
        sides->opaque |= dg_rows_int(&rows, 5) != 0;
        side->calls = dg_rows_int(&rows, 6);
        sides->called |= dg_rows_int(&rows, 7) != 0;
        add_side(&sides->all, side);
        if (side->backend.data)
            add_side(&sides->delegated, side);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void say_share(struct dg_page *page, const char *name, int64_t part,
                      int64_t whole, const char *(*words)(struct dg_page *, int64_t))
{
    if (whole > 0)
        dg_page_fact(page, dg_share(part, whole), name, "%.1f %% of %s",
                     100 * dg_share(part, whole), words(page, whole));
}

static const char *exactly(struct dg_page *page, int64_t count)
{
    return dg_format(&page->memory, "%lld", (long long)count).data;
}

static void say_sides(struct dg_page *page, const struct sides *sides)
{
    if (sides->opaque)
        return;
    say_share(page, "Ops delegated", sides->delegated.ops, sides->all.ops, exactly);
    say_share(page, "FLOPs delegated", sides->delegated.flops, sides->all.flops,
              dg_amount_count);
    say_share(page, "Memory traffic delegated", sides->delegated.bytes,
              sides->all.bytes, dg_amount_bytes);
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    if (sides->all.unknown_flops)
        dg_page_fact(page, -1, "Of unknown FLOPs", "%s",
                     dg_amount_of(page, sides->all.unknown_flops, "op", "ops"));
}

/* What the host of a .pte runs. */
static enum dg_status say_host(struct dg_page *page,
                               const struct dg_report_input *input,
                               struct dg_error *err)
{
    page->forms = DG_FORM_ALL;
    return dg_section_facts(
        page, input->store,
        DG_COVERAGE_OF("IN (" METHODS ")") "," DG_HOST_OF(
            "IN (" METHODS ")") " SELECT 'What runs', words, NULL FROM coverage, host",
        input->artifact, err);
}

/* Where what delegates compute is not known: the shares of the program that it was made
 * from, if that is given. */
static enum dg_status say_opaque(struct dg_page *page,
                                 const struct dg_report_input *input,
                                 struct dg_error *err)
{
    page->forms = DG_FORM_ALL;
    return dg_section_facts(
        page, input->store,
        DG_PROGRAM_SHARE_OF("IN (" METHODS
                            ")") " SELECT what || ' delegated', percent || ' of ' "
                                 "|| whole, share FROM"
                                 " shares",
        input->artifact, err);
}

static void list_sides(struct dg_page *page, const struct sides *sides)
{
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    dg_page_table(page, "backends", "Who runs what");
    dg_table_column(page, "Backend", DG_CELL_CODE);
    dg_table_column(page, sides->opaque ? "Calls" : "Ops", DG_CELL_COUNT);
    if (!sides->opaque) {
        dg_table_column(page, "Of ops", DG_CELL_PERCENT);
        dg_table_column(page, "FLOPs", DG_CELL_COUNT);
        dg_table_column(page, "Of FLOPs", DG_CELL_PERCENT);
        dg_table_column(page, "Traffic", DG_CELL_BYTES);
    }
    for (size_t i = 0; i < sides->n_items; i++) {
        const struct side *side = &sides->items[i];

        dg_table_text(page, side->backend.data ? side->backend : dg_text("(host)"));
        dg_table_number(page, (double)(sides->opaque ? side->calls : side->ops));
        if (sides->opaque)
            continue;
        dg_table_share(page, side->ops, sides->all.ops);
        dg_table_number(page, (double)side->flops);
        dg_table_share(page, side->flops, sides->all.flops);
        dg_table_number(page, (double)side->bytes);
    }
}

static enum dg_status draw(struct dg_page *page, const struct dg_report_input *input,
                           struct dg_error *err)
{
    page->forms = DG_FORM_HTML;
    return dg_section_picture(page, input, "partitions-picture",
                              "Partitions, and what crosses their borders",
                              &dg_view_partitions, &(struct dg_view_options){0}, err);
}

struct counts {
    int64_t plans, delegates, methods, exported; /* exported: methods of a .pt2 */
    int64_t aten; /* methods that lowering will change before a partitioner sees them */
};

/* AOTInductor's partitioner keeps ATen operators; others see the edge program alone. */
static void warn_of_aten(struct dg_page *page, const struct counts *counts)
{
    if (!counts->aten || counts->delegates)
        return;
    dg_page_say(page, DG_TONE_NOTE, "This is %s.", DG_ATEN_CAVEAT);
}

/* Nothing is delegated, and no plan says that anything will be. Only exported programs
 * can be partitioned. */
static void say_nothing(struct dg_page *page, const struct dg_report_input *input,
                        const struct counts *counts)
{
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    if (!counts->exported) {
        dg_page_say(page, DG_TONE_NOTE,
                    "No delegate runs any of it: the host runs every call.");
        return;
    }
    dg_page_say(
        page, DG_TONE_NOTE,
        "No delegate runs any of it, and no plan was given (--plan). To see what "
        "a backend would take, and what keeps the rest on the host:");
    dg_page_command(page, "delegraph explain %s --backend xnnpack", input->path);
    dg_page_command(page, "delegraph partition %s --backend xnnpack", input->path);
    warn_of_aten(page, counts);
}

static enum dg_status count(struct counts *counts, const struct dg_report_input *input,
                            struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        input->store,
        "SELECT (SELECT count(*) FROM part_run WHERE artifact_id = ?1),"
        " (SELECT count(*) FROM delegate WHERE method_id IN"
        "   (SELECT id FROM method WHERE artifact_id = ?1)),"
        " count(*), count(nullif(ir, 'pte')), count(nullif(ir = 'aten' AND"
        "  (NOT EXISTS (SELECT 1 FROM part_run WHERE artifact_id = ?1)"
        "   OR EXISTS (SELECT 1 FROM partition WHERE part_run_id = (SELECT max(id)"
        "    FROM part_run WHERE artifact_id = ?1)"
        "     AND backend NOT IN ('CudaBackend', 'MetalBackend'))), 0))"
        "  FROM method WHERE artifact_id = ?1",
        input->artifact, err);

    if (dg_rows_next(&rows))
        *counts = (struct counts){dg_rows_int(&rows, 0), dg_rows_int(&rows, 1),
                                  dg_rows_int(&rows, 2), dg_rows_int(&rows, 3),
                                  dg_rows_int(&rows, 4)};
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status show_sides(struct dg_page *page,
                                 const struct dg_report_input *input,
                                 struct dg_error *err)
{
    struct sides sides = {0};
    enum dg_status status = load_sides(&sides, page, input, err);

    if (!status && sides.called)
        status = say_host(page, input, err);
    if (!status && sides.opaque)
        status = say_opaque(page, input, err);
    if (!status && sides.all.ops) {
        say_sides(page, &sides);
        list_sides(page, &sides);
    }
    free(sides.items);
    return status;
}

static enum dg_status show(struct dg_page *page, const struct dg_report_input *input,
                           struct dg_error *err)
{
    struct counts counts = {0};
    enum dg_status status = count(&counts, input, err);

    if (!status && !counts.methods) /* a .ptd: data, and nothing that runs */
        return DG_OK;
    if (!status && !counts.plans && !counts.delegates) {
        say_nothing(page, input, &counts);
        return DG_OK;
    }
    page->forms = DG_FORM_ALL;
    if (!status)
        warn_of_aten(page, &counts);
    if (!status)
        status = show_sides(page, input, err);
    if (!status)
        status = draw(page, input, err);
    if (!status && counts.plans)
        status = dg_partitions_plan(page, input, err);
    if (!status && counts.delegates)
        status = dg_partitions_delegates(page, input, err);
    /* A plan changes what the host runs between delegates. */
    if (!status && counts.delegates && !counts.plans)
        status = dg_section_rows(page, input, "breaks", input->artifact, NULL, err);
    return status;
}

/* The last that reads nodes as partitioners do: pictures need the memory. */
static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    enum dg_status status = show(page, input, err);

    dg_partitioned_drop(input->store);
    return status;
}

const struct dg_section dg_section_partitions = {
    .id = "partitions",
    .title = "Partitions",
    .write = write,
};
