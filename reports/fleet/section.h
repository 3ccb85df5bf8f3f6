/* A section of the page about a fleet appends blocks, as those about a program do; one
 * that has nothing to say appends nothing. */
#ifndef DG_REPORTS_FLEET_SECTION_H
#define DG_REPORTS_FLEET_SECTION_H

#include "reports/fleet/regressions.h"
#include "reports/page/page.h"

struct dg_fleet_input {
    struct dg_store *store; /* with its views */
    struct dg_build_choice choice;
    const char *path;    /* of the store, as commands name it: quoted for a shell */
    const char *options; /* " --label branch=main", as commands take them, or "" */
    const struct dg_fleet *fleet;
    const struct dg_regressions *regressions;
};

struct dg_fleet_section {
    const char *id; /* anchor: never changes */
    const char *title;
    enum dg_status (*write)(struct dg_page *page, const struct dg_fleet_input *input,
                            struct dg_error *err);
};

#define FLEET_SECTION(name)                                                            \
    extern const struct dg_fleet_section dg_fleet_section_##name;
#include "reports/fleet/list.h"
#undef FLEET_SECTION

/* All sections, in order. `input` has what to read, and gets fleet and regressions. No
 * build that is meant is wrong usage. */
enum dg_status dg_fleet_write(struct dg_page *page, struct dg_fleet_input *input,
                              struct dg_error *err);

/* A name as tables show it: whoever gave it may have given it any length. */
struct dg_text dg_fleet_shown(struct dg_page *page, struct dg_text name);

/* Appends "delegraph trend fleet.db NAME", with the labels that the page is about, and
 * `more`; nothing where the name is too long to be copied. */
void dg_fleet_trend_command(struct dg_page *page, const struct dg_fleet_input *input,
                            const struct dg_fleet_name *name, const char *more);

#endif
