/* One section of a report about the store of rules.h, its blocks as lines of text. */
#ifndef DG_TESTS_SECTION_CASE_H
#define DG_TESTS_SECTION_CASE_H

#include "unit/rules.h"

#include "reports/sections/section.h"

/* What the section is told, besides the store. */
extern struct dg_report_input section_input;

/* Blocks of that form:
 *   fact NAME = VALUE [50 %]
 *   table ID: A | B        and a line for each row
 *   chart ID: steps 3, peak 1, limit 64        and a line for each series
 *   map ID: (or tree)        and a line for each area, indented by its depth
 *   heading ID: TITLE, data ID: JSON, open TITLE, close, say TEXT, $ COMMAND */
void expect_section(const struct dg_section *section, enum dg_form form,
                    const char *want);

/* Likewise; what is wanted is one of the lines, or several that follow each other. */
void expect_in_section(const struct dg_section *section, enum dg_form form,
                       const char *want);

void expect_not_in_section(const struct dg_section *section, enum dg_form form,
                           const char *unwanted);

#endif
