/* What a store has any of. */
#include "graph/about.h"

#include "base/text.h"

/* One of the things that make a store be about something. */
struct term {
    const char *table; /* without rows of it, `sql` says no; NULL: there is none */
    const char *sql;
    bool any; /* with rows of it, `sql` says yes */
};

#define ROWS(table, condition) "EXISTS (SELECT 1 FROM \"" table "\"" condition ")"
#define ANY(table)                                                                     \
    {                                                                                  \
        table, ROWS(table, ""), true                                                   \
    }
#define SOME(table, condition)                                                         \
    {                                                                                  \
        table, ROWS(table, " WHERE " condition), false                                 \
    }
#define ASKED(table, sql)                                                              \
    {                                                                                  \
        table, sql, false                                                              \
    }

/* Keys of one program say nothing of another's. */
#define SEVERAL_PROGRAMS                                                               \
    ASKED(NULL, "(SELECT count(*) > 1 FROM artifact"                                   \
                " WHERE role IS NULL OR role = 'program')")

#define KEYED_TENSORS                                                                  \
    SOME("value", "storage < 'n' AND (storage = 'external' OR data_index IS NULL)")

/* The last has no SQL. */
static const struct term *const subjects[DG_N_ABOUT] = {
    (const struct term[]){ASKED(NULL, "1"), {0}},
#define ABOUT(name, ...) (const struct term[]){__VA_ARGS__, {0}},
#include "graph/about.def"
#undef ABOUT
};

static bool is_certain(const struct term *term, const struct dg_store *store)
{
    for (; term->sql; term++) {
        if (term->any && dg_store_presence(store, term->table) == DG_PRESENT)
            return true;
    }
    return false;
}

static bool is_excluded(const struct term *term, const struct dg_store *store)
{
    return term->table && dg_store_presence(store, term->table) == DG_ABSENT;
}

/* What is known already is not asked. */
static void write_question(struct dg_writer *sql, const struct term *term,
                           const struct dg_store *store)
{
    const char *before = "";

    if (is_certain(term, store)) {
        dg_print(sql, "1");
        return;
    }
    for (; term->sql; term++) {
        if (is_excluded(term, store))
            continue;
        dg_print(sql, "%s%s", before, term->sql);
        before = " OR ";
    }
    if (!*before)
        dg_print(sql, "0");
}

enum dg_status dg_about_read(bool *has, const bool *wanted, struct dg_store *store,
                             struct dg_error *err)
{
    struct dg_writer sql = {0};
    struct dg_rows rows;
    enum dg_status status;

    for (int i = 0; i < DG_N_ABOUT; i++) {
        dg_print(&sql, i ? ", " : "SELECT ");
        if (!wanted || wanted[i])
            write_question(&sql, subjects[i], store);
        else
            dg_print(&sql, "0");
    }
    status = dg_rows_open(&rows, store, sql.data, err);
    dg_writer_clear(&sql);
    if (status)
        return status;
    if (dg_rows_next(&rows)) {
        for (int i = 0; i < DG_N_ABOUT; i++)
            has[i] = dg_rows_int(&rows, i) != 0;
    }
    return dg_rows_close(&rows, DG_OK, err);
}
