/* A .pte, .ptd or .pt2 of the source tree, for tests: one at a time. */
#ifndef DG_TESTS_PTE_FILE_H
#define DG_TESTS_PTE_FILE_H

#include "formats/reader.h"

struct pte_file {
    uint8_t *bytes; /* a test may change them before pte_read() */
    size_t size;
    struct dg_program program;
    struct dg_error err;
};

extern struct pte_file pte;

/* `path` starts from tests/. */
void pte_open(const char *path);
enum dg_status pte_read(size_t size); /* as if the file had `size` bytes */
void pte_load(const char *path);      /* open and read; must succeed */
void pte_close(void);

/* A blob of tests/fuzz/corpus/blob, and a program that has nothing but the one that is
 * open, of a delegate of that backend; it must have a graph. */
void pte_open_blob(const char *name);
void pte_read_blob(const char *backend);
void pte_load_blob(const char *name, const char *backend); /* both */

/* "0 1 3 2w 2w": operands of a node, and whether they are written, or both. */
const char *pte_operands(int64_t node);

/* "8:44 9:45": sources of a node and the values that come from them. */
const char *pte_sources(int64_t node);

size_t pte_count_remarks(const char *rule);

/* Where the file lists these numbers behind their count: the arguments of a call. */
size_t pte_find_list(const int32_t *items, uint32_t n);

#endif
