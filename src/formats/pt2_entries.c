/* Entries of a .pt2 archive: names, kinds, content and checksums. */
#include <stdarg.h>
#include <stdio.h>

#include "formats/pt2.h"

const char *dg_pt2_label(struct dg_pt2 *pt2, struct dg_text name)
{
    struct dg_writer *out = &pt2->label;

    out->size = 0;
    if (dg_is_utf8(name)) {
        dg_write_plain(out, name);
    } else {
        for (size_t i = 0; i < name.size; i++) {
            unsigned char c = (unsigned char)name.data[i];

            dg_print(out, c < 0x20 || c >= 0x7f ? "\\x%02x" : "%c", c);
        }
    }
    return dg_copy(&pt2->program->memory, dg_written(out));
}

const char *dg_pt2_more(struct dg_pt2 *pt2, size_t n)
{
    return n ? dg_format(&pt2->program->memory, ", and %zu more", n).data : "";
}

const struct dg_zip_entry *dg_pt2_find(struct dg_pt2 *pt2, const char *fmt, ...)
{
    char path[512];
    va_list args;
    int size;

    if (pt2->root.size > sizeof(path) / 2)
        return NULL;
    memcpy(path, pt2->root.data, pt2->root.size);
    va_start(args, fmt);
    size = vsnprintf(path + pt2->root.size, sizeof(path) - pt2->root.size, fmt, args);
    va_end(args);
    if (size < 0 || (size_t)size >= sizeof(path) - pt2->root.size)
        return NULL;
    return dg_zip_find(&pt2->zip,
                       (struct dg_text){path, pt2->root.size + (size_t)size});
}

int64_t dg_pt2_segment(const struct dg_pt2 *pt2, const struct dg_zip_entry *entry)
{
    return entry - pt2->zip.entries;
}

enum dg_status dg_pt2_read(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                           struct dg_bytes *content)
{
    bool crc_matches;
    enum dg_status status =
        dg_zip_read(&pt2->zip, entry, content, &crc_matches, pt2->err);

    if (!status && !crc_matches)
        pt2->crc_wrong[entry - pt2->zip.entries] = true;
    return status;
}

enum dg_status dg_pt2_begin_json(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                                 struct dg_json *json)
{
    struct dg_bytes content;
    enum dg_status status = dg_zip_content(&pt2->zip, entry, &content, pt2->err);

    if (status)
        return status;
    dg_json_begin(json, (struct dg_text){(const char *)content.data, content.size},
                  dg_pt2_label(pt2, entry->name), &pt2->program->memory, pt2->err);
    dg_json_sum(json);
    return DG_OK;
}

enum dg_status dg_pt2_end_json(struct dg_pt2 *pt2, const struct dg_zip_entry *entry,
                               struct dg_json *json)
{
    enum dg_status status = dg_json_end(json);

    if (dg_json_crc(json) != entry->crc)
        pt2->crc_wrong[entry - pt2->zip.entries] = true;
    return status;
}

/* The entry's name without the root. */
struct dg_text dg_pt2_inner_name(const struct dg_pt2 *pt2,
                                 const struct dg_zip_entry *entry)
{
    struct dg_text name = entry->name;

    if (pt2->old || name.size < pt2->root.size ||
        memcmp(name.data, pt2->root.data, pt2->root.size) != 0)
        return name;
    return (struct dg_text){name.data + pt2->root.size, name.size - pt2->root.size};
}

bool dg_pt2_ends(struct dg_text text, const char *suffix)
{
    size_t size = strlen(suffix);

    return text.size >= size && !memcmp(text.data + text.size - size, suffix, size);
}

/* Of an ETRecord, which keeps what belongs to a program under its name. */
static const char *kind_beside(struct dg_text name)
{
    return dg_pt2_ends(name, "_state_dict")       ? "weight"
           : dg_pt2_ends(name, "_constants")      ? "constant"
           : dg_pt2_ends(name, "_example_inputs") ? "sample_inputs"
                                                  : "model";
}

static const char *segment_kind(struct dg_text name)
{
    static const struct {
        const char *prefix, *kind;
    } kinds[] = {
        {"models/", "model"},
        {"serialized_exported_program", "model"},
        {"data/weights/", "weight"},
        {"serialized_state_dict", "weight"},
        {"data/constants/", "constant"},
        {"serialized_constants", "constant"},
        {"data/sample_inputs/", "sample_inputs"},
        {"serialized_example_inputs", "sample_inputs"},
        {"data/aotinductor/", "aotinductor"},
        {"data/executorch/", "executorch"},
        {"extra/", "extra"},
        {"extra_files/", "extra"},
        {"debug_handle_map", "meta"},
        {"delegate_map", "meta"},
        {"instruction_id_to_num_outs_map", "meta"},
        {"export_graph_id", "meta"},
        {"ETRECORD_V0", "meta"},
        {"archive_format", "meta"},
        {"archive_version", "meta"},
        {"byteorder", "meta"},
        {".data/", "meta"},
        {"version", "meta"},
    };

    if (dg_text_begins(name, "edge_dialect_exported_program") ||
        dg_text_begins(name, "exported_program"))
        return kind_beside(name);
    if (dg_pt2_ends(name, "_config.json") && (dg_text_begins(name, "data/weights/") ||
                                              dg_text_begins(name, "data/constants/")))
        return "config";
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (dg_text_begins(name, kinds[i].prefix))
            return kinds[i].kind;
    }
    return "other";
}

void dg_pt2_add_segments(struct dg_pt2 *pt2)
{
    for (size_t i = 0; i < pt2->zip.n_entries; i++) {
        const struct dg_zip_entry *entry = &pt2->zip.entries[i];
        struct dg_segment_row *row = dg_add_segment(pt2->program);

        row->idx = (int64_t)i;
        row->name = dg_text(dg_pt2_label(pt2, entry->name));
        row->kind = segment_kind(dg_pt2_inner_name(pt2, entry));
        row->file_offset = dg_pt2_offset(pt2, entry->stored);
        row->offset = row->file_offset == DG_NONE ? 0 : (uint64_t)row->file_offset;
        row->size_bytes = entry->size;
        row->stored_bytes = entry->stored.size;
    }
}

enum dg_status dg_pt2_verify(struct dg_pt2 *pt2)
{
    struct dg_bytes content;
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < pt2->zip.n_entries; i++)
        status = dg_pt2_read(pt2, &pt2->zip.entries[i], &content);
    return status;
}

/* torch can be told to write 0 for every CRC-32: then there is nothing to hold. */
static bool crc_absent(const struct dg_pt2 *pt2)
{
    for (size_t i = 0; i < pt2->zip.n_entries; i++) {
        if (pt2->zip.entries[i].crc)
            return false;
    }
    return true;
}

void dg_pt2_remark_on_crc(struct dg_pt2 *pt2)
{
    const struct dg_zip_entry *first = NULL;
    bool absent = crc_absent(pt2);
    size_t n_wrong = 0;

    for (size_t i = 0; i < pt2->zip.n_entries; i++) {
        if (!pt2->crc_wrong[i])
            continue;
        if (absent) {
            dg_remark(pt2->program, "format/pt2-crc-absent",
                      "every entry of the archive has a CRC-32 of 0: damage to the "
                      "file would not show");
            return;
        }
        first = n_wrong++ ? first : &pt2->zip.entries[i];
    }
    if (n_wrong)
        dg_remark(pt2->program, "format/pt2-archive",
                  "entry %s does not match its CRC-32 of %08x%s",
                  dg_pt2_label(pt2, first->name), (unsigned)first->crc,
                  dg_pt2_more(pt2, n_wrong - 1));
}
