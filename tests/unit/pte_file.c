#include "unit/pte_file.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
