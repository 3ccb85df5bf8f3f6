/* A store without rows, which make_empty.c wrote when delegraph was built. */
#include "store/empty.h"

#include <stddef.h>

static const unsigned char image[] = {
#include "store/empty.inc"
};

static int copy_from(sqlite3 *db, sqlite3 *from)
{
    sqlite3_backup *copy = sqlite3_backup_init(db, "main", from, "main");

    if (!copy)
        return sqlite3_errcode(db);
    sqlite3_backup_step(copy, -1);
    return sqlite3_backup_finish(copy);
}

/* Its pages are mapped: they are copied once, not through a cache of their own. */
static int open_image(sqlite3 **db)
{
    int code = sqlite3_open_v2(":memory:", db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

    if (!code)
        code = sqlite3_exec(*db, "PRAGMA mmap_size = 1073741824", NULL, NULL, NULL);
    return code ? code
                : sqlite3_deserialize(*db, "main", (unsigned char *)image,
                                      sizeof(image), sizeof(image),
                                      SQLITE_DESERIALIZE_READONLY);
}

int dg_empty_tables(sqlite3 *db)
{
    sqlite3 *from = NULL;
    int code = open_image(&from);

    if (!code)
        code = copy_from(db, from);
    sqlite3_close(from);
    return code;
}
