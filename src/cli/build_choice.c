#include "cli/build_choice.h"

#include <stdlib.h>
#include <string.h>

/* Controls but those that have a letter: view v_build has no escapes for them. */
static bool is_control(uint32_t point)
{
    return point < ' ' && point != '\t' && point != '\n' && point != '\r';
}

/* Where a label cannot be JSON, as which it is kept in v_build and looked for. */
static enum dg_status check_characters(const char *label, int name_size,
                                       struct dg_error *err)
{
    struct dg_text rest = dg_text(label);

    while (rest.size) {
        uint32_t point = 0;
        size_t size = dg_character(rest, &point);

        if (!size || is_control(point))
            return dg_fail(err, DG_ERR_USAGE,
                           "--label \"%.*s\": %s, 0x%02x, at byte %td", name_size,
                           label, size ? "a control character" : "expected UTF-8",
                           (unsigned char)*rest.data, rest.data - label);
        rest = (struct dg_text){rest.data + size, rest.size - size};
    }
    return DG_OK;
}

static int name_size(const char *label)
{
    return (int)strcspn(label, "=");
}

static enum dg_status check_label(const char *label, struct dg_error *err)
{
    int size = name_size(label);

    return size && label[size] ? check_characters(label, size, err)
                               : dg_fail(err, DG_ERR_USAGE,
                                         "--label \"%.80s\": expected NAME=VALUE, for"
                                         " instance branch=main",
                                         label);
}

enum dg_status dg_labels_check(const struct dg_list *labels, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < labels->n_items && !status; i++)
        status = check_label(labels->items[i], err);
    return status ? status : dg_option_once(labels, "label", err);
}

enum dg_status dg_write_labels(struct dg_writer *out, const struct dg_list *labels,
                               struct dg_error *err)
{
    enum dg_status status = dg_labels_check(labels, err);

    for (size_t i = 0; i < labels->n_items && !status; i++) {
        const char *label = labels->items[i];
        size_t size = (size_t)name_size(label);

        dg_print(out, i ? "," : "{");
        dg_write_json(out, (struct dg_text){label, size});
        dg_print(out, ":");
        dg_write_json(out, dg_text(label + size + 1));
    }
    dg_print(out, labels->n_items ? "}" : "{}");
    return status;
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
