/* Files of a command line, before the work: what would write over an input, or twice to
 * one place, is refused. */
#include <string.h>
#include <sys/stat.h>

#include "base/output.h"
#include "cli/options.h"
#include "cli/store_output.h"

static enum dg_status claim(const struct dg_option *option, const char *path,
                            struct dg_error *err)
{
    if (!path || (option->type == DG_OPTION_OUTPUT && !strcmp(path, "-")))
        return DG_OK;
    return dg_output_claim(
        path, option->type != DG_OPTION_STORE && option->type != DG_OPTION_ADD_TO, err);
}

static enum dg_status spare(const char *path, struct dg_error *err)
{
    struct stat state;

    return path && !stat(path, &state) ? dg_output_spare(path, &state, err) : DG_OK;
}

/* Files of FORMAT=FILE. */
static enum dg_status claim_reports(const struct dg_list *list, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++) {
        const char *path = strchr(list->items[i], '=');

        if (path && path[1] && strcmp(path + 1, "-"))
            status = dg_output_claim(path + 1, true, err);
    }
    return status;
}

static enum dg_status claim_outputs(const char *given, const struct dg_option *options,
                                    struct dg_error *err)
{
    enum dg_status status = DG_OK;

    dg_output_claim_none();
    for (const struct dg_option *o = options; o && o->type && !status; o++) {
        if (dg_option_writes(o->type))
            status = claim(o, *(const char *const *)(given + o->offset), err);
        else if (o->type == DG_OPTION_REPORTS)
            status = claim_reports((const void *)(given + o->offset), err);
    }
    return status;
}

static enum dg_status spare_inputs(const char *given, const struct dg_option *options,
                                   struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (const struct dg_option *o = options; o && o->type && !status; o++) {
        const struct dg_list *list = (const void *)(given + o->offset);

        if (o->type == DG_OPTION_FILE)
            status = spare(*(const char *const *)(given + o->offset), err);
        for (size_t i = 0; o->type == DG_OPTION_FILES && i < list->n_items && !status;
             i++)
            status = spare(list->items[i], err);
    }
    return status;
}

static enum dg_status spare_builds_of(const struct dg_list *list, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items && !status; i++) {
        const char *path = strchr(list->items[i], '=');

        if (path)
            status = dg_builds_spare(path + 1, err);
    }
    return status;
}

/* Years of builds are not what an output was meant to replace. */
static enum dg_status spare_builds(const char *given, const struct dg_option *options,
                                   struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (const struct dg_option *o = options; o && o->type && !status; o++) {
        const char *path = dg_option_writes(o->type)
                               ? *(const char *const *)(given + o->offset)
                               : NULL;

        if (o->type == DG_OPTION_REPORTS)
            status = spare_builds_of((const void *)(given + o->offset), err);
        else if (path && o->type == DG_OPTION_STORE)
            status = dg_store_output_check(path, err);
        else if (path && o->type != DG_OPTION_ADD_TO)
            status = dg_builds_spare(path, err);
    }
    return status;
}

enum dg_status dg_option_files_check(const void *given,
                                     const struct dg_command *command,
                                     char *const *words, int n_words,
                                     struct dg_error *err)
{
    enum dg_status status = claim_outputs(given, command->options, err);

    for (int i = 0;
         i < n_words && !status && (command->files < 0 || i < command->files); i++)
        status = spare(words[i], err);
    if (!status)
        status = spare_inputs(given, command->options, err);
    return status ? status : spare_builds(given, command->options, err);
}
