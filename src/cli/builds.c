#define _GNU_SOURCE
#include "cli/builds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/output.h"
#include "cli/build_choice.h"
#include "cli/measuring.h"
#include "formats/input.h"

enum dg_status dg_build_check(const struct dg_build *build, struct dg_error *err)
{
    if (build->name && !*build->name)
        return dg_fail(err, DG_ERR_USAGE, "--name: expected a name");
    return dg_labels_check(&build->labels, err);
}

static enum dg_status refuse(const char *path, struct dg_error *err)
{
    return dg_fail(err, DG_ERR_IO, "%s: cannot add to it: %s", path, strerror(errno));
}

/* That of the store, not of a link to it, which others do not go by. */
static int open_folder(const char *path)
{
    char *whole = realpath(path, NULL);
    const char *at = whole ? whole : path, *slash = strrchr(at, '/');
    struct dg_arena memory = {0};
    const char *folder = !slash ? "."
                         : slash == at
                             ? "/"
                             : dg_format(&memory, "%.*s", (int)(slash - at), at).data;
    int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    dg_arena_clear(&memory);
    free(whole);
    return opened;
}

/* The folder is locked: a store that is not there yet cannot be. */
enum dg_status dg_builds_lock(int *lock, const char *path, struct dg_error *err)
{
    *lock = open_folder(path);
    while (*lock >= 0 && flock(*lock, LOCK_EX)) {
        if (errno == EINTR)
            continue;
        close(*lock);
        *lock = -1;
    }
    return *lock < 0 ? refuse(path, err) : DG_OK;
}

static bool copy_bytes(int from, int to)
{
    static char room[1 << 16];
    ssize_t n;

    while ((n = read(from, room, sizeof(room))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || !dg_write_all(to, room, (size_t)n))
            return false;
    }
    return true;
}

/* File systems that can share the blocks of both do. */
static bool copy(int from, int to)
{
    enum { AT_ONCE = 1 << 30 };
    ssize_t n;

    while ((n = copy_file_range(from, NULL, to, NULL, AT_ONCE, 0)) > 0)
        ;
    return n == 0 || copy_bytes(from, to);
}

enum dg_status dg_builds_copy(const char *from, const char *path, struct dg_error *err)
{
    int source = open(from, O_RDONLY | O_CLOEXEC), to = -1;
    bool copied;

    if (source < 0)
        return errno == ENOENT ? DG_OK : refuse(from, err);
    to = open(path, O_WRONLY | O_CLOEXEC);
    copied = to >= 0 && copy(source, to);
    if (!copied)
        refuse(from, err);
    close(source);
    if (to >= 0 && close(to) && copied)
        return refuse(from, err);
    return copied ? DG_OK : err->status;
}

bool dg_builds_are_there(const char *path)
{
    struct stat state;

    return !stat(path, &state) && state.st_size > 0;
}

/* One program and what stands behind it. */
struct addition {
    struct dg_store *store;
    char **paths;
    size_t n_paths;
    const struct dg_build *words;
    int64_t artifact, build;
    struct dg_writer companions; /* their artifacts, as JSON; empty: none */
    struct dg_measuring *measuring;
};

/* The artifact with the bytes of a file that belongs to `owner`; 0: none has them. */
static enum dg_status find_bytes(int64_t *artifact, const struct addition *addition,
                                 const struct dg_input *input, int64_t owner,
                                 struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, addition->store,
                                         "SELECT id FROM artifact WHERE sha256 = ?1"
                                         "  AND companion_of IS nullif(?2, 0)",
                                         err);

    *artifact = 0;
    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, input->sha256);
    dg_rows_bind_int(&rows, 2, owner);
    if (dg_rows_next(&rows))
        *artifact = dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Finds a file, or adds it. */
static enum dg_status load_file(int64_t *artifact, const struct addition *addition,
                                const char *path, int64_t owner, struct dg_error *err)
{
    struct dg_input input = {0};
    struct dg_arena memory = {0};
    enum dg_status status = dg_input_map(&input, path, err);

    if (!status && dg_store_recognises(input.file))
        status = dg_fail(err, DG_ERR_USAGE, "%s: a store, expected a program", path);
    if (!status && !owner && dg_input_role(&input))
        status = dg_fail(err, DG_ERR_USAGE,
                         "%s: it belongs to a program, which stands before it", path);
    if (!status) {
        input.sha256 = dg_sha256_of_file(input.file, input.mapped, &memory);
        status = find_bytes(artifact, addition, &input, owner, err);
    }
    if (!status && !*artifact) {
        status = dg_input_load_beside(&input, addition->store, owner, DG_HASH_ALL, err);
        if (!status)
            status = dg_store_int(addition->store, "SELECT max(id) FROM artifact", 0,
                                  artifact, err);
    }
    dg_input_close(&input);
    dg_arena_clear(&memory);
    return status;
}

/* What is there already is not loaded again. */
static enum dg_status load_files(struct addition *addition, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    addition->companions.size = 0;
    for (size_t i = 0; i < addition->n_paths && !status; i++) {
        int64_t owner = i ? addition->artifact : 0, artifact = 0;

        status = load_file(&artifact, addition, addition->paths[i], owner, err);
        if (i)
            dg_print(&addition->companions, "%s%lld", i > 1 ? "," : "[",
                     (long long)artifact);
        else
            addition->artifact = artifact;
    }
    if (addition->n_paths > 1)
        dg_print(&addition->companions, "]");
    return status;
}

/* Runs one statement with ?1 = `id`, and texts behind it where there are any. */
static enum dg_status change(struct dg_store *store, const char *sql, int64_t id,
                             struct dg_text first, struct dg_text second,
                             struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, sql, err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, id);
    if (first.data)
        dg_rows_bind_text(&rows, 2, first);
    if (second.data)
        dg_rows_bind_text(&rows, 3, second);
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status add_build(struct addition *addition, struct dg_error *err)
{
    const char *path = addition->paths[0], *slash = strrchr(path, '/');
    const char *name = addition->words->name;
    const struct dg_list *labels = &addition->words->labels;
    enum dg_status status =
        change(addition->store,
               "INSERT INTO build (artifact_id, name, companions) VALUES (?1, ?2, ?3)",
               addition->artifact,
               dg_text(name    ? name
                       : slash ? slash + 1
                               : path),
               addition->companions.size ? dg_written(&addition->companions)
                                         : (struct dg_text){0},
               err);

    if (!status)
        status = dg_store_int(addition->store, "SELECT max(id) FROM build", 0,
                              &addition->build, err);
    for (size_t i = 0; i < labels->n_items && !status; i++) {
        const char *equals = strchr(labels->items[i], '=');

        status = change(
            addition->store, "INSERT INTO build_label VALUES (?1, ?2, ?3)",
            addition->build,
            (struct dg_text){labels->items[i], (size_t)(equals - labels->items[i])},
            dg_text(equals + 1), err);
    }
    return status;
}

/* Of an earlier build of the same files, if its findings are there by rule: earlier
 * versions kept only how many there are. */
static const char copy_measures[] =
    "INSERT INTO measure SELECT ?1, name, value FROM measure JOIN"
    "  (SELECT max(other.id) AS id FROM build AS other JOIN build AS own"
    "    ON own.id = ?1 AND other.artifact_id = own.artifact_id AND other.id < own.id"
    "     AND other.companions IS own.companions) AS source ON build_id = source.id"
    " WHERE (SELECT total(iif(instr(name, ':'), -value, value)) FROM measure"
    "   WHERE build_id = source.id AND (instr(name, ':')"
    "    OR name IN ('errors', 'warnings', 'notes'))) = 0";

static enum dg_status measure_build(struct addition *addition, struct dg_error *err)
{
    int64_t n = 0;
    enum dg_status status = change(addition->store, copy_measures, addition->build,
                                   (struct dg_text){0}, (struct dg_text){0}, err);

    if (!status)
        status = dg_store_int_of(addition->store,
                                 "SELECT count(*) FROM measure WHERE build_id = ?1",
                                 addition->build, 0, &n, err);
    if (!status && !n)
        dg_measuring_add(addition->measuring, addition->paths, addition->n_paths,
                         addition->build);
    return status;
}

enum dg_status dg_builds_keep_files(char **paths, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (; *paths; paths++) {
        struct dg_error why = {0};

        if (!dg_input_keep(*paths, &why))
            continue;
        if (status)
            dg_complain(err);
        *err = why;
        status = why.status;
    }
    return status;
}

/* Of a pipe that a shell made, or standard input, the name says nothing, and is another
 * one next time. */
static enum dg_status check_name(const struct addition *addition, struct dg_error *err)
{
    const char *path = addition->paths[0];
    bool nameless = !strcmp(path, "-") || !strcmp(path, "/dev/stdin") ||
                    !strncmp(path, "/dev/fd/", 8) ||
                    !strncmp(path, "/proc/self/fd/", 14);

    return addition->words->name || !nameless
               ? DG_OK
               : dg_fail(err, DG_ERR_USAGE,
                         "%s: no name for a build; expected --name NAME", path);
}

static bool is_companion(const char *path)
{
    struct dg_input input = {0};
    struct dg_error ignored = {0};
    bool is = !dg_input_map(&input, path, &ignored) && dg_input_role(&input);

    dg_input_close(&input);
    return is;
}

enum dg_status dg_builds_add(struct dg_store *store, char **paths,
                             const struct dg_build *words, struct dg_error *err)
{
    struct addition addition = {.store = store, .words = words};
    enum dg_status status = DG_OK;

    addition.measuring = dg_measuring_begin(words->jobs);
    for (; *paths && !status; paths += addition.n_paths) {
        addition.paths = paths;
        addition.n_paths = 1;
        while (paths[addition.n_paths] && is_companion(paths[addition.n_paths]))
            addition.n_paths++;
        status = check_name(&addition, err);
        if (!status)
            status = load_files(&addition, err);
        if (!status)
            status = add_build(&addition, err);
        if (!status)
            status = measure_build(&addition, err);
    }
    dg_writer_clear(&addition.companions);
    return dg_measuring_end(addition.measuring, store, status, err);
}
