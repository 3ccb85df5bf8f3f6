/* Archives of numpy, and folders of its arrays. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/sorted.h"
#include "formats/input.h"
#include "formats/tensor_file_parts.h"
#include "formats/zip.h"

/* The length of a name without its ".npy"; 0: it is not so called. */
static size_t stem(struct dg_text name)
{
    bool array = name.size > 4 && !memcmp(name.data + name.size - 4, ".npy", 4);

    return array ? name.size - 4 : 0;
}

static enum dg_status read_array(struct dg_value_set *set, struct dg_text name,
                                 struct dg_bytes content, bool ours,
                                 struct dg_error *err)
{
    struct dg_tensor *array = dg_npy_read(content, ours, &set->memory, err);

    return array ? dg_value_set_put_array(set, name, array, err) : err->status;
}

static enum dg_status read_entry(struct dg_value_set *set, struct dg_zip *zip,
                                 const struct dg_zip_entry *entry, struct dg_error *err)
{
    struct dg_text name = {entry->name.data, stem(entry->name)};
    struct dg_bytes content;
    bool crc_matches;

    if (!name.size)
        return dg_fail(err, DG_ERR_FORMAT, "expected entries named NAME.npy");
    if (dg_zip_read(zip, entry, &content, &crc_matches, err))
        return err->status;
    if (!crc_matches && entry->crc)
        return dg_fail(err, DG_ERR_FORMAT, "its CRC-32 does not match its content");
    return read_array(set, name, content, entry->deflated, err);
}

static enum dg_status fail_entry(struct dg_value_set *set, struct dg_text name,
                                 struct dg_error *err)
{
    struct dg_text place =
        dg_format(&set->memory, "entry %.*s", name.size < 100 ? (int)name.size : 100,
                  name.data ? name.data : "");

    return dg_fail_at(err, place.data);
}

static bool is_saved_by_torch(const struct dg_zip *zip)
{
    for (size_t i = 0; i < zip->n_entries; i++) {
        struct dg_text name = zip->entries[i].name;

        if (name.size >= 8 && !memcmp(name.data + name.size - 8, "data.pkl", 8))
            return true;
    }
    return false;
}

enum dg_status dg_npz_read(struct dg_value_set *set, struct dg_error *err)
{
    struct dg_zip zip = {0};
    enum dg_status status = dg_zip_open(&zip, set->file, err);
    bool saved_by_torch = !status && is_saved_by_torch(&zip);

    for (size_t i = 0; !status && !saved_by_torch && i < zip.n_entries; i++) {
        status = read_entry(set, &zip, &zip.entries[i], err);
        if (status)
            fail_entry(set, zip.entries[i].name, err);
    }
    dg_arena_adopt(&set->memory, &zip.memory);
    dg_zip_clear(&zip);
    return saved_by_torch ? dg_saved_tensors_read(set, err) : status;
}

/* in2 before in10: digits are compared as numbers. */
static int natural_order(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    size_t digits_x, digits_y;

    for (; *x && *x == *y; x++, y++)
        ;
    digits_x = strspn(x, "0123456789");
    digits_y = strspn(y, "0123456789");
    if (digits_x != digits_y)
        return digits_x < digits_y ? -1 : 1;
    return (unsigned char)*x - (unsigned char)*y;
}

static char **list_arrays(struct dg_value_set *set, DIR *folder, size_t *n_names)
{
    char **names = NULL;
    struct dirent *entry;

    while ((entry = readdir(folder))) {
        if (entry->d_name[0] != '.' && stem(dg_text(entry->d_name)))
            *DG_APPEND(names, *n_names) = dg_copy(&set->memory, dg_text(entry->d_name));
    }
    dg_sort(names, *n_names, sizeof(*names), natural_order);
    return names;
}

/* Who names a folder did not name a pipe in it, which may never end. */
static enum dg_status check_member(const char *path, const char *name,
                                   struct dg_error *err)
{
    struct stat state;

    if (!stat(path, &state) && !S_ISREG(state.st_mode))
        return dg_fail(err, DG_ERR_FORMAT, "%s: %s, expected a file", name,
                       S_ISDIR(state.st_mode) ? "a folder" : "a pipe or device");
    return DG_OK;
}

static enum dg_status read_member(struct dg_value_set *set, const char *name,
                                  struct dg_error *err)
{
    struct dg_text stem_of_name = {name, stem(dg_text(name))};
    const char *path = dg_format(&set->memory, "%s/%s", set->path, name).data;
    struct dg_input input = {0};
    enum dg_status status = check_member(path, name, err);
    struct dg_bytes copy;

    if (!status)
        status = dg_input_map(&input, path, err);
    if (!status) {
        copy = input.file;
        copy.data = dg_aligned_bytes(input.file, 0, &set->memory);
        status = read_array(set, stem_of_name, copy, true, err);
        if (status)
            dg_fail_at(err, name);
    }
    dg_input_close(&input);
    return status;
}

enum dg_status dg_npy_folder_read(struct dg_value_set *set, struct dg_error *err)
{
    DIR *folder = opendir(set->path);
    enum dg_status status = DG_OK;
    size_t n_names = 0;
    char **names;

    if (!folder)
        return dg_fail(err, DG_ERR_FORMAT, "cannot read: %s", strerror(errno));
    names = list_arrays(set, folder, &n_names);
    closedir(folder);
    if (!n_names)
        status = dg_fail(err, DG_ERR_FORMAT, "a folder without .npy files");
    for (size_t i = 0; !status && i < n_names; i++)
        status = read_member(set, names[i], err);
    free(names);
    return status;
}
