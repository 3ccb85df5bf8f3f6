/* The old program of limits of growth: its numbers go into the store of the new one,
 * and are found there by method and device. */
#include "verifiers/budget_was.h"

#include <stdlib.h>

#include "base/text.h"

/* Rows of `setting`: ?1 is why there is no number where the old program has none. */
#define NUMBERS                                                                        \
    "SELECT json_object('method', (SELECT name FROM method WHERE id = was.method),"    \
    " 'device', device, 'number', number, 'unknown', unknown, 'basis', basis)"         \
    " FROM (%s) AS was UNION ALL SELECT json_object('unknown', ?1) FROM artifact AS a" \
    " WHERE a.companion_of IS NULL AND (%s)"

static enum dg_status copy_rows(struct dg_store *store, const char *name,
                                struct dg_rows *rows, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(rows))
        status = dg_store_set(store, name, dg_rows_slice(rows, 0), err);
    return dg_rows_close(rows, status, err);
}

static enum dg_status copy_measure(struct dg_store *store, struct dg_store *old,
                                   const struct dg_measure *measure,
                                   struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_rows rows;
    const char *unknown = measure->unlike;
    enum dg_status status = dg_measure_prepare(measure, old, err);

    if (!unknown)
        unknown = dg_format(&memory, "that takes %s", measure->takes).data;
    if (!status)
        status = dg_rows_open(
            &rows, old, dg_format(&memory, NUMBERS, measure->sql, measure->cannot).data,
            err);
    if (!status) {
        dg_rows_bind_text(&rows, 1, dg_text(unknown));
        status = copy_rows(store, dg_format(&memory, "was.%s", measure->name).data,
                           &rows, err);
    }
    dg_arena_clear(&memory);
    return status;
}

/* Whether a limit of it is one of growth. */
static enum dg_status is_compared(bool *is, const struct dg_measure *measure,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_limit_list limits = {0};
    enum dg_status status = dg_limits_of(&limits, measure, store, err);

    *is = false;
    for (size_t i = 0; i < limits.n_items; i++)
        *is = *is || limits.items[i].grows;
    free(limits.items);
    return status;
}

enum dg_status dg_budget_compare(struct dg_store *store, struct dg_store *old,
                                 const char *path, struct dg_error *err)
{
    enum dg_status status = dg_store_set(store, "against", dg_text(path), err);

    for (const struct dg_measure *measure = dg_measures; measure->name && !status;
         measure++) {
        bool compared;

        status = is_compared(&compared, measure, store, err);
        if (!status && compared)
            status = copy_measure(store, old, measure, err);
    }
    return status;
}

/* No device has a line feed. */
static struct dg_text key_of(struct dg_arena *memory, const char *method,
                             const char *device)
{
    return dg_format(memory, "%s\n%s", device ? device : "", method ? method : "");
}

static void add(struct dg_was_list *was, const struct dg_rows *rows)
{
    struct dg_text key =
        key_of(&was->memory, dg_rows_text(rows, 0), dg_rows_text(rows, 1));
    uint32_t number = dg_text_set_add(&was->keys, key);

    if (number < was->n_items) {
        was->items[number] =
            (struct dg_was){.unknown = "it has several methods of that name"};
        return;
    }
    *DG_APPEND(was->items, was->n_items) = (struct dg_was){
        .known = !dg_rows_null(rows, 2),
        .number = dg_rows_double(rows, 2),
        .unknown = dg_rows_keep(&was->memory, rows, 3).data,
        .basis = dg_rows_keep(&was->memory, rows, 4).data,
    };
}

static enum dg_status read_path(struct dg_was_list *was, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store,
                                      "SELECT value FROM setting"
                                      " WHERE name = 'against' ORDER BY rowid DESC",
                                      err);

    if (dg_rows_next(&rows))
        was->path = dg_rows_keep(&was->memory, &rows, 0).data;
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_was_read(struct dg_was_list *was, const struct dg_measure *measure,
                           struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = read_path(was, store, err);
    struct dg_rows rows;

    if (!status)
        status = dg_rows_open(&rows, store,
                              "SELECT json_extract(value, '$.method'),"
                              " json_extract(value, '$.device'),"
                              " json_extract(value, '$.number'),"
                              " json_extract(value, '$.unknown'),"
                              " json_extract(value, '$.basis')"
                              " FROM setting WHERE name = 'was.' || ?1 ORDER BY rowid",
                              err);
    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, dg_text(measure->name));
    while (dg_rows_next(&rows))
        add(was, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}

void dg_was_clear(struct dg_was_list *was)
{
    dg_text_set_clear(&was->keys);
    free(was->items);
    dg_arena_clear(&was->memory);
}

const struct dg_was *dg_was_find(const struct dg_was_list *was, const char *method,
                                 const char *device)
{
    static const struct dg_was nothing = {.known = true};
    struct dg_arena memory = {0};
    uint32_t number = dg_text_set_find(&was->keys, key_of(&memory, method, device));
    bool elsewhere =
        number == DG_NO_TEXT && device &&
        /* each method that plans has a row for the host */
        dg_text_set_find(&was->keys, key_of(&memory, method, "cpu")) != DG_NO_TEXT;

    dg_arena_clear(&memory);
    if (elsewhere)
        return &nothing;
    return number == DG_NO_TEXT ? NULL : &was->items[number];
}
