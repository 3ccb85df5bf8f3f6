/* Where the bytes of the file go: every byte once, so that the parts add up to it. */
#include "reports/sections/size_parts.h"

#include <stdlib.h>

#include "base/sorted.h"

#define CONSTANTS "Weights, buffers, constants"

/* group, name, dtype, begin, bytes, layer. */
static const char parts_sql[] =
    "SELECT '" CONSTANTS "', coalesce(fqn, kind || ' ' || idx), dtype, file_offset,"
    " nbytes, 0 FROM constant WHERE artifact_id = ?1 AND kind <> 'reserved'"
    " UNION ALL SELECT 'Blobs of delegates', 'delegate ' ||"
    "  delegate.idx, NULL, blob_offset, blob_bytes, 0 FROM delegate JOIN method"
    "  ON method.id = method_id WHERE artifact_id = ?1"
    " UNION ALL SELECT CASE segment.kind"
    "  WHEN 'weight' THEN iif(stored_bytes < size_bytes, '" CONSTANTS "',"
    "   'Around weights: alignment, what nothing names')"
    "  WHEN 'constant' THEN iif(stored_bytes < size_bytes, '" CONSTANTS "',"
    "   'Around weights: alignment, what nothing names')"
    "  WHEN 'mutable' THEN 'Initial state' WHEN 'delegate' THEN 'Blobs of delegates'"
    "  WHEN 'named_data' THEN 'Named data' WHEN 'unreferenced' THEN 'Segments that"
    "  nothing refers to' WHEN 'model' THEN 'Graphs (JSON)'"
    "  WHEN 'sample_inputs' THEN 'Sample inputs' ELSE 'Other entries of the archive'"
    "  END, coalesce(reader, name, 'segment ' || segment.idx), NULL,"
    "  segment.file_offset, stored_bytes, 1 FROM segment"
    "  LEFT JOIN (SELECT segment_idx, min(delegate.id), 'delegate ' ||"
    "    delegate.idx AS reader FROM named_data"
    "    JOIN delegate_key ON delegate_key.key = named_data.key JOIN delegate"
    "    ON delegate.id = delegate_id WHERE named_data.artifact_id = ?1"
    "    GROUP BY segment_idx) AS readers"
    "   ON readers.segment_idx = segment.idx AND segment.kind = 'named_data'"
    "  WHERE segment.artifact_id = ?1"
    " UNION ALL SELECT 'Program (FlatBuffer)', NULL, NULL,"
    "  json_extract(version, '$.program'), json_extract(version, '$.program_size'), 1"
    "  FROM artifact WHERE id = ?1 AND kind = 'pte'";

static void add_part(struct dg_file_parts *parts, const struct dg_rows *rows)
{
    size_t n = parts->n_items, n_stretches = n;
    struct dg_file_part *part = DG_APPEND(parts->items, parts->n_items);
    struct dg_stretch *stretch = DG_APPEND(parts->stretches, n_stretches);

    part->group = dg_rows_keep(&parts->memory, rows, 0);
    part->name = dg_rows_keep(&parts->memory, rows, 1);
    part->dtype = dg_rows_keep(&parts->memory, rows, 2);
    stretch->begin = dg_rows_int_or(rows, 3, -1);
    stretch->layer = (enum dg_stretch_layer)dg_rows_int(rows, 5);
    if (__builtin_add_overflow(stretch->begin, dg_rows_int_or(rows, 4, 0),
                               &stretch->end))
        stretch->end = INT64_MAX;
}

static enum dg_status load(struct dg_file_parts *parts,
                           const struct dg_report_input *input, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(input->store, parts_sql, input->artifact, err);
    enum dg_status status;

    while (dg_rows_next(&rows))
        add_part(parts, &rows);
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status)
        status = dg_store_int_of(input->store,
                                 "SELECT size_bytes FROM artifact WHERE id = ?1",
                                 input->artifact, 0, &parts->size, err);
    parts->nobody = dg_stretches_divide(parts->stretches, parts->n_items, parts->size);
    return status;
}

struct group {
    struct dg_text name;
    int64_t bytes, count;
};

static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->name.data, y->name.data);
}

static struct group *group_named(struct group **groups, size_t *n, struct dg_text name)
{
    struct group *group;

    for (size_t i = 0; i < *n; i++)
        if (dg_text_equal((*groups)[i].name, name))
            return &(*groups)[i];
    group = DG_APPEND(*groups, *n);
    group->name = name;
    return group;
}

static struct group *add_groups(const struct dg_file_parts *parts, size_t *n)
{
    struct group *groups = NULL;

    for (size_t i = 0; i < parts->n_items; i++) {
        struct group *group;

        if (!parts->stretches[i].own)
            continue;
        group = group_named(&groups, n, parts->items[i].group);
        group->bytes += parts->stretches[i].own;
        group->count++;
    }
    *DG_APPEND(groups, *n) =
        (struct group){dg_text("Headers and alignment"), parts->nobody, 0};
    dg_sort(groups, *n, sizeof(*groups), compare_groups);
    return groups;
}

static void show_groups(struct dg_page *page, const struct dg_file_parts *parts)
{
    size_t n = 0;
    struct group *groups = add_groups(parts, &n);

    page->forms = DG_FORM_ALL;
    dg_page_fact(page, -1, "File", "%s", dg_amount_bytes(page, parts->size));
    for (size_t i = 0; i < n && i < 2; i++)
        dg_page_fact(page, dg_share(groups[i].bytes, parts->size), groups[i].name.data,
                     "%s", dg_amount_bytes(page, groups[i].bytes));
    page->forms = DG_FORM_HTML | DG_FORM_TEXT;
    dg_page_table(page, "size-parts", "Where the bytes of the file go");
    dg_table_columns(page, "Part:text", "Items:count", "Bytes:bytes", "Share:percent",
                     NULL);
    for (size_t i = 0; i < n; i++) {
        dg_table_text(page, groups[i].name);
        if (groups[i].count)
            dg_table_number(page, (double)groups[i].count);
        else
            dg_table_none(page);
        dg_table_number(page, (double)groups[i].bytes);
        dg_table_number(
            page, 100 * (parts->size ? dg_share(groups[i].bytes, parts->size) : 0));
    }
    free(groups);
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    struct dg_file_parts parts = {0};
    enum dg_status status = load(&parts, input, err);

    if (!status) {
        show_groups(page, &parts);
        page->forms = DG_FORM_HTML;
        dg_size_map(page, &parts);
    }
    free(parts.items);
    free(parts.stretches);
    dg_arena_clear(&parts.memory);
    return status;
}

const struct dg_section dg_section_size = {
    .id = "size",
    .title = "Size",
    .write = write,
};
