/* The page about a fleet: its sections in order, and what they look at. */
#include "reports/fleet/section.h"
#include "reports/picture/picture.h"

enum {
    LOOKED_AT = 60, /* builds of a name, where nobody says how many */
    HELD_TO = 10,   /* of these, what the newest is held to */
    LONGEST_SHOWN = 80,
    LONGEST_WORD = 250, /* bytes of a name in a command */
};

static const struct dg_fleet_section *const sections[] = {
#define FLEET_SECTION(name) &dg_fleet_section_##name,
#include "reports/fleet/list.h"
#undef FLEET_SECTION
};

static enum dg_status write_sections(struct dg_page *page,
                                     const struct dg_fleet_input *input,
                                     struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !status; i++) {
        dg_page_section(page, sections[i]->id, sections[i]->title);
        page->forms = DG_FORM_ALL;
        status = sections[i]->write(page, input, err);
    }
    return status;
}

enum dg_status dg_fleet_write(struct dg_page *page, struct dg_fleet_input *input,
                              struct dg_error *err)
{
    int64_t last = input->choice.last;
    struct dg_build_choice looked_at = input->choice;
    struct dg_fleet fleet = {.window = last ? (size_t)last : HELD_TO};
    struct dg_regressions regressions = {0};
    enum dg_status status;

    looked_at.last = last ? last : LOOKED_AT;
    status = dg_builds_check(input->store, &looked_at, err);
    if (!status)
        status = dg_fleet_load(&fleet, input->store, &looked_at, err);
    if (!status)
        status = dg_fleet_load_rules(&fleet, input->store, err);
    if (!status) {
        dg_regressions_find(&regressions, &fleet);
        input->fleet = &fleet;
        input->regressions = &regressions;
        status = write_sections(page, input, err);
    }
    input->fleet = NULL;
    input->regressions = NULL;
    dg_regressions_clear(&regressions);
    dg_fleet_clear(&fleet);
    return status;
}

struct dg_text dg_fleet_shown(struct dg_page *page, struct dg_text name)
{
    return dg_elide(&page->memory, name, LONGEST_SHOWN);
}

void dg_fleet_trend_command(struct dg_page *page, const struct dg_fleet_input *input,
                            const struct dg_fleet_name *name, const char *more)
{
    const char *word;

    if (name->name.size > LONGEST_WORD)
        return;
    word = dg_shell_word(&page->memory, name->name).data;
    if (name->name.size && *name->name.data == '-') /* it would be an option */
        dg_page_command(page, "delegraph trend%s%s %s -- %s", input->options, more,
                        input->path, word);
    else
        dg_page_command(page, "delegraph trend %s %s%s%s", input->path, word,
                        input->options, more);
}
