/* Numbers of an ELF file in either class and byte order. */
#ifndef DG_FORMATS_LIBRARY_VIEW_H
#define DG_FORMATS_LIBRARY_VIEW_H

#include "base/bytes.h"
#include "base/error.h"

struct dg_elf_view {
    struct dg_bytes file;
    bool wide,
        big; /* of the 64-bit class; the first byte of a number is its greatest */
};

struct dg_elf_field {
    uint8_t at[2], size[2]; /* in the 32-bit and in the 64-bit class */
};

/* Checks that the file has a header of ELF; nobody goes by the size that it gives
 * itself. */
enum dg_status dg_elf_view(struct dg_elf_view *view, struct dg_bytes file,
                           struct dg_error *err);

/* A number of the entry at `base`, which lies inside of the file. */
uint64_t dg_elf_number(const struct dg_elf_view *view, uint64_t base,
                       struct dg_elf_field field);

/* Whether `n` entries of a table at byte `at` lie inside of the file, each of the size
 * that its class has. `what` is "program" or "section". */
enum dg_status dg_elf_check_headers(const struct dg_elf_view *view, const char *what,
                                    uint64_t at, uint64_t n, uint64_t bytes,
                                    size_t expected, struct dg_error *err);

struct dg_elf_segment {
    uint32_t type, flags; /* PT_*, PF_* */
    uint64_t offset, address, file_bytes, memory_bytes, align;
};

/* How many there are; their headers lie inside of the file then. */
enum dg_status dg_elf_count_segments(uint64_t *n, const struct dg_elf_view *view,
                                     struct dg_error *err);
struct dg_elf_segment dg_elf_segment(const struct dg_elf_view *view, uint64_t index);

/* Whether its bytes lie inside of the file. */
enum dg_status dg_elf_check_segment(const struct dg_elf_view *view, uint64_t index,
                                    struct dg_error *err);

#endif
