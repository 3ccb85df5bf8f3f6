/* The folder that an export writes into: a mark in it tells, until the manifest is
 * there, that what it holds is an export all the same. */
#include "cli/export_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/output.h"
#include "base/output_stale.h"
#include "store/schema.h"
#include "store/store.h"

static const char mark_name[] = "export.unfinished", manifest_name[] = "manifest.json";
static const char mark_text[] =
    "delegraph export writes into this folder, or was ended on its way; the same"
    " command begins anew.\n";
static const char *const endings[] = {"csv", "jsonl", "parquet"};

static const char *path_in(struct dg_arena *memory, const char *folder,
                           const char *name)
{
    return dg_format(memory, "%s/%s", folder, name).data;
}

static void remove_file(const char *path)
{
    unlink(path);
    dg_output_remove_stale(path);
}

void dg_export_remove_tables(const char *path, const char *ending)
{
    struct dg_text rest = dg_text(dg_store_schema());
    struct dg_arena memory = {0};
    struct dg_entry entry;

    while (dg_schema_next(&rest, &entry)) {
        if (dg_text_is(entry.type, "table"))
            remove_file(dg_format(&memory, "%s/%s.%s", path,
                                  dg_copy(&memory, entry.name), ending)
                            .data);
    }
    dg_arena_clear(&memory);
}

static void remove_export(const char *path)
{
    struct dg_arena memory = {0};

    remove_file(path_in(&memory, path, manifest_name));
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        dg_export_remove_tables(path, endings[i]);
    dg_arena_clear(&memory);
}

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool empty = folder;

    while (empty && (entry = readdir(folder)))
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    if (folder)
        closedir(folder);
    return empty;
}

/* Other programs have files of that name, too. */
static bool is_manifest(const char *path)
{
    char begin[65] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = file < 0 ? -1 : read(file, begin, sizeof(begin) - 1);

    if (file >= 0)
        close(file);
    return n > 0 && dg_text_begins(dg_text(begin), "{\"schema_version\":") &&
           strstr(begin, ",\"generation\":");
}

static bool is_export(const char *path)
{
    struct dg_arena memory = {0};
    bool is = !access(path_in(&memory, path, mark_name), F_OK) ||
              is_manifest(path_in(&memory, path, manifest_name));

    dg_arena_clear(&memory);
    return is;
}

/* A new folder, or one that may be written into. */
static enum dg_status choose(struct dg_export_folder *folder, struct dg_error *err)
{
    struct stat state;

    folder->made = !mkdir(folder->path, 0777);
    if (folder->made)
        return DG_OK;
    if (errno != EEXIST)
        return dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", folder->path,
                       strerror(errno));
    if (stat(folder->path, &state) || !S_ISDIR(state.st_mode))
        return dg_fail(err, DG_ERR_USAGE, "%s: a file, expected a folder",
                       folder->path);
    if (is_export(folder->path) || is_empty(folder->path))
        return DG_OK;
    return dg_fail(err, DG_ERR_USAGE,
                   "%s: the folder holds something else than an export; expected a new"
                   " one",
                   folder->path);
}

static enum dg_status set_mark(struct dg_export_folder *folder, struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char *path = path_in(&memory, folder->path, mark_name);

    folder->mark = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (folder->mark < 0)
        dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    else if (!dg_output_lock(folder->mark))
        dg_fail(err, DG_ERR_USAGE, "%s: another export writes into it", folder->path);
    else if (!dg_write_all(folder->mark, mark_text, sizeof(mark_text) - 1)) {
        dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
        unlink(path);
    }
    dg_arena_clear(&memory);
    return err->status;
}

enum dg_status dg_export_folder_open(struct dg_export_folder *folder, const char *path,
                                     struct dg_error *err)
{
    enum dg_status status;

    *folder = (struct dg_export_folder){.path = path, .mark = -1};
    status = choose(folder, err);
    if (!status)
        status = set_mark(folder, err);
    if (!status) {
        remove_export(path);
        return DG_OK;
    }
    if (folder->mark >= 0)
        close(folder->mark);
    if (folder->made)
        rmdir(path);
    return status;
}

enum dg_status dg_export_folder_close(struct dg_export_folder *folder,
                                      enum dg_status status)
{
    struct dg_arena memory = {0};

    if (status)
        remove_export(folder->path);
    unlink(path_in(&memory, folder->path, mark_name));
    close(folder->mark);
    if (status && folder->made)
        rmdir(folder->path);
    dg_arena_clear(&memory);
    return status;
}
