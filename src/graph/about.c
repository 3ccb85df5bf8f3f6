/* What a store has any of. */
#include "graph/about.h"

#include "base/text.h"

/* Keys of one program say nothing of another's. */
#define SEVERAL_PROGRAMS                                                               \
    "(SELECT count(*) > 1 FROM artifact WHERE role IS NULL OR role = 'program')"

#define KEYED_TENSORS                                                                  \
    "EXISTS (SELECT 1 FROM value WHERE storage < 'n'"                                  \
    "  AND (storage = 'external' OR data_index IS NULL))"

static const char *const questions[] = {
    "1",
#define ABOUT(name, exists) exists,
#include "graph/about.def"
#undef ABOUT
};

enum dg_status dg_about_read(bool *has, const bool *wanted, struct dg_store *store,
                             struct dg_error *err)
{
    struct dg_writer sql = {0};
    struct dg_rows rows;
    enum dg_status status;

    for (int i = 0; i < DG_N_ABOUT; i++)
        dg_print(&sql, "%s%s", i ? ", " : "SELECT ",
                 !wanted || wanted[i] ? questions[i] : "0");
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
