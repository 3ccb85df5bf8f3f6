/* One entry of a ZIP archive: its central record, and the local one held to it. */
#include "formats/zip_parts.h"

#include <stdio.h>

enum {
    LOCAL_SIZE = 30,
    ENCRYPTED = 1,
    EXTRA_ZIP64 = 1,
    STORED = 0,
    DEFLATED = 8,
    NAME_SHOWN = 100,
};

static const uint32_t central_mark = 0x02014b50, local_mark = 0x04034b50;

/* Of an entry, as the central directory says. */
struct fields {
    uint64_t size, packed, local, disk;
};

struct dg_zip_shown dg_zip_show(struct dg_text name)
{
    struct dg_zip_shown shown;
    size_t size = name.size;

    if (size > NAME_SHOWN) {
        for (size = NAME_SHOWN; size && (name.data[size] & 0xc0) == 0x80; size--) {
        }
    }
    for (size_t i = 0; i < size; i++) {
        bool is_control = (unsigned char)name.data[i] < ' ' || name.data[i] == 0x7f;

        shown.text[i] = is_control ? '?' : name.data[i];
    }
    strcpy(shown.text + size, size < name.size ? "..." : "");
    return shown;
}

bool dg_zip_is_central(const uint8_t *at)
{
    return dg_u32(at) == central_mark;
}

/* Take eight bytes of the ZIP64 extra field for a value that had no room. */
static bool widen(uint64_t *value, uint64_t full, struct dg_bytes *extra)
{
    if (*value != full)
        return true;
    if (extra->size < 8)
        return false;
    *value = dg_u64(extra->data);
    *extra = dg_slice(*extra, 8, extra->size - 8);
    return true;
}

/* The ZIP64 extra field, or nothing. */
static struct dg_bytes find_zip64(struct dg_bytes extra)
{
    while (extra.size >= 4) {
        size_t size = dg_u16(extra.data + 2);

        if (size > extra.size - 4)
            break;
        if (dg_u16(extra.data) == EXTRA_ZIP64)
            return dg_slice(extra, 4, size);
        extra = dg_slice(extra, 4 + size, extra.size - 4 - size);
    }
    return (struct dg_bytes){0};
}

static enum dg_status read_fields(struct fields *fields, const uint8_t *at,
                                  struct dg_text name, struct dg_error *err)
{
    struct dg_bytes extra = {at + DG_ZIP_CENTRAL_SIZE + name.size, dg_u16(at + 30)};

    *fields = (struct fields){
        .size = dg_u32(at + 24),
        .packed = dg_u32(at + 20),
        .local = dg_u32(at + 42),
        .disk = dg_u16(at + 34),
    };
    extra = find_zip64(extra);
    if (!widen(&fields->size, UINT32_MAX, &extra) ||
        !widen(&fields->packed, UINT32_MAX, &extra) ||
        !widen(&fields->local, UINT32_MAX, &extra))
        return dg_fail(err, DG_ERR_FORMAT,
                       "entry %s has no room for its size; expected a ZIP64 field",
                       dg_zip_show(name).text);
    if (fields->disk == UINT16_MAX && extra.size >= 4)
        fields->disk = dg_u32(extra.data);
    return DG_OK;
}

static enum dg_status check_fields(const struct fields *fields, const uint8_t *at,
                                   struct dg_text name, struct dg_error *err)
{
    struct dg_zip_shown shown = dg_zip_show(name);

    if (!name.size)
        return dg_fail(err, DG_ERR_FORMAT, "byte %llu: an entry has no name",
                       (unsigned long long)fields->local);
    if (memchr(name.data, '\0', name.size))
        return dg_fail(err, DG_ERR_FORMAT, "the name of entry %s contains NUL",
                       shown.text);
    if (dg_u16(at + 8) & ENCRYPTED)
        return dg_fail(err, DG_ERR_FORMAT, "entry %s is encrypted", shown.text);
    if (fields->disk)
        return dg_fail(err, DG_ERR_FORMAT, "entry %s is on disk %llu; expected one",
                       shown.text, (unsigned long long)fields->disk);
    if (dg_u16(at + 10) == STORED && fields->size != fields->packed)
        return dg_fail(err, DG_ERR_FORMAT,
                       "entry %s is stored in %llu bytes, but says that it has %llu",
                       shown.text, (unsigned long long)fields->packed,
                       (unsigned long long)fields->size);
    return DG_OK;
}

static bool same_header(const uint8_t *local, const uint8_t *central,
                        struct dg_text name)
{
    return dg_u16(local + 8) == dg_u16(central + 10) &&
           dg_u16(local + 26) == name.size &&
           !memcmp(local + LOCAL_SIZE, name.data, name.size);
}

/* Fill `entry->stored`; entries end where the directory begins. */
static enum dg_status find_data(struct dg_zip_entry *entry, const uint8_t *central,
                                const struct fields *fields, struct dg_bytes file,
                                uint64_t limit, struct dg_error *err)
{
    struct dg_zip_shown shown = dg_zip_show(entry->name);
    const uint8_t *local;
    uint64_t head;

    if (!dg_inside(fields->local, LOCAL_SIZE + entry->name.size, limit) ||
        dg_u32(file.data + fields->local) != local_mark)
        return dg_fail(err, DG_ERR_FORMAT, "byte %llu: expected the header of entry %s",
                       (unsigned long long)fields->local, shown.text);
    local = file.data + fields->local;
    if (!same_header(local, central, entry->name))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %llu: the header of entry %s has another name or method "
                       "than the central directory",
                       (unsigned long long)fields->local, shown.text);
    head = LOCAL_SIZE + entry->name.size + dg_u16(local + 28);
    if (!dg_inside(fields->local, head, limit) ||
        !dg_inside(fields->local + head, fields->packed, limit))
        return dg_fail(
            err, DG_ERR_FORMAT,
            "byte %llu: entry %s has %llu bytes; expected them to end before "
            "the central directory at byte %llu",
            (unsigned long long)fields->local, shown.text,
            (unsigned long long)fields->packed, (unsigned long long)limit);
    entry->header = fields->local;
    entry->stored = dg_slice(file, fields->local + head, fields->packed);
    return DG_OK;
}

enum dg_status dg_zip_read_entry(struct dg_zip_entry *entry, uint64_t *at,
                                 struct dg_bytes file,
                                 const struct dg_zip_directory *directory,
                                 struct dg_error *err)
{
    uint64_t end = directory->offset + directory->size;
    const uint8_t *central = file.data + *at;
    struct fields fields;
    uint64_t size = DG_ZIP_CENTRAL_SIZE;
    enum dg_status status;

    if (!dg_inside(*at, size, end) || !dg_zip_is_central(central))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %llu: expected an entry of the central directory",
                       (unsigned long long)*at);
    size +=
        (uint64_t)dg_u16(central + 28) + dg_u16(central + 30) + dg_u16(central + 32);
    if (!dg_inside(*at, size, end))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %llu: an entry runs past the central directory",
                       (unsigned long long)*at);
    entry->name = (struct dg_text){(const char *)central + DG_ZIP_CENTRAL_SIZE,
                                   dg_u16(central + 28)};
    status = read_fields(&fields, central, entry->name, err);
    if (!status)
        status = check_fields(&fields, central, entry->name, err);
    if (status)
        return status;
    entry->size = fields.size;
    entry->crc = dg_u32(central + 16);
    entry->method = dg_u16(central + 10);
    entry->deflated = entry->method == DEFLATED;
    *at += size;
    return find_data(entry, central, &fields, file, directory->offset, err);
}
