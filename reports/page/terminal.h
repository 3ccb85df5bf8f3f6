/* Between the files of the text writer. */
#ifndef DG_REPORTS_TERMINAL_H
#define DG_REPORTS_TERMINAL_H

#include "reports/page/page.h"

enum { DG_TERMINAL_WIDTH = 80, DG_TERMINAL_INDENT = 2 };

void dg_terminal_table(struct dg_writer *out, const struct dg_block *block,
                       const struct dg_page_options *options);
void dg_terminal_tree(struct dg_writer *out, const struct dg_block *block,
                      const struct dg_page_options *options);
void dg_terminal_chart(struct dg_writer *out, const struct dg_block *block,
                       const struct dg_page_options *options);

/* The text of a cell, fit to be printed. */
void dg_write_cell(struct dg_writer *out, const struct dg_cell *cell,
                   enum dg_cell_kind kind);

/* A blank and the course of numbers over builds; nothing where they never change. */
void dg_write_course(struct dg_writer *out, const struct dg_trend *trend);

/* One line of eight heights for a chart: its course at a glance. */
void dg_write_sparkline(struct dg_writer *out, const struct dg_chart *chart,
                        size_t columns);

/* What a chart comes to at its peak: "1.5 MiB at instruction 12". */
void dg_write_peak(struct dg_writer *out, const struct dg_chart *chart);

/* A value of a chart. */
void dg_write_amount(struct dg_writer *out, const struct dg_chart *chart, double value);

#endif
