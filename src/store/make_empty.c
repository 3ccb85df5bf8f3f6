/* Writes an empty store as C, for empty.c: SIZE(bytes), then RUN(where, what) for all
 * that is not zero. Part of the build, not of delegraph. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

#include "store/schema.h"

static const char tables[] =
#include "store/schema.sql.inc"
    ;

/* A run ends before so many zeros. */
enum { GAP = 16 };

static sqlite3_int64 run_end(const unsigned char *image, sqlite3_int64 size,
                             sqlite3_int64 at)
{
    sqlite3_int64 end = at;

    for (sqlite3_int64 i = at; i < size && i - end < GAP; i++) {
        if (image[i])
            end = i + 1;
    }
    return end;
}

static void write_run(const unsigned char *bytes, sqlite3_int64 size)
{
    enum { ON_A_LINE = 16 };

    for (sqlite3_int64 i = 0; i < size; i++) {
        bool first = i % ON_A_LINE == 0;
        bool last = i % ON_A_LINE == ON_A_LINE - 1 || i + 1 == size;

        printf("%s\\%03o%s", first ? "\"" : "", bytes[i], last ? "\"\n" : "");
    }
}

static void write_image(const unsigned char *image, sqlite3_int64 size)
{
    sqlite3_int64 end;

    printf("SIZE(%lld)\n", (long long)size);
    for (sqlite3_int64 at = 0; at < size; at = end + 1) {
        end = run_end(image, size, at);
        if (end == at)
            continue;
        printf("RUN(%lld,\n", (long long)at);
        write_run(image + at, end - at);
        printf(")\n");
    }
}

int main(void)
{
    sqlite3_int64 size = 0;
    unsigned char *image = NULL;
    sqlite3 *db = NULL;

    if (!sqlite3_open(":memory:", &db) &&
        !sqlite3_exec(db, DG_PAGE_SIZE, NULL, NULL, NULL) &&
        !sqlite3_exec(db, tables, NULL, NULL, NULL))
        image = sqlite3_serialize(db, "main", &size, 0);
    if (image)
        write_image(image, size);
    else
        fprintf(stderr, "make_empty: %s\n", sqlite3_errmsg(db));
    sqlite3_free(image);
    sqlite3_close(db);
    return !image;
}
