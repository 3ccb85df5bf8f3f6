/* Lines of the user's Python, as a repository has them. */
#include "gate/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEEPEST = 32, /* folders of a path that are tried */
    LONGEST = 1024,
    MOST_FRAMES = 256,
};

enum dg_status dg_sources_begin(struct dg_sources *sources, const char *root,
                                struct dg_arena *memory, struct dg_error *err)
{
    char *real = realpath(root, NULL);

    *sources = (struct dg_sources){.memory = memory};
    sources->root = real ? open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    sources->path = real ? dg_copy(memory, dg_text(real)) : NULL;
    free(real);
    if (sources->root < 0)
        return dg_fail(err, DG_ERR_USAGE,
                       "--source-root %.200s: expected a folder that can be read",
                       root);
    return DG_OK;
}

void dg_sources_use(struct dg_sources *sources, struct dg_store *store)
{
    struct dg_error ignored = {0};

    if (sources->open)
        dg_rows_close(&sources->frames, DG_OK, &ignored);
    sources->open = false;
    sources->store = store;
}

void dg_sources_clear(struct dg_sources *sources)
{
    if (!sources->memory)
        return;
    dg_sources_use(sources, NULL);
    if (sources->root >= 0)
        close(sources->root);
    dg_text_set_clear(&sources->spelled);
    free(sources->found);
    *sources = (struct dg_sources){0};
}

/* Of an installed package, of Python itself, or "<string>". */
static bool is_library(const char *path)
{
    static const char *const marks[] = {"site-packages/", "dist-packages/",
                                        "lib/python3."};

    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        const char *at = strstr(path, marks[i]);

        if (at && (at == path || at[-1] == '/'))
            return true;
    }
    return *path == '<';
}

/* Whether no part of it is "", "." or "..", or turns on a terminal. */
static bool is_clean(const char *path)
{
    for (const char *at = path; *at; at += *at == '/') {
        size_t size = strcspn(at, "/");

        if (!size || (size == 1 && *at == '.') || (size == 2 && !strncmp(at, "..", 2)))
            return false;
        at += size;
    }
    for (size_t i = 0; path[i];) {
        uint32_t point = 0;
        size_t length = dg_character(dg_text(path + i), &point);

        if (!length || dg_is_control(point))
            return false;
        i += length;
    }
    return *path != '\0';
}

static bool is_file(const struct dg_sources *sources, const char *path)
{
    struct stat state;

    return is_clean(path) && !fstatat(sources->root, path, &state, 0) &&
           S_ISREG(state.st_mode);
}

/* A name alone is in most repositories: the folder before it has to be the root. */
static bool is_in_root(const struct dg_sources *sources, const char *path,
                       const char *name)
{
    const char *base = strrchr(sources->path, '/');
    size_t size = base ? strlen(base + 1) : 0;

    return size && (size_t)(name - path) > size + 1 && name[-1] == '/' &&
           name[-(ptrdiff_t)size - 2] == '/' &&
           !memcmp(name - size - 1, base + 1, size);
}

/* "/home/ci/work/repo/models/llama.py" is models/llama.py here: the longest end of it
 * that is a file under the root. */
static const char *find_end(const struct dg_sources *sources, const char *path)
{
    const char *at = path;

    if (*path != '/')
        return is_file(sources, path) ? path : NULL;
    for (int i = 0; i < DEEPEST && (at = strchr(at, '/')); i++) {
        at++;
        if (!strchr(at, '/') && !is_in_root(sources, path, at))
            return NULL;
        if (is_file(sources, at))
            return at;
    }
    return NULL;
}

static const char *resolve(struct dg_sources *sources, struct dg_text spelled)
{
    char path[LONGEST + 1];
    size_t root = strlen(sources->path);
    const char *found;

    if (!spelled.size || spelled.size > LONGEST ||
        memchr(spelled.data, 0, spelled.size))
        return NULL;
    memcpy(path, spelled.data, spelled.size);
    path[spelled.size] = '\0';
    if (is_library(path))
        return NULL;
    if (!strncmp(path, sources->path, root) && path[root] == '/')
        found = is_file(sources, path + root + 1) ? path + root + 1 : NULL;
    else
        found = find_end(sources, path);
    return found ? dg_copy(sources->memory, dg_text(found)) : NULL;
}

static const char *look_up(struct dg_sources *sources, struct dg_text spelled)
{
    uint32_t number = dg_text_set_find(&sources->spelled, spelled);

    if (number == DG_NO_TEXT) {
        struct dg_text kept = {dg_copy(sources->memory, spelled), spelled.size};

        number = dg_text_set_add(&sources->spelled, kept);
        *DG_APPEND(sources->found, sources->n_found) = resolve(sources, kept);
    }
    return sources->found[number];
}

const char *dg_source_relative(const struct dg_sources *sources, const char *path)
{
    char *real = realpath(path, NULL);
    size_t root = strlen(sources->path);
    const char *found = path;

    if (real && !strncmp(real, sources->path, root) && real[root] == '/' &&
        is_clean(real + root + 1))
        found = dg_copy(sources->memory, dg_text(real + root + 1));
    free(real);
    return found;
}

enum dg_status dg_source_find(struct dg_source *out, struct dg_sources *sources,
                              int64_t trace, struct dg_error *err)
{
    int n = 0;

    *out = (struct dg_source){0};
    if (!sources->open) {
        enum dg_status status =
            dg_rows_open(&sources->frames, sources->store,
                         "SELECT file, line FROM frame WHERE trace_id = ?1"
                         " AND line BETWEEN 1 AND 2147483647 ORDER BY pos DESC",
                         err);

        if (status)
            return status;
        sources->open = true;
    }
    dg_rows_bind_int(&sources->frames, 1, trace);
    while (!out->file && n++ < MOST_FRAMES && dg_rows_next(&sources->frames)) {
        out->file = look_up(sources, dg_rows_slice(&sources->frames, 0));
        out->line = dg_rows_int(&sources->frames, 1);
    }
    return dg_rows_again(&sources->frames, err);
}
