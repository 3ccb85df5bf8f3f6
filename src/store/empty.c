/* A store without rows, which make_empty.c wrote when delegraph was built. */
#include "store/empty.h"

#include <stdlib.h>
#include <string.h>

#define SIZE(size) enum { IMAGE_SIZE = size };
#define RUN(at, bytes)
#include "store/empty.inc"
#undef SIZE
#undef RUN

static const struct {
    size_t at, size;
    const char *bytes;
} runs[] = {
#define SIZE(size)
#define RUN(at, bytes) {at, sizeof(bytes) - 1, bytes},
#include "store/empty.inc"
};

static int copy_from(sqlite3 *db, sqlite3 *image)
{
    sqlite3_backup *copy = sqlite3_backup_init(db, "main", image, "main");

    if (!copy)
        return sqlite3_errcode(db);
    sqlite3_backup_step(copy, -1);
    return sqlite3_backup_finish(copy);
}

int dg_empty_tables(sqlite3 *db)
{
    unsigned char *bytes = calloc(1, IMAGE_SIZE);
    sqlite3 *image = NULL;
    int code = bytes ? SQLITE_OK : SQLITE_NOMEM;

    for (size_t i = 0; !code && i < sizeof(runs) / sizeof(*runs); i++)
        memcpy(bytes + runs[i].at, runs[i].bytes, runs[i].size);
    if (!code)
        code = sqlite3_open_v2(":memory:", &image,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (!code)
        code = sqlite3_deserialize(image, "main", bytes, IMAGE_SIZE, IMAGE_SIZE,
                                   SQLITE_DESERIALIZE_READONLY);
    if (!code)
        code = copy_from(db, image);
    sqlite3_close(image);
    free(bytes);
    return code;
}
