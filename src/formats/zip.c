/* ZIP archives, read in place: the index of entries. */
#include "formats/zip.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "formats/zip_parts.h"

bool dg_zip_recognises(struct dg_bytes file)
{
    static const char *const marks[] = {"PK\3\4", "PK\5\6", "PK\6\6"};

    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        if (file.size >= 4 && !memcmp(file.data, marks[i], 4))
            return true;
    }
    return false;
}

static int compare_names(struct dg_text a, struct dg_text b)
{
    int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int by_name(const void *left, const void *right)
{
    const struct dg_zip_entry *const *a = left, *const *b = right;

    return compare_names((*a)->name, (*b)->name);
}

static int by_header(const void *left, const void *right)
{
    const struct dg_zip_entry *const *a = left, *const *b = right;

    return ((*a)->header > (*b)->header) - ((*a)->header < (*b)->header);
}

static enum dg_status refuse_overlap(const struct dg_zip *zip, struct dg_error *err)
{
    const struct dg_zip_entry **sorted = zip->by_name;

    dg_sort(sorted, zip->n_entries, sizeof(*sorted), by_header);
    for (size_t i = 1; i < zip->n_entries; i++) {
        const struct dg_zip_entry *a = sorted[i - 1], *b = sorted[i];

        if (a->stored.data + a->stored.size > zip->file.data + b->header)
            return dg_fail(err, DG_ERR_FORMAT,
                           "byte %llu: entries %s and %s share bytes",
                           (unsigned long long)b->header, dg_zip_show(a->name).text,
                           dg_zip_show(b->name).text);
    }
    return DG_OK;
}

static enum dg_status refuse_duplicates(const struct dg_zip *zip, struct dg_error *err)
{
    const struct dg_zip_entry **sorted = zip->by_name;

    dg_sort(sorted, zip->n_entries, sizeof(*sorted), by_name);
    for (size_t i = 1; i < zip->n_entries; i++) {
        if (dg_text_equal(sorted[i - 1]->name, sorted[i]->name))
            return dg_fail(err, DG_ERR_FORMAT, "the archive has two entries named %s",
                           dg_zip_show(sorted[i]->name).text);
    }
    return DG_OK;
}

static enum dg_status read_entries(struct dg_zip *zip,
                                   const struct dg_zip_directory *directory,
                                   struct dg_error *err)
{
    uint64_t at = directory->offset, end = at + directory->size;
    enum dg_status status = DG_OK;

    for (; zip->n_entries < directory->count && !status; zip->n_entries++)
        status = dg_zip_read_entry(&zip->entries[zip->n_entries], &at, zip->file,
                                   directory, err);
    if (!status && end - at >= 4 && dg_zip_is_central(zip->file.data + at))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %llu: the central directory has more entries than the "
                       "%llu declared",
                       (unsigned long long)at, (unsigned long long)directory->count);
    return status;
}

enum dg_status dg_zip_open(struct dg_zip *zip, struct dg_bytes file,
                           struct dg_error *err)
{
    struct dg_zip_directory directory;
    enum dg_status status = dg_zip_find_directory(&directory, file, err);

    *zip = (struct dg_zip){.file = file};
    if (status)
        return status;
    zip->entries = dg_alloc(&zip->memory, directory.count, sizeof(*zip->entries));
    zip->by_name = dg_alloc(&zip->memory, directory.count, sizeof(*zip->by_name));
    status = read_entries(zip, &directory, err);
    for (size_t i = 0; i < zip->n_entries; i++)
        zip->by_name[i] = &zip->entries[i];
    if (!status)
        status = refuse_overlap(zip, err);
    if (!status)
        status = refuse_duplicates(zip, err);
    if (status)
        zip->n_entries = 0;
    return status;
}

void dg_zip_clear(struct dg_zip *zip)
{
    dg_arena_clear(&zip->memory);
    *zip = (struct dg_zip){0};
}

const struct dg_zip_entry *dg_zip_find(const struct dg_zip *zip, struct dg_text name)
{
    size_t low = 0, high = zip->n_entries;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_names(name, zip->by_name[middle]->name);

        if (!order)
            return zip->by_name[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct dg_zip_entry *dg_zip_find_below(const struct dg_zip *zip,
                                             struct dg_text root, const char *folder,
                                             struct dg_text name)
{
    char path[256];
    size_t length = strlen(folder);

    if (root.size + length + name.size > sizeof(path))
        return NULL;
    if (root.size)
        memcpy(path, root.data, root.size);
    memcpy(path + root.size, folder, length);
    memcpy(path + root.size + length, name.data, name.size);
    return dg_zip_find(zip, (struct dg_text){path, root.size + length + name.size});
}
