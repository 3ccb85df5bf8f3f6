/* Writes an empty store as C, for empty.c: designated bytes of an array, all that are
 * not zero and the last. Part of the build, not of delegraph. */
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

static void write_run(const unsigned char *image, sqlite3_int64 at, sqlite3_int64 end)
{
    enum { ON_A_LINE = 20 };

    printf("[%lld] =", (long long)at);
    for (sqlite3_int64 i = at; i < end; i++)
        printf("%s%d,", (i - at) % ON_A_LINE ? " " : "\n", image[i]);
    printf("\n");
}

static void write_image(const unsigned char *image, sqlite3_int64 size)
{
    sqlite3_int64 end = 0;

    for (sqlite3_int64 at = 0; at < size; at = end + 1) {
        end = run_end(image, size, at);
        if (end > at)
            write_run(image, at, end);
    }
    if (!image[size - 1])
        printf("[%lld] = 0\n", (long long)size - 1);
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
