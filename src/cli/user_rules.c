/* Options that name folders with rules of the user: reading and compiling those. */
#include "cli/user_rules.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/sorted.h"
#include "base/text.h"
#include "cli/query_explain.h"
#include "formats/input.h"
#include "verifiers/user.h"

enum { MOST_RULES = 1000, LARGEST_FILE = 64 << 10, DEFAULT_SECONDS = 60 };

struct load {
    struct dg_user_source source; /* of the file that is read */
    struct dg_rule *rules;
    size_t n_rules;
    struct dg_arena *memory;
    struct dg_error *err;
};

/* Hidden files are those that editors leave. */
static bool is_rule(const char *name)
{
    size_t size = strlen(name);

    return *name != '.' && size > 4 && !strcasecmp(name + size - 4, ".sql");
}

static enum dg_status refuse_folder(const char *folder, int code, struct dg_error *err)
{
    return dg_fail(err, DG_ERR_FORMAT, "%.200s: %s; expected a folder of .sql files",
                   folder, strerror(code));
}

/* The paths of a folder's rules, which the caller frees. */
static enum dg_status list_folder(const char ***paths, size_t *n_paths,
                                  const char *folder, struct dg_arena *memory,
                                  struct dg_error *err)
{
    size_t size = strlen(folder);
    const char *slash = size && folder[size - 1] == '/' ? "" : "/";
    DIR *open = opendir(folder);
    struct dirent *entry;

    if (!open)
        return refuse_folder(folder, errno, err);
    for (errno = 0; (entry = readdir(open)) && *n_paths <= MOST_RULES; errno = 0) {
        if (is_rule(entry->d_name))
            *DG_APPEND(*paths, *n_paths) =
                dg_format(memory, "%s%s%s", folder, slash, entry->d_name).data;
    }
    if (errno)
        refuse_folder(folder, errno, err);
    closedir(open);
    return err->status;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A pipe could keep us waiting. */
static enum dg_status check_file(const char *path, struct dg_error *err)
{
    struct stat state;

    if (stat(path, &state))
        return dg_fail(err, DG_ERR_FORMAT, "%.300s: %s", path, strerror(errno));
    if (!S_ISREG(state.st_mode))
        return dg_fail(err, DG_ERR_FORMAT, "%.300s: no regular file, expected a rule",
                       path);
    if (state.st_size > LARGEST_FILE)
        return dg_fail(err, DG_ERR_USAGE,
                       "%.300s: larger than %d bytes, too large for "
                       "a rule",
                       path, LARGEST_FILE);
    return DG_OK;
}

static enum dg_status read_rule(struct load *load, const char *path)
{
    struct dg_input input = {0};
    enum dg_status status = check_file(path, load->err);

    if (!status)
        status = dg_input_map(&input, path, load->err);
    load->source.path = path;
    if (!status)
        status = dg_user_rule_read(
            DG_APPEND(load->rules, load->n_rules),
            (struct dg_text){(const char *)input.file.data, input.file.size},
            &load->source, load->memory, load->err);
    dg_input_close(&input);
    return status;
}

/* A gate with nothing in it would pass whatever the program is. */
static enum dg_status read_folder(struct load *load, const char *folder)
{
    const char **paths = NULL;
    size_t n_paths = 0;
    enum dg_status status =
        list_folder(&paths, &n_paths, folder, load->memory, load->err);

    dg_sort(paths, n_paths, sizeof(*paths), compare);
    load->source.folder = folder;
    if (!status && !n_paths)
        status = dg_fail(load->err, DG_ERR_USAGE, "--rules %.200s: no .sql file in it",
                         folder);
    for (size_t i = 0; i < n_paths && !status; i++) {
        status = read_rule(load, paths[i]);
        if (!status && load->n_rules > MOST_RULES)
            status = dg_fail(load->err, DG_ERR_USAGE,
                             "--rules %.200s: more than %d rules", folder, MOST_RULES);
    }
    free(paths);
    return status;
}

/* Against an empty store: what is wrong with all programs is said once. */
static enum dg_status compile(const struct dg_verifier *user, struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status = dg_store_create(&store, err);

    if (!status)
        status = dg_store_add_views(store, err);
    for (const struct dg_rule *rule = user->rules; rule->name && !status; rule++) {
        int line;

        status = dg_user_rule_compile(&line, rule, store, err);
        if (status)
            dg_query_explain(store, rule->source->sql, err);
        if (status)
            dg_user_rule_blame(rule, line, err);
    }
    dg_store_close(store);
    return status;
}

enum dg_status dg_user_rules_load(const struct dg_verifier **user,
                                  const struct dg_user_options *options,
                                  struct dg_arena *memory, struct dg_error *err)
{
    struct load load = {.memory = memory, .err = err};
    enum dg_status status = DG_OK;

    *user = NULL;
    if (!options->folders.n_items)
        return options->seconds > 0
                   ? dg_fail(err, DG_ERR_USAGE, "--rules-timeout is about --rules")
                   : DG_OK;
    dg_stores_with_sandbox();
    load.source.seconds = options->seconds > 0 ? options->seconds : DEFAULT_SECONDS;
    for (size_t i = 0; i < options->folders.n_items && !status; i++)
        status = read_folder(&load, options->folders.items[i]);
    if (!status)
        status = dg_user_verifier(user, load.rules, load.n_rules, memory, err);
    if (!status)
        status = compile(*user, err);
    free(load.rules);
    return status;
}
