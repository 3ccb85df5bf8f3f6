/* A store without rows, which make_empty.c wrote when delegraph was built. */
#include "store/empty.h"

#include <stdio.h>

#include "store/empty.inc" /* file_image, memory_image */
#include "store/schema.h"

struct image {
    const unsigned char *bytes;
    sqlite3_int64 size;
    int page_size;
};

static const struct image of_file = {file_image, sizeof(file_image), DG_PAGE_BYTES};
static const struct image of_memory = {memory_image, sizeof(memory_image),
                                       DG_MEMORY_PAGE_BYTES};

/* Pages of a database in memory are not copied into those of another size. */
static int set_page_size(sqlite3 *db, int page_size)
{
    char sql[64];

    snprintf(sql, sizeof(sql), "PRAGMA page_size = %d", page_size);
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int copy_from(sqlite3 *db, sqlite3 *from)
{
    sqlite3_backup *copy = sqlite3_backup_init(db, "main", from, "main");

    if (!copy)
        return sqlite3_errcode(db);
    sqlite3_backup_step(copy, -1);
    return sqlite3_backup_finish(copy);
}

/* Its pages are mapped: they are copied once, not through a cache of their own. */
static int open_image(sqlite3 **db, const struct image *image)
{
    int code = sqlite3_open_v2(":memory:", db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

    if (!code)
        code = sqlite3_exec(*db, "PRAGMA mmap_size = 1073741824", NULL, NULL, NULL);
    return code ? code
                : sqlite3_deserialize(*db, "main", (unsigned char *)image->bytes,
                                      image->size, image->size,
                                      SQLITE_DESERIALIZE_READONLY);
}

int dg_empty_tables(sqlite3 *db, bool in_memory)
{
    const struct image *image = in_memory ? &of_memory : &of_file;
    sqlite3 *from = NULL;
    int code = set_page_size(db, image->page_size);

    if (!code)
        code = open_image(&from, image);
    if (!code)
        code = copy_from(db, from);
    sqlite3_close(from);
    return code;
}
