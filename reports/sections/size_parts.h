/* What the parts of section size share. */
#ifndef DG_REPORTS_SIZE_PARTS_H
#define DG_REPORTS_SIZE_PARTS_H

#include "reports/sections/amount.h"
#include "reports/sections/stretches.h"

/* Something with a name whose bytes lie in the file. */
struct dg_file_part {
    struct dg_text group; /* "Program" */
    struct dg_text name;  /* "layers.0.weight"; may be NULL */
    struct dg_text dtype; /* likewise */
};

struct dg_file_parts {
    struct dg_file_part *items;
    struct dg_stretch *stretches; /* of each */
    size_t n_items;
    int64_t size, nobody; /* of the file; of what no part has */
    struct dg_arena memory;
};

/* A treemap: groups, in them the modules of constants, and what these hold. */
void dg_size_map(struct dg_page *page, const struct dg_file_parts *parts);

#endif
