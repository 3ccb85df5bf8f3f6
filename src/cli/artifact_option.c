#include "cli/artifact_option.h"

#include <string.h>

#include "reports/picture/picture.h"

/* ?1 is a number, or else a path; NULL means all. */
#define NAMED_SO                                                                       \
    " FROM artifact WHERE companion_of IS NULL AND (?1 IS NULL OR CAST(id AS TEXT) ="  \
    "   ?1 OR path = ?1 AND NOT EXISTS (SELECT 1 FROM artifact WHERE companion_of"     \
    "   IS NULL AND CAST(id AS TEXT) = ?1))"

static struct dg_rows open_named(struct dg_store *store, const char *sql,
                                 const char *wanted, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, sql, err);

    if (wanted)
        dg_rows_bind_text(&rows, 1, dg_text(wanted));
    return rows;
}

/* "1 a.pte, 2 b.pte, and 3 more" */
static void list_programs(struct dg_writer *list, struct dg_store *store,
                          const char *wanted)
{
    enum { MOST = 8 };
    struct dg_error ignored = {0};
    struct dg_rows rows =
        open_named(store, "SELECT id, path" NAMED_SO " ORDER BY id", wanted, &ignored);
    int n = 0;

    for (; dg_rows_next(&rows); n++)
        if (n < MOST)
            dg_print(list, "%s%lld %.200s", n ? ", " : "",
                     (long long)dg_rows_int(&rows, 0), dg_rows_text(&rows, 1));
    dg_rows_close(&rows, DG_OK, &ignored);
    if (n > MOST)
        dg_print(list, ", and %d more", n - MOST);
}

static enum dg_status refuse_name(struct dg_store *store, const char *wanted,
                                  bool several, struct dg_error *err)
{
    struct dg_writer names = {0};

    list_programs(&names, store, several ? wanted : NULL);
    dg_fail(err, DG_ERR_USAGE, "--artifact: %s named \"%.80s\"%s %s",
            several ? "several programs are" : "no program is", wanted,
            several ? ", choose by number:" : " among",
            names.size ? names.data : "none");
    dg_writer_clear(&names);
    return err->status;
}

static enum dg_status count_named(int64_t *n, int64_t *first, struct dg_store *store,
                                  const char *wanted, struct dg_error *err)
{
    struct dg_rows rows =
        open_named(store, "SELECT count(*), min(id)" NAMED_SO, wanted, err);

    *n = *first = 0;
    if (dg_rows_next(&rows)) {
        *n = dg_rows_int(&rows, 0);
        *first = dg_rows_int_or(&rows, 1, 0);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_artifact_choose(struct dg_input *input, const char *artifact,
                                  struct dg_error *err)
{
    int64_t n_named, n_all, found, first;
    enum dg_status status = DG_OK;

    if (!artifact)
        return DG_OK;
    status = count_named(&n_all, &first, input->store, NULL, err);
    if (!status)
        status = count_named(&n_named, &found, input->store, artifact, err);
    if (!status && n_named != 1)
        status = refuse_name(input->store, artifact, n_named > 1, err);
    return status || n_all == 1 ? status : dg_store_choose(&input->store, found, err);
}

struct dg_text dg_artifact_words(struct dg_arena *memory, const char *path,
                                 const char *artifact)
{
    const char *file = dg_shell_path(memory, dg_text(path)).data;

    return artifact ? dg_format(memory, "%s --artifact %s", file,
                                dg_shell_path(memory, dg_text(artifact)).data)
                    : dg_text(file);
}

enum dg_status dg_artifact_only(int64_t *artifact, struct dg_store *store,
                                const char *what, struct dg_error *err)
{
    struct dg_writer names = {0};
    int64_t n;
    enum dg_status status = count_named(&n, artifact, store, NULL, err);

    if (!status && !n)
        status = dg_fail(err, DG_ERR_FORMAT, "no program is in it");
    if (!status && n > 1) {
        list_programs(&names, store, NULL);
        status = dg_fail(err, DG_ERR_USAGE,
                         "the store holds %lld programs, and %s is about one: choose "
                         "with --artifact N among %s",
                         (long long)n, what, names.data);
    }
    dg_writer_clear(&names);
    return status;
}

bool dg_artifact_in_store(const char *path)
{
    struct dg_error ignored = {0};
    struct dg_input input = {0};
    bool store = strcmp(path, "-") != 0 && !dg_input_map(&input, path, &ignored) &&
                 dg_store_recognises(input.file);

    dg_input_close(&input);
    return store;
}

const char *dg_artifact_name(const char *path, const char *artifact,
                             struct dg_arena *memory)
{
    struct dg_error ignored = {0}; /* whoever opens it next gets it */
    struct dg_input input = {.path = path};
    struct dg_rows rows;
    int64_t only = 0;
    enum dg_status status;

    if (!dg_artifact_in_store(path))
        return path;
    status = dg_store_open(&input.store, path, &ignored);
    if (!status)
        status = dg_artifact_choose(&input, artifact, &ignored);
    if (!status)
        status = dg_artifact_only(&only, input.store, "", &ignored);
    if (!status) {
        rows = dg_rows_of(input.store, "SELECT path FROM artifact WHERE id = ?1", only,
                          &ignored);
        if (dg_rows_next(&rows))
            path = dg_rows_keep(memory, &rows, 0).data;
        dg_rows_close(&rows, DG_OK, &ignored);
    }
    dg_store_close(input.store);
    return path;
}
