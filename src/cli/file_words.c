/* Files of a command line beyond its words: lists of them, and folders. */
#include "cli/file_words.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output.h"
#include "base/sorted.h"
#include "formats/input.h"

enum { DEEPEST = 64, MOST_FILES = 1000000 };

struct words {
    char **paths;
    size_t n_paths;
    struct dg_arena *memory;
    struct dg_error *err;
};

static enum dg_status add(struct words *words, struct dg_text path)
{
    if (words->n_paths == MOST_FILES)
        return dg_fail(words->err, DG_ERR_USAGE, "more than %d files", MOST_FILES);
    *DG_APPEND(words->paths, words->n_paths) = dg_copy(words->memory, path);
    return DG_OK;
}

static enum dg_status add_lines(struct words *words, const char *list,
                                struct dg_text text)
{
    size_t before = words->n_paths, number = 0;
    enum dg_status status = DG_OK;

    while (text.size && !status) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size, whole = size + !!end;
        struct dg_text line = {text.data, size};

        number++;
        if (line.size && line.data[line.size - 1] == '\r')
            line.size--;
        if (line.size && memchr(line.data, '\0', line.size))
            status =
                dg_fail(words->err, DG_ERR_USAGE,
                        "@%.200s: line %zu is no path: it has a NUL", list, number);
        else if (line.size)
            status = add(words, line);
        text = (struct dg_text){text.data + whole, text.size - whole};
    }
    if (!status && words->n_paths == before)
        return dg_fail(words->err, DG_ERR_USAGE,
                       "@%.200s names no file; expected a path on each line", list);
    return status;
}

static enum dg_status add_list(struct words *words, const char *list)
{
    struct dg_input input = {0};
    enum dg_status status = dg_input_map(&input, list, words->err);

    if (!status)
        status =
            add_lines(words, list,
                      (struct dg_text){(const char *)input.file.data, input.file.size});
    dg_input_close(&input);
    return status;
}

static bool is_named_like_a_program(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot &&
           (!strcmp(dot, ".pte") || !strcmp(dot, ".pt2") || !strcmp(dot, ".bpte"));
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum dg_status add_folder(struct words *words, const char *path, int depth);

/* A program that cannot be looked at must not pass for one that is not there. */
static enum dg_status refuse(struct words *words, const char *path)
{
    return dg_fail(words->err, DG_ERR_FORMAT, "cannot look at %.200s: %s", path,
                   strerror(errno));
}

static enum dg_status add_entry(struct words *words, const char *folder,
                                const char *name, int depth)
{
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    struct dg_text path = dg_format(words->memory, "%s%s%s", folder, slash, name);
    struct stat state;

    if (lstat(path.data, &state))
        return errno == ENOENT ? DG_OK : refuse(words, path.data); /* it went away */
    if (S_ISDIR(state.st_mode))
        return add_folder(words, path.data, depth + 1);
    /* A link to nowhere is added: opening it says so. */
    if (!is_named_like_a_program(name) ||
        (S_ISLNK(state.st_mode) ? !stat(path.data, &state) && !S_ISREG(state.st_mode)
                                : !S_ISREG(state.st_mode)))
        return DG_OK;
    return add(words, path);
}

/* Names of a folder but "." and "..", in order. */
static enum dg_status read_names(char ***names, size_t *n_names, struct words *words,
                                 const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    enum dg_status status = DG_OK;

    if (!folder)
        return refuse(words, path);
    while (errno = 0, (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            *DG_APPEND(*names, *n_names) =
                dg_copy(words->memory, dg_text(entry->d_name));
    }
    if (errno)
        status = refuse(words, path);
    closedir(folder);
    dg_sort(*names, *n_names, sizeof(**names), compare_names);
    return status;
}

static enum dg_status add_folder(struct words *words, const char *path, int depth)
{
    char **names = NULL;
    size_t n_names = 0;
    enum dg_status status = DG_OK;

    if (depth > DEEPEST)
        return dg_fail(words->err, DG_ERR_USAGE, "%.200s: more than %d folders deep",
                       path, DEEPEST);
    status = read_names(&names, &n_names, words, path);
    for (size_t i = 0; i < n_names && !status; i++)
        status = add_entry(words, path, names[i], depth);
    free(names);
    return status;
}

static enum dg_status add_programs_below(struct words *words, const char *path)
{
    size_t before = words->n_paths;
    enum dg_status status =
        *path ? add_folder(words, path, 0)
              : dg_fail(words->err, DG_ERR_USAGE, "--recursive: expected a folder");

    if (!status && words->n_paths == before)
        return dg_fail(words->err, DG_ERR_USAGE,
                       "--recursive %.200s: no .pte, .pt2 or .bpte file is in it",
                       path);
    return status;
}

static enum dg_status add_word(struct words *words, const char *path)
{
    struct stat state;

    if (stat(path, &state) || !S_ISDIR(state.st_mode))
        return add(words, dg_text(path));
    return dg_fail(words->err, DG_ERR_USAGE,
                   "%.200s: a folder, not a file; --recursive %.200s looks at the"
                   " programs in it",
                   path, path);
}

static enum dg_status spare_all(const struct words *words)
{
    enum dg_status status = DG_OK;
    struct stat state;

    for (size_t i = 0; i < words->n_paths && !status; i++) {
        if (!stat(words->paths[i], &state))
            status = dg_output_spare(words->paths[i], &state, words->err);
    }
    return status;
}

enum dg_status dg_file_words_read(struct dg_file_words *out, char **given,
                                  size_t n_given, const struct dg_list *folders,
                                  struct dg_arena *memory, struct dg_error *err)
{
    struct words words = {.memory = memory, .err = err};
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n_given && !status; i++)
        status = given[i][0] == '@' && given[i][1] ? add_list(&words, given[i] + 1)
                                                   : add_word(&words, given[i]);
    for (size_t i = 0; i < folders->n_items && !status; i++)
        status = add_programs_below(&words, folders->items[i]);
    if (!status && !words.n_paths)
        status = dg_fail(err, DG_ERR_USAGE,
                         "no file is named: expected FILE, @LIST or "
                         "--recursive DIR");
    if (!status)
        status = spare_all(&words);
    out->n_paths = words.n_paths;
    out->paths = dg_alloc(memory, words.n_paths, sizeof(*out->paths));
    if (words.n_paths)
        memcpy(out->paths, words.paths, words.n_paths * sizeof(*out->paths));
    free(words.paths);
    return status;
}

struct dg_text dg_file_identity(const char *path, struct dg_arena *memory)
{
    const char *slash = strrchr(path, '/');
    struct dg_text folder =
        slash ? (struct dg_text){path, (size_t)(slash - path) + 1} : dg_text(".");
    struct stat state;

    if (stat(dg_copy(memory, folder), &state))
        return dg_text(path);
    return dg_format(memory, "%ju %ju %s", (uintmax_t)state.st_dev,
                     (uintmax_t)state.st_ino, slash ? slash + 1 : path);
}
