#include "cli/build_choice.h"

#include <stdlib.h>
#include <string.h>

/* View v_build has no escapes for them but those that have a letter. */
static const char *control_character(const char *text)
{
    while (*text && ((unsigned char)*text >= ' ' || strchr("\t\n\r", *text)))
        text++;
    return *text ? text : NULL;
}

enum dg_status dg_label_check(const char *label, struct dg_error *err)
{
    const char *equals = strchr(label, '='), *control = control_character(label);

    if (!equals || equals == label)
        return dg_fail(err, DG_ERR_USAGE,
                       "--label \"%.80s\": expected NAME=VALUE, for instance"
                       " branch=main",
                       label);
    if (control)
        return dg_fail(err, DG_ERR_USAGE,
                       "--label \"%.*s\": a control character, 0x%02x, at byte %td",
                       (int)(equals - label), label, *control, control - label);
    return DG_OK;
}

enum dg_status dg_write_labels(struct dg_writer *out, const struct dg_list *labels,
                               struct dg_error *err)
{
    for (size_t i = 0; i < labels->n_items; i++) {
        const char *label = labels->items[i], *equals = strchr(label, '=');

        if (dg_label_check(label, err))
            return err->status;
        dg_print(out, i ? "," : "{");
        dg_write_json(out, (struct dg_text){label, (size_t)(equals - label)});
        dg_print(out, ":");
        dg_write_json(out, dg_text(equals + 1));
    }
    dg_print(out, labels->n_items ? "}" : "{}");
    return DG_OK;
}

enum dg_status dg_build_name_check(struct dg_store *store, const char *name,
                                   struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char **names = NULL, *near;
    size_t n = 0;
    bool found = false;
    struct dg_rows rows =
        dg_rows_all(store, "SELECT DISTINCT name FROM build ORDER BY name", err);
    enum dg_status status;

    while (dg_rows_next(&rows)) {
        found = found || dg_text_is(dg_rows_slice(&rows, 0), name);
        *DG_APPEND(names, n) = dg_copy(&memory, dg_rows_slice(&rows, 0));
    }
    status = dg_rows_close(&rows, DG_OK, err);
    near = found ? NULL : dg_nearest(name, names, n);
    if (!status && !found)
        status =
            dg_fail(err, DG_ERR_USAGE, "no build is called \"%.80s\"%s%.80s%s", name,
                    near ? "; did you mean "
                    : n  ? "; there is "
                         : "; load --append adds builds",
                    near ? near
                    : n  ? names[0]
                         : "",
                    near ? "?" : "");
    free(names);
    dg_arena_clear(&memory);
    return status;
}
