/* The rules over one program after another. */
#include "cli/check_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/check_print.h"
#include "formats/input.h"

/* A file while it is looked at. */
struct check {
    const struct dg_check_how *how;
    struct dg_check_file *file;
    struct dg_checked checked;
    struct dg_arena memory;
};

static void on_rule(void *context, const char *id, double seconds,
                    const char *not_checked)
{
    struct check *check = context;
    struct dg_checked *checked = &check->checked;
    struct dg_checked_rule *rule = DG_APPEND(checked->rules, checked->n_rules);

    *rule = (struct dg_checked_rule){dg_copy(&check->memory, dg_text(id)), seconds,
                                     NULL, false};
    if (not_checked)
        rule->not_checked = dg_copy(&check->memory, dg_text(not_checked));
}

static enum dg_status print_artifact(struct check *check, int64_t artifact,
                                     struct dg_error *err)
{
    struct dg_check_file *file = check->file;
    bool json = check->how->json;

    enum dg_status status =
        dg_gate_count(check->checked.counts, check->checked.store, artifact, err);

    check->checked.artifact = artifact;
    if (file->n_artifacts++ && json)
        dg_print(&file->text, ",\n");
    for (int i = 0; i < DG_N_SEVERITIES; i++)
        file->totals[i] += check->checked.counts[i];
    if (status)
        return status;
    return (json ? dg_check_json : dg_check_text)(&file->text, &check->checked, err);
}

static enum dg_status print_artifacts(struct check *check, struct dg_error *err)
{
    struct dg_store *store = check->checked.store;
    struct dg_rows rows;
    int64_t only = 0;
    enum dg_status status = DG_OK;

    if (check->how->gate->artifact)
        status = dg_gate_artifact(&only, check->how->gate, store, err);
    if (!status)
        status = dg_rows_open(&rows, store,
                              "SELECT id FROM artifact WHERE companion_of IS NULL"
                              " AND ?1 IN (0, id) ORDER BY id",
                              err);
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, only);
    while (!status && dg_rows_next(&rows))
        status = print_artifact(check, dg_rows_int(&rows, 0), err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status look(struct check *check, struct dg_input *input,
                           struct dg_store **spare, struct dg_error *err)
{
    const struct dg_check_how *how = check->how;
    char **paths = check->file->paths;
    size_t n_paths = check->file->n_paths;
    bool alone = n_paths == 1 && dg_gate_alone(how->gate);
    enum dg_status status = dg_input_open_next(
        input, spare, paths[0], alone ? DG_HASH_EQUAL : DG_HASH_QUICK, err);

    check->checked = (struct dg_checked){
        .store = input->store, .timing = how->timing, .color = how->color};
    if (!status)
        status = dg_join_companions(input, (const char *const *)paths + 1, n_paths - 1,
                                    "data", DG_HASH_QUICK, err);
    if (!status)
        status = dg_gate_run(how->gate, input, on_rule, check, err);
    return status ? status : print_artifacts(check, err);
}

static void check_file(const struct dg_check_how *how, struct dg_check_file *file,
                       struct dg_store **spare)
{
    struct check check = {.how = how, .file = file};
    struct dg_input input = {0};

    if (look(&check, &input, spare, &file->err)) {
        dg_writer_clear(&file->text);
        file->n_artifacts = 0;
        for (int i = 0; i < DG_N_SEVERITIES; i++)
            file->totals[i] = 0;
    }
    free(check.checked.rules);
    dg_arena_clear(&check.memory);
    dg_input_close_before_next(&input, spare);
}

/* What threads share: the number of the next file, the options, which nobody writes,
 * and the files, each of which is written by the one thread that took it; beneath, the
 * list of what is mapped (formats/input.c). All else belongs to one of them. */
struct work {
    const struct dg_check_how *how;
    struct dg_check_file *files;
    size_t n_files;
    atomic_size_t next;
};

static void *take_turns(void *context)
{
    struct work *work = context;
    struct dg_store *spare = NULL;
    size_t i;

    while ((i = atomic_fetch_add(&work->next, 1)) < work->n_files)
        check_file(work->how, &work->files[i], &spare);
    dg_store_close(spare);
    return NULL;
}

/* Of which this thread is one. A system that gives fewer makes it slower, not wrong. */
static void run_threads(struct work *work, size_t n)
{
    pthread_t *threads = calloc(n, sizeof(*threads));
    size_t n_begun = 0;

    while (threads && n_begun + 1 < n &&
           !pthread_create(&threads[n_begun], NULL, take_turns, work))
        n_begun++;
    take_turns(work);
    for (size_t i = 0; i < n_begun; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

void dg_check_files(const struct dg_check_how *how, struct dg_check_file *files,
                    size_t n_files, int64_t n_threads)
{
    struct work work = {how, files, n_files, 0};
    long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = n_threads          ? (size_t)n_threads
               : n_processors > 0 ? (size_t)n_processors
                                  : 1;

    run_threads(&work, n < n_files ? n : n_files);
}
