/* load: programs into a store file that is complete or absent. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file_state.h"
#include "cli/builds.h"
#include "cli/options.h"
#include "cli/store_output.h"
#include "formats/input.h"

struct given {
    const char *output;
    struct dg_build build;
    bool hash, append;
};

static const struct dg_option options[] = {
    {DG_OPTION_ADD_TO, "output", 'o', "DB", offsetof(struct given, output),
     "the store to write; what was there is replaced at the end"},
    {DG_OPTION_FLAG, "hash", 0, NULL, offsetof(struct given, hash),
     "compute SHA-256 and XXH3 of file, blobs and constants (default)"},
    {DG_OPTION_OFF, "no-hash", 0, NULL, offsetof(struct given, hash),
     "leave them out: faster for big files"},
    {DG_OPTION_FLAG, "append", 0, NULL, offsetof(struct given, append),
     "add builds to the store; a file that it has already is one more build of it; "
     "a store of an older delegraph is brought up to date"},
    {DG_OPTION_TEXT, "name", 0, "NAME", offsetof(struct given, build.name),
     "what the build is of; default: the name of the file"},
    {DG_OPTION_LIST, "label", 0, "NAME=VALUE", offsetof(struct given, build.labels),
     "what else is to be known of the build: branch=main; may be repeated"},
    {DG_OPTION_COUNT, "jobs", 'j', "N", offsetof(struct given, build.jobs),
     "measure so many builds at a time; default: one for each processor"},
    {0},
};

static enum dg_status begin_output(struct dg_output *output, const struct given *given,
                                   struct dg_error *err)
{
    enum dg_status status = dg_store_check_place(given->output, err);

    return status ? status : dg_output_begin(output, given->output, err);
}

static enum dg_status add_file(struct dg_store *store, const char *path, bool hash,
                               struct dg_error *err)
{
    struct dg_input input = {0};
    enum dg_status status = dg_input_map(&input, path, err);

    if (!status && dg_store_recognises(input.file))
        status = dg_fail(err, DG_ERR_USAGE, "%s: a store, expected a program", path);
    if (!status)
        status = dg_input_load(&input, store, hash ? DG_HASH_ALL : DG_HASH_NONE, err);
    dg_input_close(&input);
    return status;
}

static enum dg_status fill(const char *aside, char **paths, bool hash,
                           struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status = dg_store_create_file(&store, aside, err);

    for (; *paths && !status; paths++)
        status = add_file(store, *paths, hash, err);
    if (!status)
        status = dg_store_commit(store, err);
    dg_store_close(store);
    return status;
}

static bool is_of_builds(const struct given *given)
{
    return given->append || given->build.name || given->build.labels.n_items;
}

/* Each program with what belongs to it, which stands behind it. */
static enum dg_status add_builds(const struct given *given, const char *aside,
                                 char **paths, struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status = given->append && dg_builds_are_there(aside)
                                ? dg_store_open_to_add(&store, aside, err)
                                : dg_store_create_file(&store, aside, err);
    struct dg_error why = *err;

    if (status)
        dg_fail(err, status, "%s: cannot add to it: %.300s", given->output, why.text);
    else
        status = dg_builds_add(store, paths, &given->build, err);
    if (!status)
        status = dg_store_commit(store, err);
    dg_store_close(store);
    return status;
}

/* Of the store that is there: all that was in it. */
static enum dg_status copy_builds(const struct dg_output *output, struct dg_error *err)
{
    return dg_store_is_older(output->path)
               ? dg_store_upgrade(output->path, output->aside, err)
               : dg_builds_copy(output->path, output->aside, err);
}

static struct dg_file_state state_of(const char *path)
{
    struct stat state;

    return stat(path, &state) ? (struct dg_file_state){0} : dg_file_state_of(&state);
}

static enum dg_status check_same(const struct dg_file_state *before, const char *path,
                                 struct dg_error *err)
{
    struct dg_file_state now = state_of(path);

    return dg_file_state_same(before, &now)
               ? DG_OK
               : dg_fail(err, DG_ERR_FORMAT,
                         "%s: another program changed it while it was added to; add to"
                         " it again",
                         path);
}

/* What it holds in the end is what was there and what came to it. */
static enum dg_status append_builds(const struct dg_output *output,
                                    const struct given *given, char **paths,
                                    struct dg_error *err)
{
    struct dg_file_state before = state_of(output->path);
    enum dg_status status = copy_builds(output, err);

    if (!status)
        status = add_builds(given, output->aside, paths, err);
    if (!status)
        status = dg_store_check_place(output->path, err);
    return status ? status : check_same(&before, output->path, err);
}

static enum dg_status check_builds(const struct given *given, struct dg_error *err)
{
    enum dg_status status = dg_build_check(&given->build, err);

    return status || given->hash
               ? status
               : dg_fail(err, DG_ERR_USAGE,
                         "load: --no-hash: builds are told apart by their SHA-256");
}

/* Others that add to it wait until it is renamed. */
static enum dg_status load_builds(const struct given *given, char **paths,
                                  struct dg_error *err)
{
    struct dg_output output = {0};
    int lock = -1;
    enum dg_status status =
        given->append ? dg_builds_lock(&lock, given->output, err) : DG_OK;

    if (!status)
        status = begin_output(&output, given, err);
    if (!status) {
        status = given->append ? append_builds(&output, given, paths, err)
                               : add_builds(given, output.aside, paths, err);
        status = dg_output_finish(&output, status, err);
    }
    if (lock >= 0)
        close(lock);
    return status;
}

static enum dg_status load_programs(const struct given *given, char **paths,
                                    struct dg_error *err)
{
    struct dg_output output = {0};
    enum dg_status status = begin_output(&output, given, err);

    if (status)
        return status;
    status = fill(output.aside, paths, given->hash, err);
    return dg_output_finish(&output, status, err);
}

/* Builds that the load takes the place of. */
static int64_t n_lost(const struct given *given)
{
    struct dg_error ignored = {0};
    int64_t n = 0;

    if (!given->append && dg_store_count_builds(&n, given->output, &ignored))
        n = 0;
    return n;
}

static void note_lost(const struct given *given, int64_t n)
{
    if (n)
        fprintf(stderr,
                "delegraph: note: %s held %" PRId64 " build%s, which this load took the"
                " place of; --append adds to them\n",
                given->output, n, n == 1 ? "" : "s");
}

/* Pipes are read before others have to wait. */
static enum dg_status load(const struct given *given, char **paths,
                           struct dg_error *err)
{
    bool of_builds = is_of_builds(given);
    enum dg_status status = of_builds ? check_builds(given, err) : DG_OK;
    int64_t n;

    if (!status)
        status = dg_store_check_place(given->output, err);
    if (!status)
        status = dg_builds_keep_files(paths, err);
    if (status)
        return status;
    n = n_lost(given);
    status = (of_builds ? load_builds : load_programs)(given, paths, err);
    if (!status)
        note_lost(given, n);
    return status;
}

static int run(int argc, char **argv)
{
    struct given given = {.hash = true};
    struct dg_error err = {0};
    enum dg_status status;

    status = dg_options_parse(&given, &dg_command_load, &argc, argv, &err);
    if (!status && argc < 2 && !given.append)
        status = dg_fail(&err, DG_ERR_USAGE,
                         "load: no program named; try \"delegraph load --help\"");
    if (!status && !given.output)
        status = dg_fail(&err, DG_ERR_USAGE,
                         "load: no store named; expected -o DB, for instance "
                         "delegraph load %.200s -o model.db",
                         argc < 2 ? "--append" : argv[1]);
    argv[argc] = NULL;
    if (!status)
        status = load(&given, argv + 1, &err);
    dg_inputs_forget();
    return status ? dg_complain(&err) : DG_EXIT_FINE;
}

const struct dg_command dg_command_load = {
    .name = "load",
    .synopsis = "FILE... -o DB",
    .summary = "programs into a store, a SQLite file for query and all other commands",
    .help = "The store appears when all is in it; an interrupted load leaves what was "
            "there.\nWithout --append it takes the place of all that was in the store."
            "\n\nExamples:\n"
            "  delegraph load model.pte -o model.db\n"
            "  delegraph load model.pte model.ptd model.etdump -o model.db\n"
            "  delegraph load --append build/*.pte --label branch=main -o fleet.db\n"
            "  delegraph load --append -o fleet.db     # of an older delegraph\n",
    .run = run,
    .options = options,
    .most = -1,
    .files = -1,
};
