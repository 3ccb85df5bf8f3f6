/* A program, run: its methods become plans, which run on random inputs in every
 * evaluation, and what they give is judged. */
#include <stdio.h>
#include <stdlib.h>

#include "exec/run.h"
#include "formats/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 1 << 26 };

static void insist(bool holds, const char *what, const struct dg_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "%s: status %d: %s\n", what, (int)err->status, err->text);
    abort();
}

static void expect(enum dg_status status, const char *what, const struct dg_error *err)
{
    insist(!status || (status == err->status && err->text[0]), what, err);
    insist(!status || status == DG_ERR_FORMAT || status == DG_ERR_DEVICE ||
               status == DG_ERR_STOPPED,
           what, err);
}

/* One of the ways to run, by the size of the program. */
static void run(struct dg_store *store, const struct dg_schedule *schedule, size_t size)
{
    const struct dg_numeric_request request = {.store = store,
                                               .schedule = schedule,
                                               .n_threads = 1,
                                               .each = size % 4 == 1,
                                               .isolate = size % 4 == 2,
                                               .bisect = size % 4 == 3,
                                               .n_repeats = 1 + size % 2,
                                               .seed = 1};
    struct dg_inputs inputs = {0};
    struct dg_numeric_answer answer = {0};
    struct dg_error err = {0};
    enum dg_status status = dg_inputs_random(&inputs, schedule, 1, &err);

    expect(status, "a refusal of inputs says why", &err);
    if (!status)
        expect(dg_numeric_run(&answer, &request,
                              &(struct dg_numeric_call){.inputs = &inputs}, 1, &err),
               "a run that fails says why", &err);
    dg_numeric_clear(&answer);
    dg_inputs_clear(&inputs);
}

static void run_method(struct dg_store *store, struct dg_bytes file, bool is_pte,
                       int64_t method, int64_t graph)
{
    const struct dg_schedule_files files = {.file = file};
    struct dg_schedule schedule = {0};
    struct dg_error err = {0};
    enum dg_status status =
        is_pte ? dg_schedule_pte(&schedule, store, &files, method, &err)
               : dg_schedule_fx(&schedule, store, file, graph, &err);

    expect(status, "a refusal of a plan says why", &err);
    if (!status)
        run(store, &schedule, file.size);
    dg_schedule_clear(&schedule);
    insist(!dg_host_memory.used, "no tensor is left behind", &err);
    insist(!dg_host_memory.damaged, "nothing was written outside tensors", &err);
}

static void run_methods(struct dg_store *store, struct dg_bytes file)
{
    struct dg_rows rows;
    struct dg_error err = {0};

    insist(!dg_rows_open(&rows, store,
                         "SELECT method.id, graph.id, method.ir = 'pte' FROM method"
                         "  JOIN graph ON graph.method_id = method.id AND path = ''",
                         &err),
           "methods are listed", &err);
    while (dg_rows_next(&rows))
        run_method(store, file, dg_rows_int(&rows, 2) != 0, dg_rows_int(&rows, 0),
                   dg_rows_int(&rows, 1));
    insist(!dg_rows_close(&rows, DG_OK, &err), "methods are listed", &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct dg_file file = {.path = "input", .bytes = {data, size}};
    const struct dg_reader *reader;
    struct dg_program program = {0};
    struct dg_store *store;
    struct dg_error err = {0};
    enum dg_status status = dg_reader_find(&reader, file.bytes, &err);

    dg_host_memory.limit = MEMORY;
    if (!status)
        status = reader->read(file.bytes, false, &program, &err);
    expect(status, "a refusal says why", &err);
    if (!status) {
        insist(!dg_store_create(&store, &err), "a store opens", &err);
        insist(!dg_store_add_program(store, &program, &file, &err),
               "a program is stored", &err);
        insist(!dg_store_commit(store, &err), "a store is finished", &err);
        run_methods(store, file.bytes);
        dg_store_close(store);
    }
    dg_program_clear(&program);
    return 0;
}
