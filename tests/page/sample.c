/* Print a page that has every kind of block, with texts that try to break out. */
#include <stdio.h>

#include "reports/page/page.h"

#define HOSTILE                                                                        \
    "</script><script>alert(1)</script><!-- ]]> & \"'` \x01\x1b[31m \xff \u202E"

static void add_facts(struct dg_page *page)
{
    dg_page_section(page, "verdict", "Verdict");
    dg_page_say(page, DG_TONE_BAD, "FAIL: 2 errors, 1 warning. The worst: #finding-7");
    dg_page_fact(page, -1, "Nodes", "%d", 12345);
    dg_page_fact(page, 0.37, "Delegated", "37 %% of FLOPs");
    dg_page_fact(page, 2, HOSTILE, "%s", HOSTILE);
    dg_page_say(page, DG_TONE_WARN, "%s", HOSTILE);
    dg_page_say(page, DG_TONE_NOTE, "A note\nof two lines, with #nothing behind it.");
    dg_page_command(page, "delegraph check '%s'", HOSTILE);
}

static void add_tables(struct dg_page *page)
{
    static const char *const words[] = {"error", "warning", "note", "pass", "skip"};
    static const enum dg_cell_kind kinds[] = {
        DG_CELL_FINDING, DG_CELL_SEVERITY, DG_CELL_CODE, DG_CELL_NODE, DG_CELL_BYTES,
        DG_CELL_PERCENT, DG_CELL_COUNT,    DG_CELL_REAL, DG_CELL_TEXT};
    static const char *const names[] = {"Finding", "Severity", "Rule", "Node", "Size",
                                        "Share",   "Calls",    "SNR",  HOSTILE};

    dg_page_section(page, "findings", "Findings");
    dg_page_table(page, "finding-table", "Findings " HOSTILE);
    for (size_t i = 0; i < 9; i++)
        dg_table_column(page, names[i], kinds[i]);
    for (int i = 0; i < 12; i++) {
        dg_table_number(page, i);
        dg_table_text(page, dg_text(words[i % 5]));
        dg_table_text(page, dg_text("partition.convex"));
        dg_table_text(page, i == 3 ? dg_text(HOSTILE) : dg_text("relu_1"));
        dg_table_number(page, i * 1e6 / 7);
        dg_table_number(page, i * 100 / 12.0);
        dg_table_number(page, (i * 7919) % 12007);
        if (i % 4)
            dg_table_number(page, 100 - i * 2.5);
        else
            dg_table_none(page);
        dg_table_text(page, dg_text(i % 2 ? HOSTILE : "plain"));
    }
    dg_table_more(page, 31, "delegraph check FILE --limit %d", 0);
    dg_page_heading(page, "finding-7", "Finding 7: %s", HOSTILE);
    dg_page_open(page, "why", false, "Why it matters %s", HOSTILE);
    dg_page_say(page, DG_TONE_PLAIN, "Because.");
    dg_page_picture(
        page, "picture", "A picture " HOSTILE,
        dg_text("<svg class=\"dg-picture\" role=\"img\" width=\"200\" "
                "height=\"60\" viewBox=\"0 0 200 60\"><title>Box</title>"
                "<desc>One box</desc><g data-node=\"2\"><rect x=\"5\" y=\"5\" "
                "width=\"80\" height=\"40\" fill=\"#56b4e9\"/></g></svg>"),
        "One box " HOSTILE, "delegraph dot FILE");
    dg_page_close(page);
}

static void add_chart(struct dg_page *page, const char *id, size_t n_steps)
{
    struct dg_chart *chart;

    chart = &dg_page_block(page, DG_BLOCK_CHART, id, "Live bytes " HOSTILE)->chart;
    chart->x_name = dg_text("instruction");
    chart->bytes = true;
    chart->n_steps = n_steps;
    chart->peak = n_steps / 3;
    chart->limit = 9e6;
    chart->limit_name = dg_text("arena");
    chart->n_series = 9;
    chart->series = dg_alloc(&page->memory, chart->n_series, sizeof(*chart->series));
    for (size_t i = 0; i < chart->n_series; i++) {
        struct dg_series *series = &chart->series[i];

        series->name = dg_text(i ? "tensor" : HOSTILE);
        series->values = dg_alloc(&page->memory, n_steps, sizeof(*series->values));
        for (size_t step = 0; step < n_steps; step++)
            series->values[step] = step * 9 / n_steps == i || step == chart->peak
                                       ? 4e5 * (double)(1 + i)
                                       : 1e5;
    }
}

static void add_drawings(struct dg_page *page)
{
    dg_page_section(page, "memory", "Memory");
    add_chart(page, "few", 30);
    add_chart(page, "many", 5000);
    dg_page_section(page, "size", "Size");
    dg_page_block(page, DG_BLOCK_TREEMAP, "map", "Constants " HOSTILE);
    for (size_t i = 0; i < 40; i++)
        dg_page_area(page, i < 6 ? SIZE_MAX : i % 6,
                     i == 7 ? dg_text(HOSTILE) : dg_text("layers.weight"),
                     i < 6 ? -1 : (int64_t)(100000 / (i - 5)), -1);
    dg_page_block(page, DG_BLOCK_TREE, "tree", "Modules");
    for (size_t i = 0; i < 40; i++)
        dg_page_area(page, i ? i - 1 : SIZE_MAX, dg_text(HOSTILE), 1000 - (int64_t)i,
                     (int64_t)i);
}

static void add_nodes(struct dg_page *page)
{
    struct dg_writer json = {0};

    dg_page_section(page, "nodes", "Nodes");
    dg_page_say(page, DG_TONE_PLAIN, "Search for a node by name, operator or module.");
    dg_print(&json, "{\"path\":\"model.pt2\",\"columns\":[\"row\",\"name\",\"op\","
                    "\"module\",\"type\",\"source\",\"partition\",\"inputs\"],"
                    "\"ops\":[\"placeholder\",\"aten.relu.default\"],"
                    "\"types\":[\"f32[1,16]\"],\"sources\":[\"model.py:3\"],"
                    "\"partitions\":[\"xnnpack\"],\"modules\":[\"layers.0\",");
    dg_write_json(&json, dg_text(HOSTILE));
    dg_print(&json, "],\"nodes\":[[1,\"x\",0,null,0,null,null,[]],"
                    "[2,\"relu_1\",1,0,0,0,0,[0]],[3,");
    dg_write_json(&json, dg_text(HOSTILE));
    dg_print(&json, ",1,1,0,0,null,[1]]]}");
    dg_page_data(page, "data-nodes", (struct dg_text){json.data, json.size});
    dg_writer_clear(&json);
}

int main(void)
{
    struct dg_page page = {.title = dg_text("folder/" HOSTILE ".pte")};
    struct dg_writer out = {0};

    add_facts(&page);
    add_tables(&page);
    add_drawings(&page);
    add_nodes(&page);
    dg_page_html(&out, &page);
    fwrite(out.data, 1, out.size, stdout);
    dg_writer_clear(&out);
    dg_page_clear(&page);
    return 0;
}
