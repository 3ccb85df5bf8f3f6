/* Mutants of FlatBuffers: numbers, types of unions, offsets, lengths and vtables. */
#include <stdlib.h>
#include <string.h>

#include "formats/flatbuffer.h"
#include "formats/pte_schema.h"
#include "formats/tensor_file_parts.h"
#include "fuzz/mutate.h"

enum { MOST_SITES = 1 << 15, ITEMS_OF_A_VECTOR = 8 };

enum site_kind { NUMBER, TEXT, LENGTH, SLOT, OFFSET };

/* `bytes` at `at` that may be changed; `leads` tells kinds of offsets apart. */
struct site {
    enum site_kind kind;
    size_t at, bytes;
    const void *leads;
};

struct sites {
    struct dg_bytes file;
    struct site *all;
    size_t n;
};

static void add(struct sites *sites, enum site_kind kind, const uint8_t *at,
                size_t bytes, const void *leads)
{
    if (sites->n < MOST_SITES)
        sites->all[sites->n++] =
            (struct site){kind, (size_t)(at - sites->file.data), bytes, leads};
}

static void visit(struct sites *sites, struct dg_flatbuffer_table table);

static void visit_vector(struct sites *sites, struct dg_vector vector,
                         const struct dg_field *field)
{
    size_t step = vector.n / ITEMS_OF_A_VECTOR + 1;

    add(sites, LENGTH, vector.at - 4, 4, NULL);
    if (field->kind == DG_FIELD_STRING && vector.n)
        add(sites, TEXT, vector.at, vector.n, NULL);
    for (size_t i = 0; field->kind == DG_FIELD_VECTOR && i < vector.n; i += step)
        add(sites, NUMBER, vector.at + i * field->bytes, field->bytes, NULL);
    for (size_t i = 0; field->kind == DG_FIELD_TABLES && i < vector.n; i++) {
        add(sites, OFFSET, vector.at + 4 * i, 4, field->type);
        if (sites->n < MOST_SITES)
            visit(sites, dg_vector_table(vector, i));
    }
}

static void visit_field(struct sites *sites, struct dg_flatbuffer_table table,
                        unsigned id, const uint8_t *at)
{
    const struct dg_field *field = &table.type->fields[id];
    struct dg_text text;

    if (field->kind == DG_FIELD_SCALAR) {
        add(sites, NUMBER, at, field->bytes, NULL);
        return;
    }
    add(sites, OFFSET, at, 4, field->type ? (const void *)field->type : &field->kind);
    switch (field->kind) {
    case DG_FIELD_STRING:
        text = dg_table_string(table, id);
        visit_vector(
            sites, (struct dg_vector){(const uint8_t *)text.data, text.size, 0}, field);
        break;
    case DG_FIELD_TABLE:
        visit(sites, dg_table_table(table, id));
        break;
    case DG_FIELD_UNION:
        visit(sites, dg_table_union(table, id));
        break;
    default:
        visit_vector(sites, dg_table_vector(table, id), field);
    }
}

static void visit(struct sites *sites, struct dg_flatbuffer_table table)
{
    const uint8_t *vtable;

    if (!table.at)
        return;
    vtable = table.at - (int32_t)dg_u32(table.at);
    add(sites, SLOT, vtable + 2, 2, NULL);
    for (unsigned id = 0; id < table.type->n_fields; id++) {
        const uint8_t *slot = vtable + 4 + 2 * id;

        if (4 + 2 * id + 2 > dg_u16(vtable))
            break;
        add(sites, SLOT, slot, 2, NULL);
        if (dg_u16(slot))
            visit_field(sites, table, id, table.at + dg_u16(slot));
    }
}

static void retarget(struct mutation *m, const struct sites *sites,
                     const struct site *site, uint64_t *value)
{
    bool alike = mutate_random(m, 4) != 0;

    for (size_t tries = 0; tries < 64; tries++) {
        const struct site *other = &sites->all[mutate_random(m, sites->n)];
        size_t target;

        if (other->kind != OFFSET || (alike && other->leads != site->leads))
            continue;
        target = other->at + dg_u32(sites->file.data + other->at);
        if (target > site->at && target != site->at + *value) {
            *value = target - site->at;
            return;
        }
    }
    *value = mutate_random(m, 2) ? mutate_number(m, *value) : *value + 4;
}

static void change(struct mutation *m, const struct sites *sites,
                   const struct site *site, char *file)
{
    uint64_t value = 0;
    const char *text = mutate_text(m);

    if (site->kind == TEXT) {
        size_t size = strlen(text) < site->bytes ? strlen(text) : site->bytes;

        memcpy(file + site->at, text, size);
        return;
    }
    memcpy(&value, file + site->at, site->bytes);
    if (site->kind == OFFSET)
        retarget(m, sites, site, &value);
    else if (site->kind == SLOT)
        value = mutate_random(m, 2) ? mutate_random(m, 12) * 4 : 0;
    else if (site->kind == LENGTH && mutate_random(m, 2))
        value = mutate_random(m, value + 2);
    else
        value = mutate_number(m, value);
    memcpy(file + site->at, &value, site->bytes);
}

/* The kind first, so that the many numbers do not hide the few types and lengths. */
static const struct site *choose(struct mutation *m, const struct sites *sites)
{
    enum site_kind kind = (enum site_kind)mutate_random(m, OFFSET + 1);

    for (size_t tries = 0; tries < 32; tries++) {
        const struct site *site = &sites->all[mutate_random(m, sites->n)];

        if (site->kind == kind)
            return site;
    }
    return &sites->all[mutate_random(m, sites->n)];
}

static const struct dg_table_type *type_of(struct dg_bytes file)
{
    if (!memcmp(file.data + 4, "ET12", 4))
        return &dg_pte_program;
    return memcmp(file.data + 4, "BP08", 4) ? &dg_ptd_program : &dg_bundled_program;
}

bool mutate_flatbuffer(struct mutation *m, struct dg_writer *file)
{
    struct sites sites = {.file = {(const uint8_t *)file->data, file->size}};
    const struct dg_table_type *type = type_of(sites.file);
    struct dg_error err = {0};
    size_t n_unknown;

    if (dg_flatbuffer_verify(sites.file, type, &n_unknown, &err))
        return false;
    sites.all = calloc(MOST_SITES, sizeof(*sites.all));
    visit(&sites, dg_flatbuffer_root(sites.file, type));
    for (uint64_t n = sites.n ? 1 + mutate_random(m, 3) : 0; n; n--)
        change(m, &sites, choose(m, &sites), file->data);
    free(sites.all);
    return true;
}
