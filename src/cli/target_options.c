/* What check is told and no file says: companions of a program, and the target. */
#include "cli/target_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ops.h"
#include "base/text.h"

static enum dg_status join(const struct dg_list *list, const char *role,
                           struct dg_input *input, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++)
        status = dg_input_join(input, list->items[i], role, DG_HASH_QUICK, err);
    return status;
}

/* Each word of `text` becomes a row; words end at one of `ends`. */
static enum dg_status set_words(struct dg_store *store, const char *name,
                                struct dg_text text, const char *ends,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;

    while (text.size && !status) {
        size_t word = 0;

        while (word < text.size && !strchr(ends, text.data[word]))
            word++;
        if (word)
            status = dg_store_set(store, name, (struct dg_text){text.data, word}, err);
        word += word < text.size;
        text = (struct dg_text){text.data + word, text.size - word};
    }
    return status;
}

static enum dg_status set_names(struct dg_store *store, const char *name,
                                const struct dg_list *list, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++)
        status = set_words(store, name, dg_text(list->items[i]), ", ", err);
    return status;
}

static enum dg_status set_limits(struct dg_store *store, const struct dg_list *list,
                                 struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++) {
        const char *item = list->items[i], *equals = strchr(item, '=');
        char name[64] = "limit.", *end = NULL;

        if (!equals || equals - item > 40 || !equals[1] ||
            (strtod(equals + 1, &end), *end))
            return dg_fail(err, DG_ERR_USAGE,
                           "--limit %.80s: expected NAME=NUMBER, for instance "
                           "peak-memory=1000000",
                           item);
        memcpy(name + strlen(name), item, (size_t)(equals - item));
        status = dg_store_set(store, name, dg_text(equals + 1), err);
    }
    return status;
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

/* A file with a name on each line; "#" begins a comment. */
static enum dg_status set_ops_of_file(struct dg_store *store, const char *path,
                                      struct dg_error *err)
{
    struct dg_input file = {0};
    struct dg_text text;
    enum dg_status status = dg_input_map(&file, path, err);

    text = (struct dg_text){(const char *)file.file.data, file.file.size};
    while (text.size && !status) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t line = end ? (size_t)(end - text.data) : text.size;
        const char *comment = memchr(text.data, '#', line);
        size_t kept = comment ? (size_t)(comment - text.data) : line;

        status =
            set_words(store, "op", (struct dg_text){text.data, kept}, " \t\r,", err);
        line += line < text.size;
        text = (struct dg_text){text.data + line, text.size - line};
    }
    dg_input_close(&file);
    return status;
}

static enum dg_status set_ops(struct dg_store *store, const struct dg_list *list,
                              struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++)
        status = strcmp(list->items[i], "portable")
                     ? set_ops_of_file(store, list->items[i], err)
                     : set_portable(store, err);
    return status;
}

enum dg_status dg_target_options_apply(const struct dg_target_options *options,
                                       struct dg_input *input, struct dg_error *err)
{
    struct dg_store *store = input->store;
    enum dg_status status = join(&options->data, "data", input, err);

    if (!status)
        status = join(&options->programs, "program", input, err);
    if (!status)
        status = set_ops(store, &options->ops, err);
    if (!status)
        status = set_names(store, "method", &options->methods, err);
    if (!status)
        status = set_names(store, "backend", &options->backends, err);
    if (!status)
        status = set_limits(store, &options->limits, err);
    if (!status && options->lower_for)
        status = dg_store_set(store, "for", dg_text(options->lower_for), err);
    if (!status && options->skip_h2d_inputs)
        status = dg_store_set(store, "skip-h2d-inputs", dg_text("1"), err);
    return status;
}
