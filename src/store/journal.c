/* What is where a store is to be written: journals beside it, and builds in it. */
#include "store/journal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "store/database.h"
#include "store/schema.h"

static enum dg_status refuse(const char *path, const char *ending, struct dg_error *err)
{
    struct dg_writer name = {0};
    struct stat state;
    enum dg_status status = DG_OK;

    dg_print(&name, "%s%s", path, ending);
    if (!lstat(name.data, &state))
        status = dg_fail(err, DG_ERR_FORMAT,
                         "%s lies beside the store: another program has not finished "
                         "writing it; expected no journal",
                         name.data);
    dg_writer_clear(&name);
    return status;
}

/* What was not written to its end would be finished by whoever opens it. */
enum dg_status dg_refuse_journal(const char *path, struct dg_error *err)
{
    enum dg_status status = refuse(path, "-journal", err);

    return status ? status : refuse(path, "-wal", err);
}

/* Also where no file is yet: SQLite does not ask whose journal it is. */
enum dg_status dg_store_check_place(const char *path, struct dg_error *err)
{
    char *whole = realpath(path, NULL);
    const char *at = whole ? whole : path;
    enum dg_status status = dg_refuse_journal(at, err);

    if (!status)
        status = refuse(at, "-shm", err);
    free(whole);
    return status;
}

/* By its first bytes, which are there when the rest is damaged. */
static bool is_ours(const char *path)
{
    enum { ID_AT = 68, HEADER = 100 };
    static const uint8_t id[] = {
        DG_APPLICATION_ID >> 24 & 0xff, DG_APPLICATION_ID >> 16 & 0xff,
        DG_APPLICATION_ID >> 8 & 0xff, DG_APPLICATION_ID & 0xff};
    uint8_t head[HEADER];
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = file >= 0 ? pread(file, head, sizeof(head), 0) : -1;

    if (file >= 0)
        close(file);
    return n == HEADER && dg_store_recognises((struct dg_bytes){head, HEADER}) &&
           !memcmp(head + ID_AT, id, sizeof(id));
}

static enum dg_status count_builds(int64_t *n, struct dg_store *store,
                                   struct dg_error *err)
{
    enum dg_status status = dg_store_int(store,
                                         "SELECT count(*) FROM main.sqlite_schema"
                                         " WHERE type = 'table' AND name = 'build'",
                                         0, n, err);

    return status || !*n
               ? status
               : dg_store_int(store, "SELECT count(*) FROM main.build", 0, n, err);
}

enum dg_status dg_store_count_builds(int64_t *n, const char *path, struct dg_error *err)
{
    struct dg_store *store = NULL;
    struct stat state;
    enum dg_status status;

    *n = 0;
    if (stat(path, &state) || !S_ISREG(state.st_mode) || !is_ours(path))
        return DG_OK;
    status = dg_store_connect_read_only(&store, path, err);
    if (!status)
        status = count_builds(n, store, err);
    dg_store_close(store);
    return status;
}
