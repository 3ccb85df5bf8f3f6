/* Sections of reports as text that tests can compare. */
#include "unit/section_case.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "graph/call_sums.h"
#include "graph/cost.h"

struct dg_report_input section_input = {.plan_options = "",
                                        .finding_options = "",
                                        .gate_options = "",
                                        .data_options = "",
                                        .artifact = 1,
                                        .path = "a.file"};

static void dump_cells(struct dg_writer *out, const struct dg_sheet *sheet)
{
    for (size_t i = 0; i < sheet->n_columns; i++)
        dg_print(out, "%s%s", i ? " | " : " ", sheet->columns[i].name.data);
    for (size_t i = 0; i < sheet->n_cells; i++) {
        const struct dg_cell *cell = &sheet->cells[i];

        dg_print(out, i % sheet->n_columns ? " | " : "\n  ");
        if (cell->none)
            dg_print(out, "-");
        else if (cell->text.data)
            dg_write_text(out, cell->text);
        else
            dg_print(out, "%.6g", cell->number);
    }
    if (sheet->n_left_out)
        dg_print(out, "\n  and %zu more: %s", sheet->n_left_out, sheet->more.data);
    dg_print(out, "\n");
}

static void dump_chart(struct dg_writer *out, const struct dg_chart *chart)
{
    dg_print(out, " steps %zu, peak %zu, limit %g\n", chart->n_steps, chart->peak,
             chart->limit);
    for (size_t i = 0; i < chart->n_series; i++) {
        dg_print(out, "  %s:", chart->series[i].name.data);
        for (size_t step = 0; step < chart->n_steps; step++)
            dg_print(out, " %g", dg_series_at(&chart->series[i], step));
        dg_print(out, "\n");
    }
}

static void dump_areas(struct dg_writer *out, const struct dg_block *block)
{
    dg_print(out, "\n");
    for (size_t i = 0; i < block->n_areas; i++) {
        const struct dg_area *area = &block->areas[i];

        dg_print(out, "  ");
        for (size_t at = area->parent; at != SIZE_MAX; at = block->areas[at].parent)
            dg_print(out, "  ");
        dg_write_text(out, area->name);
        dg_print(out, " %lld\n", (long long)area->bytes);
    }
}

static void dump_facts(struct dg_writer *out, const struct dg_block *block)
{
    for (size_t i = 0; i < block->n_facts; i++) {
        const struct dg_fact *fact = &block->facts[i];

        dg_print(out, "fact %s = %s", fact->name.data, fact->value.data);
        if (fact->share >= 0)
            dg_print(out, " [%.3g %%]", 100 * fact->share);
        dg_print(out, "\n");
    }
}

static void dump_block(struct dg_writer *out, const struct dg_block *block)
{
    const char *id = block->id.data ? block->id.data : "-";

    switch (block->kind) {
    case DG_BLOCK_TEXT:
        dg_print(out, "say %s\n", block->text.data);
        break;
    case DG_BLOCK_COMMAND:
        dg_print(out, "$ %s\n", block->text.data);
        break;
    case DG_BLOCK_FACTS:
        dump_facts(out, block);
        break;
    case DG_BLOCK_TABLE:
        dg_print(out, "table %s:", id);
        dump_cells(out, &block->sheet);
        break;
    case DG_BLOCK_CHART:
        dg_print(out, "chart %s:", id);
        dump_chart(out, &block->chart);
        break;
    case DG_BLOCK_TREEMAP:
    case DG_BLOCK_TREE:
        dg_print(out, "%s %s:", block->kind == DG_BLOCK_TREE ? "tree" : "map", id);
        dump_areas(out, block);
        break;
    case DG_BLOCK_HEADING:
        dg_print(out, "heading %s: %s\n", id, block->title.data);
        break;
    case DG_BLOCK_DATA:
        dg_print(out, "data %s: %s\n", id, block->text.data);
        break;
    case DG_BLOCK_OPEN:
        dg_print(out, "open %s\n", block->title.data);
        break;
    case DG_BLOCK_CLOSE:
        dg_print(out, "close\n");
        break;
    default:
        break;
    }
}

static void dump(struct dg_writer *out, const struct dg_section *section,
                 enum dg_form form)
{
    struct dg_report_input input = section_input;
    struct dg_page page = {.forms = DG_FORM_ALL};
    enum dg_status status;

    input.store = rules_store;
    ck_assert(!dg_store_add_views(rules_store, &rules_err));
    ck_assert(!dg_call_sums_store(rules_store, &rules_err));
    ck_assert(!dg_costs_store(rules_store, &rules_err));
    status = dg_section_write(&page, section, &input, &rules_err);
    ck_assert_msg(!status, "%s", rules_err.text);
    for (size_t i = 0; i < page.n_blocks; i++)
        if (page.blocks[i].forms & (unsigned)form)
            dump_block(out, &page.blocks[i]);
    dg_page_clear(&page);
}

void expect_section(const struct dg_section *section, enum dg_form form,
                    const char *want)
{
    struct dg_writer got = {0};

    dump(&got, section, form);
    ck_assert_str_eq(got.data ? got.data : "", want);
    dg_writer_clear(&got);
}

static void look(const struct dg_section *section, enum dg_form form, const char *text,
                 bool wanted)
{
    struct dg_writer got = {0};

    dump(&got, section, form);
    ck_assert_msg((strstr(got.data ? got.data : "", text) != NULL) == wanted,
                  "%s\n  is%s wanted in:\n%s", text, wanted ? "" : " not",
                  got.data ? got.data : "");
    dg_writer_clear(&got);
}

void expect_in_section(const struct dg_section *section, enum dg_form form,
                       const char *want)
{
    look(section, form, want, true);
}

void expect_not_in_section(const struct dg_section *section, enum dg_form form,
                           const char *unwanted)
{
    look(section, form, unwanted, false);
}
