/* A real library of CUDA, to damage, and what is read of it then. */
#ifndef DG_TESTS_DAMAGED_LIBRARY_H
#define DG_TESTS_DAMAGED_LIBRARY_H

#include <stdio.h>
#include <string.h>

#include "formats/library.h"
#include "formats/library_facts.h"
#include "unit/pte_file.h"
#include "unit/suite.h"

enum { START_OF_LIBRARY = 2048, BYTES_OF_LIBRARY = 26720 };

/* The library of aoti_blobs.pte, to damage. */
static struct dg_bytes code;
static uint8_t *at; /* its bytes, writable */
static struct dg_program program;

static inline void given_library(void)
{
    pte_open("data/aoti_blobs.pte");
    at = pte.bytes + START_OF_LIBRARY;
    code = (struct dg_bytes){at, BYTES_OF_LIBRARY};
}

static inline void read_library(void)
{
    struct dg_libraries libraries = {&program, .effort = 1 << 20};

    dg_libraries_add(&libraries, dg_text("lib"), code, 0);
    ck_assert_int_eq(dg_libraries_read(&libraries, NULL), DG_OK);
}

static inline void close_library(void)
{
    dg_program_clear(&program);
    pte_close();
}

static inline void put(size_t offset, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[offset + i] = (uint8_t)(value >> 8 * i);
}

/* The first remark, after `size` bytes at `offset` became `value`. */
static inline void expect_remark(const char *rule, size_t offset, uint64_t value,
                                 size_t size, const char *want)
{
    given_library();
    put(offset, value, size);
    read_library();
    ck_assert_uint_ge(program.n_remarks, 1);
    ck_assert_str_eq(program.remarks[0].rule, rule);
    ck_assert_str_eq(program.remarks[0].text.data, want);
    close_library();
}

static inline void expect_refused(size_t offset, uint64_t value, size_t size,
                                  const char *want)
{
    expect_remark("library/format", offset, value, size, want);
}

static inline void expect_accepted(size_t offset, uint64_t value, size_t size)
{
    given_library();
    put(offset, value, size);
    read_library();
    ck_assert_msg(!program.n_remarks, "%s", program.remarks[0].text.data);
    ck_assert_uint_eq(program.n_library_symbols, 27);
    close_library();
}

/* Where the header of section `index` is, and of the first of a type. */
static inline size_t section(size_t index)
{
    return (size_t)dg_u64(at + 40) + 64 * index;
}

static inline size_t section_of_type(uint32_t type)
{
    for (size_t i = 1; i < dg_u16(at + 60); i++) {
        if (dg_u32(at + section(i) + 4) == type)
            return i;
    }
    ck_abort_msg("no section of type %u", type);
}

static inline void expect_text(struct dg_text text, const char *want)
{
    ck_assert_msg(dg_text_is(text, want), "%.*s", (int)text.size, text.data);
}

static inline const struct dg_library_symbol_row *symbol(const char *name)
{
    for (size_t i = 0; i < program.n_library_symbols; i++) {
        if (dg_text_is(program.library_symbols[i].name, name))
            return &program.library_symbols[i];
    }
    ck_abort_msg("no symbol %s", name);
}

/* Where the cubin of sm_80 begins. */
static inline size_t first_cubin(void)
{
    for (size_t i = 0; i + 4 < code.size; i++) {
        if (dg_u32(at + i) == 0xba55ed50)
            return i + 16 + dg_u32(at + i + 16 + 4);
    }
    ck_abort_msg("no fat binary");
}

/* The header of the first segment of a type. */
static inline size_t segment_of_type(uint32_t type)
{
    size_t header = (size_t)dg_u64(at + 32);

    for (size_t i = 0; i < dg_u16(at + 56); i++, header += 56) {
        if (dg_u32(at + header) == type)
            return header;
    }
    ck_abort_msg("no segment of type %u", type);
}

/* Where the value of an entry of the dynamic section is. */
static inline size_t dynamic_value(uint64_t tag)
{
    size_t entry, end;

    given_library();
    entry = (size_t)dg_u64(at + segment_of_type(2) + 8);
    end = entry + (size_t)dg_u64(at + segment_of_type(2) + 32);
    while (entry < end && dg_u64(at + entry) != tag)
        entry += 16;
    close_library();
    ck_assert_msg(entry < end, "no tag %u", (unsigned)tag);
    return entry + 8;
}

static inline uint64_t value_of(uint64_t tag)
{
    size_t value = dynamic_value(tag);
    uint64_t found;

    given_library();
    found = dg_u64(at + value);
    close_library();
    return found;
}

enum {
    NEEDED = 1,
    PLTGOT = 3,
    STRTAB = 5,
    SYMTAB = 6,
    RELA = 7,
    RELASZ = 8,
    RELAENT = 9,
    STRSZ = 10,
    SYMENT = 11,
    INIT = 12,
    PLTREL = 20,
    JMPREL = 23,
    INIT_ARRAY = 25,
    INIT_ARRAYSZ = 27,
    GNU_HASH = 0x6ffffef5,
    VERSYM = 0x6ffffff0,
    RELACOUNT = 0x6ffffff9,
    VERNEED = 0x6ffffffe,
};

static inline size_t name_of(const char *name)
{
    for (size_t i = 0; i + strlen(name) < code.size; i++) {
        if (!memcmp(at + i, name, strlen(name) + 1))
            return i;
    }
    ck_abort_msg("no string %s", name);
}

/* Of the record of the archive's directory that names it. */
static inline size_t entry_of(const char *end)
{
    struct dg_text name = dg_text(end);

    for (size_t i = pte.size - name.size; i--;) {
        size_t size = dg_u16(pte.bytes + i + 28);

        if (!memcmp(pte.bytes + i, "PK\1\2", 4) && i + 46 + size <= pte.size &&
            size >= name.size &&
            !memcmp(pte.bytes + i + 46 + size - name.size, end, name.size))
            return i;
    }
    ck_abort_msg("no entry %s", end);
}

/* How many remarks of a rule there are, after `old` in the content of an entry became
 * `new`, which is as long. */
static inline size_t remarks_after(const char *rule, const char *end, const char *old,
                                   const char *new)
{
    size_t local, n;
    uint8_t *content;

    pte_open("data/aoti_package.pt2");
    local = dg_u32(pte.bytes + entry_of(end) + 42);
    content = pte.bytes + local + 30 + dg_u16(pte.bytes + local + 26) +
              dg_u16(pte.bytes + local + 28);
    while (memcmp(content, old, strlen(old)) != 0)
        content++;
    memcpy(content, new, strlen(old));
    ck_assert_int_eq(pte_read(pte.size), DG_OK);
    ck_assert_uint_eq(pte_count_remarks("library/format"), 0);
    n = pte_count_remarks(rule);
    pte_close();
    return n;
}

#define KERNEL_META "kernel_metadata.json"

#define WRAPPER_META "wrapper_metadata.json"

#endif
