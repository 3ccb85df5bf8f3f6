/* Lines of the user's Python, as a repository has them. */
#include "gate/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum {
    DEEPEST = 32, /* folders of a path that are tried */
    LONGEST = 1024,
    MOST_FRAMES = 256,
};

enum dg_status dg_checkout_open(struct dg_checkout *checkout, const char *root,
                                struct dg_arena *memory, struct dg_error *err)
{
    char *real = realpath(root, NULL);

    *checkout = (struct dg_checkout){.memory = memory};
    checkout->root = real ? open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    /* Of "/" nothing is left: a slash follows the root. */
    checkout->path = real ? dg_copy(memory, dg_text(real[1] ? real : "")) : NULL;
    free(real);
    if (checkout->root < 0)
        return dg_fail(err, DG_ERR_USAGE,
                       "--source-root %.200s: expected a folder that can be read",
                       root);
    return DG_OK;
}

void dg_checkout_use(struct dg_checkout *checkout, struct dg_store *store)
{
    struct dg_error ignored = {0};

    if (checkout->open)
        dg_rows_close(&checkout->frames, DG_OK, &ignored);
    checkout->open = false;
    checkout->store = store;
}

void dg_checkout_close(struct dg_checkout *checkout)
{
    if (!checkout->memory)
        return;
    dg_checkout_use(checkout, NULL);
    if (checkout->root >= 0)
        close(checkout->root);
    dg_text_set_clear(&checkout->spelled);
    free(checkout->found);
    *checkout = (struct dg_checkout){0};
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

static bool is_file(const struct dg_checkout *checkout, const char *path)
{
    struct stat state;

    return is_clean(path) && !fstatat(checkout->root, path, &state, 0) &&
           S_ISREG(state.st_mode);
}

/* A name alone is in most repositories: the folder before it has to be the root. */
static bool is_in_root(const struct dg_checkout *checkout, const char *path,
                       const char *name)
{
    const char *base = strrchr(checkout->path, '/');
    size_t size = base ? strlen(base + 1) : 0;

    return size && (size_t)(name - path) > size + 1 && name[-1] == '/' &&
           name[-(ptrdiff_t)size - 2] == '/' &&
           !memcmp(name - size - 1, base + 1, size);
}

/* "/builds/ci/repo/models/llama.py" is models/llama.py here: the longest end of it
 * that is a file under the root. */
static const char *find_end(const struct dg_checkout *checkout, const char *path)
{
    const char *at = path;

    while (!strncmp(path, "./", 2))
        path += 2;
    if (*path != '/')
        return is_file(checkout, path) ? path : NULL;
    for (int i = 0; i < DEEPEST && (at = strchr(at, '/')); i++) {
        at++;
        if (!strchr(at, '/') && !is_in_root(checkout, path, at))
            return NULL;
        if (is_file(checkout, at))
            return at;
    }
    return NULL;
}

static const char *resolve(struct dg_checkout *checkout, struct dg_text spelled)
{
    char path[LONGEST + 1];
    size_t root = strlen(checkout->path);
    const char *found;

    if (!spelled.size || spelled.size > LONGEST ||
        memchr(spelled.data, 0, spelled.size))
        return NULL;
    memcpy(path, spelled.data, spelled.size);
    path[spelled.size] = '\0';
    if (is_library(path))
        return NULL;
    if (!strncmp(path, checkout->path, root) && path[root] == '/')
        found = is_file(checkout, path + root + 1) ? path + root + 1 : NULL;
    else
        found = find_end(checkout, path);
    return found ? dg_copy(checkout->memory, dg_text(found)) : NULL;
}

static const char *look_up(struct dg_checkout *checkout, struct dg_text spelled)
{
    uint32_t number = dg_text_set_find(&checkout->spelled, spelled);

    if (number == DG_NO_TEXT) {
        struct dg_text kept = {dg_copy(checkout->memory, spelled), spelled.size};

        number = dg_text_set_add(&checkout->spelled, kept);
        *DG_APPEND(checkout->found, checkout->n_found) = resolve(checkout, kept);
    }
    return checkout->found[number];
}

char *dg_real_place(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct dg_writer place = {0};
    char *folder, *real;

    dg_write(&place, path, (size_t)(name - path));
    dg_print(&place, "%s", name == path ? "." : "");
    folder = *name ? place.data : NULL;
    real = folder ? realpath(folder, NULL) : NULL;
    dg_writer_clear(&place);
    if (!real)
        return NULL;
    dg_print(&place, "%s%s%s", real, real[1] ? "/" : "", name);
    free(real);
    return place.data; /* malloc'ed: the caller frees it */
}

/* How many bytes of two real paths are folders that they share. */
static size_t n_shared(const char *a, const char *b)
{
    size_t shared = 0;

    for (size_t i = 0;; i++) {
        bool end_a = !a[i] || a[i] == '/', end_b = !b[i] || b[i] == '/';

        if (end_a && end_b)
            shared = i;
        if (!a[i] || !b[i] || a[i] != b[i])
            return shared;
    }
}

const char *dg_place_from(const char *folder, const char *path, struct dg_arena *memory)
{
    char *real = dg_real_place(path);
    struct dg_writer name = {0}, plain = {0};
    size_t shared = real ? n_shared(folder, real) : 0;

    for (const char *at = folder + shared; real && *at; at++)
        dg_print(&name, "%s", *at == '/' && at[1] ? "../" : "");
    dg_print(&name, "%s", !real ? path : real[shared] ? real + shared + 1 : real);
    dg_write_plain(&plain, dg_written(&name));
    dg_writer_clear(&name);
    free(real);
    return dg_keep(memory, &plain).data;
}

const char *dg_source_relative(const struct dg_checkout *checkout, const char *path)
{
    char *real = dg_real_place(path);
    size_t root = strlen(checkout->path);
    const char *found = path;

    if (real && !strncmp(real, checkout->path, root) && real[root] == '/' &&
        is_clean(real + root + 1))
        found = dg_copy(checkout->memory, dg_text(real + root + 1));
    free(real);
    return found;
}

enum dg_status dg_source_find(struct dg_source *out, struct dg_checkout *checkout,
                              int64_t trace, struct dg_error *err)
{
    int n = 0;

    *out = (struct dg_source){0};
    if (!checkout->open) {
        enum dg_status status =
            dg_rows_open(&checkout->frames, checkout->store,
                         "SELECT file, line FROM frame WHERE trace_id = ?1"
                         " AND line BETWEEN 1 AND 2147483647 ORDER BY pos DESC",
                         err);

        if (status)
            return status;
        checkout->open = true;
    }
    dg_rows_bind_int(&checkout->frames, 1, trace);
    while (!out->file && n++ < MOST_FRAMES && dg_rows_next(&checkout->frames)) {
        out->file = look_up(checkout, dg_rows_slice(&checkout->frames, 0));
        out->line = dg_rows_int(&checkout->frames, 1);
    }
    return dg_rows_again(&checkout->frames, err);
}
