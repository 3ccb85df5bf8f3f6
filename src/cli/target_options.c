/* What check is told and no file says: companions of a program, and the target. */
#define _GNU_SOURCE
#include "cli/target_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ops.h"
#include "base/releases.h"
#include "base/text.h"
#include "cli/limits.h"
#include "verifiers/backends.h"
#include "verifiers/verifier.h"

enum dg_status dg_join_companions(struct dg_input *input, const char *const *paths,
                                  size_t n_paths, const char *role, enum dg_hash hash,
                                  struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n_paths && !status; i++)
        status = dg_input_join(input, paths[i], role, hash, err);
    return status;
}

enum dg_status dg_note_misfits(struct dg_store *store, struct dg_error *err)
{
    static const char *const family[] = {"profile"};
    static const struct dg_selection selection = {.select = family, .n_select = 1};
    struct dg_rows rows;
    int64_t any = 0;
    enum dg_status status = dg_store_int(
        store,
        "SELECT EXISTS (SELECT 1 FROM artifact WHERE companion_of IS NOT NULL"
        "  AND role <> 'data') AND NOT EXISTS (SELECT 1 FROM finding)",
        0, &any, err);

    if (status || !any || dg_verbosity.quiet)
        return status;
    status = dg_verify(store, &selection, NULL, NULL, err);
    rows = dg_rows_all(store,
                       "SELECT message, path FROM finding LEFT JOIN artifact"
                       "  ON artifact.id = coalesce(finding.artifact_id, (SELECT"
                       "   max(id) FROM artifact WHERE role = 'program'))",
                       err);
    while (!status && dg_rows_next(&rows)) {
        struct dg_error line = {0};

        dg_fail(&line, DG_OK, "note: %s", dg_rows_text(&rows, 0));
        dg_complain_about(dg_rows_text(&rows, 1), &line);
    }
    status = dg_rows_close(&rows, status, err);
    return status ? status : dg_store_exec(store, "DELETE FROM finding", err);
}

/* What words of a file are to be: any other file would make all look missing. */
struct vocabulary {
    const char *setting, *noun, *example;
    const char *ends; /* of words */
    bool (*is_word)(struct dg_text word);
};

/* strchr() finds a zero in every text. */
static bool is_one_of(char c, const char *chars)
{
    return c && strchr(chars, c);
}

static bool is_operator(struct dg_text word)
{
    bool is_name = memmem(word.data, word.size, "::", 2);

    for (size_t i = 0; i < word.size; i++)
        is_name = is_name && word.data[i] > ' ' && word.data[i] < 127;
    return is_name;
}

/* As linkers write them, but for the version behind an @, which is a word by itself. */
static bool is_symbol(struct dg_text word)
{
    for (size_t i = 0; i < word.size; i++) {
        if (!isalnum((unsigned char)word.data[i]) && !is_one_of(word.data[i], "_$."))
            return false;
    }
    return !isdigit((unsigned char)word.data[0]);
}

static const struct vocabulary operators = {"op", "operator", "aten::add.out", " \t\r,",
                                            is_operator},
                               shims = {"shim", "symbol", "aoti_torch_get_data_ptr",
                                        " \t\r,@", is_symbol};

static enum dg_status check_word(struct dg_text word, const char *path,
                                 const struct vocabulary *vocabulary,
                                 struct dg_error *err)
{
    if (vocabulary->is_word(word))
        return DG_OK;
    if (memchr(word.data, 0, word.size))
        return dg_fail(err, DG_ERR_FORMAT,
                       "%s: a byte of 0 among its %ss; expected text", path,
                       vocabulary->noun);
    return dg_fail(err, DG_ERR_FORMAT,
                   "%s: \"%.*s\" is no %s; expected names such as %s", path,
                   (int)(word.size < 40 ? word.size : 40), word.data, vocabulary->noun,
                   vocabulary->example);
}

/* Takes the next word off, which ends at one of `ends`; size 0: there is none. */
static struct dg_text next_word(struct dg_text *text, const char *ends)
{
    struct dg_text word = *text;
    size_t size = 0;

    while (word.size && is_one_of(*word.data, ends))
        word = (struct dg_text){word.data + 1, word.size - 1};
    while (size < word.size && !is_one_of(word.data[size], ends))
        size++;
    *text = (struct dg_text){word.data + size, word.size - size};
    return (struct dg_text){word.data, size};
}

/* Each word of `text` becomes a row and counts. Those of the file `path` are held to
 * `vocabulary`. */
static enum dg_status set_words(struct dg_store *store, const char *name,
                                struct dg_text text, const char *ends, const char *path,
                                const struct vocabulary *vocabulary, size_t *n,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;
    struct dg_text word;

    while (!status && (word = next_word(&text, ends)).size) {
        ++*n;
        if (vocabulary)
            status = check_word(word, path, vocabulary, err);
        if (!status)
            status = dg_store_set(store, name, word, err);
    }
    return status;
}

static enum dg_status set_names(struct dg_store *store, const char *name,
                                const struct dg_list *list, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++) {
        size_t n = 0;

        status =
            set_words(store, name, dg_text(list->items[i]), ", ", NULL, NULL, &n, err);
        if (!status && !n)
            return dg_fail(err, DG_ERR_USAGE, "--%ss \"%.80s\": no name in it", name,
                           list->items[i]);
    }
    return status;
}

/* Runtimes may have backends of their own, but none whose name differs in case only. */
static enum dg_status check_backends(struct dg_store *store, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_rows rows =
        dg_rows_all(store, "SELECT value FROM setting WHERE name = 'backend'", err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        const char *meant = dg_backend_misspelled(dg_rows_slice(&rows, 0), &memory);

        if (meant)
            status = dg_fail(err, DG_ERR_USAGE,
                             "--backends: no backend \"%.80s\"; did you mean %s?",
                             dg_rows_text(&rows, 0), meant);
    }
    dg_arena_clear(&memory);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status set_portable(struct dg_store *store, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < dg_n_ops && !status; i++) {
        if (dg_ops[i].flags & DG_OP_PORTABLE)
            status = dg_store_set(store, "op", dg_text(dg_ops[i].name), err);
    }
    return status;
}

/* A file with names on its lines; "#" begins a comment. */
static enum dg_status set_words_of_file(struct dg_store *store, const char *path,
                                        const struct vocabulary *vocabulary,
                                        struct dg_error *err)
{
    struct dg_input file = {0};
    struct dg_text text;
    size_t n = 0;
    enum dg_status status = dg_input_map(&file, path, err);

    text = (struct dg_text){(const char *)file.file.data, file.file.size};
    while (text.size && !status) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t line = end ? (size_t)(end - text.data) : text.size;
        const char *comment = memchr(text.data, '#', line);
        size_t kept = comment ? (size_t)(comment - text.data) : line;

        status =
            set_words(store, vocabulary->setting, (struct dg_text){text.data, kept},
                      vocabulary->ends, path, vocabulary, &n, err);
        line += line < text.size;
        text = (struct dg_text){text.data + line, text.size - line};
    }
    if (!status && !n)
        status =
            dg_fail(err, DG_ERR_FORMAT, "%s: names no %s; expected lines such as %s",
                    path, vocabulary->noun, vocabulary->example);
    dg_input_close(&file);
    return status;
}

static enum dg_status set_ops(struct dg_store *store, const struct dg_list *list,
                              struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++)
        status = strcmp(list->items[i], "portable")
                     ? set_words_of_file(store, list->items[i], &operators, err)
                     : set_portable(store, err);
    return status;
}

/* The release, and what it does not know: "0.4 aten::topk.values". What it knows goes
 * without saying, but for backends: they may be of no release. */
static enum dg_status set_runtime(struct dg_store *store, const char *text,
                                  struct dg_error *err)
{
    struct dg_release release;
    enum dg_status status;

    if (!dg_release_parse(&release, text))
        return dg_fail(
            err, DG_ERR_USAGE,
            "--runtime: no release \"%.40s\" is known; expected 0.2 to 0.7 or "
            "1.0 to 1.5",
            text);
    status = dg_store_set(store, "runtime", dg_text(text), err);
    for (size_t i = 0; i < dg_n_since && !status; i++) {
        const struct dg_since *row = &dg_since[i];
        bool later = dg_release_precedes(release, row->release);
        char name[32], value[128];

        if (!later && row->kind != DG_SINCE_BACKEND)
            continue;
        snprintf(name, sizeof(name), "%s-%s", later ? "later" : "earlier",
                 dg_since_kind_name(row->kind));
        snprintf(value, sizeof(value), "%d.%d %s", row->release.major,
                 row->release.minor, row->name);
        status = dg_store_set(store, name, dg_text(value), err);
    }
    return status;
}

static enum dg_status set_shims(struct dg_store *store, const struct dg_list *list,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++)
        status = set_words_of_file(store, list->items[i], &shims, err);
    return status;
}

/* "2.31" */
static enum dg_status set_glibc(struct dg_store *store, const char *text,
                                struct dg_error *err)
{
    int major, minor, end = 0;

    if (sscanf(text, "%3d.%3d%n", &major, &minor, &end) != 2 || text[end] ||
        major < 1 || minor < 0)
        return dg_fail(err, DG_ERR_USAGE,
                       "--glibc: \"%.40s\" is no version; expected"
                       " one such as 2.31",
                       text);
    return dg_store_set(store, "glibc", dg_text(text), err);
}

/* "sm_86", "86" and "8.6" are the same; a letter tells of code, and GPUs have none. */
static bool read_gpu(struct dg_text word, char number[8])
{
    size_t n = 0;
    bool dot = false;

    if (dg_text_begins(word, "sm_"))
        word = (struct dg_text){word.data + 3, word.size - 3};
    if (word.size &&
        (word.data[word.size - 1] == 'a' || word.data[word.size - 1] == 'f'))
        word.size--;
    for (size_t i = 0; i < word.size; i++) {
        bool is_dot = word.data[i] == '.' && i && i + 2 == word.size && !dot;

        if (!is_dot && (!isdigit((unsigned char)word.data[i]) || n == 3))
            return false;
        dot = dot || is_dot;
        if (!is_dot)
            number[n++] = word.data[i];
    }
    number[n] = '\0';
    return n >= 2;
}

static enum dg_status set_gpu(struct dg_store *store, struct dg_text word,
                              struct dg_error *err)
{
    char number[8];

    if (!read_gpu(word, number))
        return dg_fail(err, DG_ERR_USAGE,
                       "--gpu: \"%.*s\" is no GPU; expected its compute capability,"
                       " such as sm_86 or 8.6",
                       (int)(word.size < 40 ? word.size : 40), word.data);
    return dg_store_set(store, "gpu", dg_text(number), err);
}

static enum dg_status set_gpus(struct dg_store *store, const struct dg_list *list,
                               struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++) {
        struct dg_text text = dg_text(list->items[i]), word = next_word(&text, ", ");

        if (!word.size)
            return dg_fail(err, DG_ERR_USAGE, "--gpu \"%.80s\": no name in it",
                           list->items[i]);
        for (; word.size && !status; word = next_word(&text, ", "))
            status = set_gpu(store, word, err);
    }
    return status;
}

enum dg_status dg_target_options_apply(const struct dg_target_options *options,
                                       struct dg_input *input, struct dg_error *err)
{
    struct dg_store *store = input->store;
    enum dg_status status = dg_join_companions(
        input, options->data.items, options->data.n_items, "data", DG_HASH_QUICK, err);

    if (!status)
        status = dg_join_companions(input, options->programs.items,
                                    options->programs.n_items, "program", DG_HASH_QUICK,
                                    err);
    if (!status)
        status =
            dg_join_companions(input, options->etdumps.items, options->etdumps.n_items,
                               "profile", DG_HASH_NONE, err);
    if (!status)
        status = set_ops(store, &options->ops, err);
    if (!status && options->runtime)
        status = set_runtime(store, options->runtime, err);
    if (!status)
        status = set_shims(store, &options->shims, err);
    if (!status)
        status = set_gpus(store, &options->gpus, err);
    if (!status && options->glibc)
        status = set_glibc(store, options->glibc, err);
    if (!status)
        status = set_names(store, "method", &options->methods, err);
    if (!status)
        status = set_names(store, "backend", &options->backends, err);
    if (!status)
        status = check_backends(store, err);
    if (!status)
        status = dg_limits_apply(&options->limits, store, err);
    if (!status && options->lower_for)
        status = dg_store_set(store, "for", dg_text(options->lower_for), err);
    if (!status && options->skip_h2d_inputs)
        status = dg_store_set(store, "skip-h2d-inputs", dg_text("1"), err);
    return status;
}
