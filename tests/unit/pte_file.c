#include "unit/pte_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/blob.h"
#include "unit/suite.h"

struct pte_file pte;

enum { MOST = 1 << 20 };

void pte_open(const char *path)
{
    const char *top = getenv("top_srcdir");
    char whole[512];
    FILE *file;

    snprintf(whole, sizeof(whole), "%s/tests/%s", top ? top : ".", path);
    file = fopen(whole, "rb");
    ck_assert_msg(file, "%s", whole);
    pte.bytes = malloc(MOST);
    ck_assert_ptr_nonnull(pte.bytes);
    pte.size = fread(pte.bytes, 1, MOST, file);
    fclose(file);
}

enum dg_status pte_read(size_t size)
{
    const struct dg_bytes file = {pte.bytes, size};
    const struct dg_reader *reader =
        dg_reader_ptd.recognises(file)   ? &dg_reader_ptd
        : dg_reader_pt2.recognises(file) ? &dg_reader_pt2
                                         : &dg_reader_pte;

    dg_program_clear(&pte.program);
    pte.err = (struct dg_error){0};
    return reader->read(file, false, &pte.program, &pte.err);
}

void pte_load(const char *path)
{
    pte_open(path);
    ck_assert_msg(!pte_read(pte.size), "%s", pte.err.text);
}

void pte_open_blob(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "fuzz/corpus/blob/%s", name);
    pte_open(path);
}

void pte_read_blob(const char *backend)
{
    struct dg_blobs blobs = {&pte.program};
    struct dg_delegate_row *delegate;

    dg_program_clear(&pte.program);
    blobs.effort = pte.size;
    delegate = dg_add_delegate(&pte.program);
    delegate->backend = dg_text(backend);
    delegate->blob = (struct dg_bytes){pte.bytes, pte.size};
    dg_blobs_read(&blobs, 0);
    dg_blobs_clear(&blobs);
    ck_assert_uint_eq(pte.program.n_delegate_graphs, 1);
}

void pte_load_blob(const char *name, const char *backend)
{
    pte_open_blob(name);
    pte_read_blob(backend);
}

void pte_close(void)
{
    dg_program_clear(&pte.program);
    free(pte.bytes);
    pte.bytes = NULL;
}

const char *pte_operands(int64_t node)
{
    static char text[256];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < pte.program.n_operands; i++) {
        const struct dg_operand_row *row = &pte.program.operands[i];
        const char *mark = *row->access == 'r' ? "" : *row->access == 'w' ? "w" : "b";

        if (row->node == node)
            length +=
                (size_t)snprintf(text + length, sizeof(text) - length, "%s%lld%s",
                                 row->pos ? " " : "", (long long)row->value_idx, mark);
    }
    return text;
}

const char *pte_sources(int64_t node)
{
    static char text[256];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < pte.program.n_edges; i++) {
        const struct dg_edge_row *row = &pte.program.edges[i];
        long long source = row->src, value = pte.program.values[row->value].idx;

        if (row->dst == node)
            length +=
                (size_t)snprintf(text + length, sizeof(text) - length, "%s%lld:%lld",
                                 row->pos ? " " : "", source, value);
    }
    return text;
}

size_t pte_count_remarks(const char *rule)
{
    size_t n = 0;

    for (size_t i = 0; i < pte.program.n_remarks; i++)
        n += !strcmp(pte.program.remarks[i].rule, rule);
    return n;
}

size_t pte_find_list(const int32_t *items, uint32_t n)
{
    for (size_t at = 0; at + 4 * n + 4 <= pte.size; at += 4) {
        if (dg_u32(pte.bytes + at) == n && !memcmp(pte.bytes + at + 4, items, 4 * n))
            return at + 4;
    }
    ck_abort_msg("no such list");
    return 0;
}
