/* Writes empty stores as C, for empty.c: an array for each size of pages, of designated
 * bytes, all that are not zero and the last. Part of the build, not of delegraph. */
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

static void write_image(const char *name, const unsigned char *image,
                        sqlite3_int64 size)
{
    sqlite3_int64 end = 0;

    printf("static const unsigned char %s[] = {\n", name);
    for (sqlite3_int64 at = 0; at < size; at = end + 1) {
        end = run_end(image, size, at);
        if (end > at)
            write_run(image, at, end);
    }
    if (!image[size - 1])
        printf("[%lld] = 0\n", (long long)size - 1);
    printf("};\n");
}

static bool make(const char *name, int page_size)
{
    char page_sql[64];
    sqlite3_int64 size = 0;
    unsigned char *image = NULL;
    sqlite3 *db = NULL;

    snprintf(page_sql, sizeof(page_sql), "PRAGMA page_size = %d", page_size);
    if (!sqlite3_open(":memory:", &db) &&
        !sqlite3_exec(db, page_sql, NULL, NULL, NULL) &&
        !sqlite3_exec(db, tables, NULL, NULL, NULL))
        image = sqlite3_serialize(db, "main", &size, 0);
    if (image)
        write_image(name, image, size);
    else
        fprintf(stderr, "make_empty: %s\n", sqlite3_errmsg(db));
    sqlite3_free(image);
    sqlite3_close(db);
    return image != NULL;
}

int main(void)
{
    return !(make("file_image", DG_PAGE_BYTES) &&
             make("memory_image", DG_MEMORY_PAGE_BYTES));
}
