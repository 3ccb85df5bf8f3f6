#define _GNU_SOURCE
#include "cli/builds.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "formats/input.h"
#include "verifiers/measures.h"
#include "verifiers/verifier.h"

enum dg_status dg_build_check(const struct dg_build *build, struct dg_error *err)
{
    for (size_t i = 0; i < build->labels.n_items; i++) {
        const char *label = build->labels.items[i], *equals = strchr(label, '=');

        if (!equals || equals == label)
            return dg_fail(err, DG_ERR_USAGE,
                           "--label \"%.80s\": expected NAME=VALUE, for instance"
                           " branch=main",
                           label);
    }
    return DG_OK;
}

static enum dg_status refuse(const char *path, struct dg_error *err)
{
    return dg_fail(err, DG_ERR_IO, "%s: cannot add to it: %s", path, strerror(errno));
}

/* Whoever waited for another one holds a file that was replaced. */
static bool is_still_there(int file, const char *path)
{
    struct stat held, there;

    return !fstat(file, &held) && !stat(path, &there) && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

enum dg_status dg_builds_lock(int *lock, const char *path, struct dg_error *err)
{
    for (;;) {
        *lock = open(path, O_RDONLY | O_CLOEXEC);
        if (*lock < 0)
            return errno == ENOENT ? DG_OK : refuse(path, err);
        if (flock(*lock, LOCK_EX) && errno != EINTR) {
            refuse(path, err);
            close(*lock);
            *lock = -1;
            return err->status;
        }
        if (is_still_there(*lock, path))
            return DG_OK;
        close(*lock);
    }
}

static bool write_all(int to, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(to, bytes, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

static bool copy_bytes(int from, int to)
{
    static char room[1 << 16];
    ssize_t n;

    while ((n = read(from, room, sizeof(room))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || !write_all(to, room, (size_t)n))
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

enum dg_status dg_builds_copy(int from, const char *path, struct dg_error *err)
{
    int to = open(path, O_WRONLY | O_CLOEXEC);
    bool copied = to >= 0 && copy(from, to);

    if (!copied)
        refuse(path, err);
    if (to >= 0 && close(to) && copied)
        return refuse(path, err);
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
    const struct dg_build *build;
    int64_t artifact;
    struct dg_store *spare; /* for the next program that is measured */
};

static enum dg_status load_file(const struct addition *addition, const char *path,
                                int64_t owner, struct dg_error *err)
{
    struct dg_input input = {0};
    enum dg_status status = dg_input_map(&input, path, err);

    if (!status)
        status = dg_input_load_beside(&input, addition->store, owner, DG_HASH_ALL, err);
    dg_input_close(&input);
    return status;
}

/* The artifact with the bytes of a file that belongs to `owner`; 0: none has them. */
static enum dg_status find_file(int64_t *artifact, const struct addition *addition,
                                const char *path, int64_t owner, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_input input = {0};
    struct dg_rows rows;
    enum dg_status status = dg_input_map(&input, path, err);

    *artifact = 0;
    if (!status && dg_store_recognises(input.file))
        status = dg_fail(err, DG_ERR_USAGE, "%s: a store, expected a program", path);
    if (!status && !owner && dg_input_is_companion(&input))
        status = dg_fail(err, DG_ERR_USAGE,
                         "%s: it belongs to a program, which stands before it", path);
    if (!status)
        status = dg_rows_open(&rows, addition->store,
                              "SELECT id FROM artifact WHERE sha256 = ?1"
                              "  AND companion_of IS nullif(?2, 0)",
                              err);
    if (!status) {
        dg_rows_bind_text(&rows, 1,
                          dg_sha256_of_file(input.file, input.mapped, &memory));
        dg_rows_bind_int(&rows, 2, owner);
        if (dg_rows_next(&rows))
            *artifact = dg_rows_int(&rows, 0);
        status = dg_rows_close(&rows, DG_OK, err);
    }
    dg_input_close(&input);
    dg_arena_clear(&memory);
    return status;
}

/* *changed: something of it was not there yet. */
static enum dg_status load_files(struct addition *addition, bool *changed,
                                 struct dg_error *err)
{
    enum dg_status status = DG_OK;

    *changed = false;
    for (size_t i = 0; i < addition->n_paths && !status; i++) {
        int64_t owner = i ? addition->artifact : 0, artifact;

        status = find_file(&artifact, addition, addition->paths[i], owner, err);
        if (status || artifact) {
            addition->artifact = i ? addition->artifact : artifact;
            continue;
        }
        *changed = true;
        status = load_file(addition, addition->paths[i], owner, err);
        if (!status && !i)
            status = dg_store_int(addition->store, "SELECT max(id) FROM artifact", 0,
                                  &addition->artifact, err);
    }
    return status;
}

/* What it is compared by, of the program in a store of its own. */
static enum dg_status measure(struct addition *addition, struct dg_error *err)
{
    struct dg_input input = {0};
    int64_t none;
    enum dg_status status = dg_input_open_next(&input, &addition->spare,
                                               addition->paths[0], DG_HASH_QUICK, err);

    for (size_t i = 1; i < addition->n_paths && !status; i++)
        status =
            dg_input_join(&input, addition->paths[i],
                          dg_input_is_data(addition->paths[i]) ? "data" : "profile",
                          DG_HASH_QUICK, err);
    if (!status)
        status = dg_verify(input.store, NULL, NULL, NULL, err);
    if (!status)
        status = dg_store_int_of(addition->store,
                                 "DELETE FROM measure WHERE artifact_id = ?1",
                                 addition->artifact, 0, &none, err);
    if (!status)
        status =
            dg_measures_keep(addition->store, addition->artifact, input.store, err);
    dg_input_close_before_next(&input, &addition->spare);
    return status;
}

static enum dg_status insert(struct dg_store *store, const char *sql, int64_t id,
                             struct dg_text first, struct dg_text second,
                             struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, sql, err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, id);
    dg_rows_bind_text(&rows, 2, first);
    if (second.data)
        dg_rows_bind_text(&rows, 3, second);
    dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Of several labels with one name the last counts. */
static enum dg_status add_rows(const struct addition *addition, struct dg_error *err)
{
    const char *path = addition->paths[0], *slash = strrchr(path, '/');
    const char *name = addition->build->name;
    const struct dg_list *labels = &addition->build->labels;
    int64_t build = 0;
    enum dg_status status =
        insert(addition->store, "INSERT INTO build (artifact_id, name) VALUES (?1, ?2)",
               addition->artifact,
               dg_text(name    ? name
                       : slash ? slash + 1
                               : path),
               (struct dg_text){0}, err);

    if (!status)
        status =
            dg_store_int(addition->store, "SELECT max(id) FROM build", 0, &build, err);
    for (size_t i = 0; i < labels->n_items && !status; i++) {
        const char *equals = strchr(labels->items[i], '=');

        status = insert(
            addition->store, "INSERT OR REPLACE INTO build_label VALUES (?1, ?2, ?3)",
            build,
            (struct dg_text){labels->items[i], (size_t)(equals - labels->items[i])},
            dg_text(equals + 1), err);
    }
    return status;
}

static bool is_companion(const char *path)
{
    struct dg_input input = {0};
    struct dg_error ignored = {0};
    bool is = !dg_input_map(&input, path, &ignored) && dg_input_is_companion(&input);

    dg_input_close(&input);
    return is;
}

enum dg_status dg_builds_add(struct dg_store *store, char **paths,
                             const struct dg_build *build, struct dg_error *err)
{
    struct addition addition = {.store = store, .build = build};
    enum dg_status status = DG_OK;
    bool changed;

    for (; *paths && !status; paths += addition.n_paths) {
        addition.paths = paths;
        addition.n_paths = 1;
        while (paths[addition.n_paths] && is_companion(paths[addition.n_paths]))
            addition.n_paths++;
        status = load_files(&addition, &changed, err);
        if (!status && changed)
            status = measure(&addition, err);
        if (!status)
            status = add_rows(&addition, err);
    }
    dg_store_close(addition.spare);
    return status;
}
