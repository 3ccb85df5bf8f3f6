/* Bytes read as a program; what loads gets a plan, is drawn in every view and told in
 * every form of the report. */
#include <stdlib.h>

#include "formats/reader.h"
#include "partition/run.h"
#include "robust/swallow_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool holds)
{
    if (!holds)
        abort();
}

/* Where it has none of its own; a program may be one that nothing can plan. */
static void plan(struct dg_store *store)
{
    const struct dg_run_request request = {
        .mode = DG_RUN_AOTI, .artifact = 1, .lower = true, .options = dg_text("{}")};
    struct dg_run run = {0};
    struct dg_error err = {0};

    if (!dg_run(&run, &request, store, &err))
        insist(!dg_run_store(&run, store, &err));
    dg_run_clear(&run);
}

static void show(struct dg_program *program, struct dg_bytes bytes)
{
    const struct dg_file file = {.path = "input", .bytes = bytes};
    struct dg_store *store;
    struct dg_error err = {0};

    insist(!dg_store_create(&store, &err));
    insist(!dg_store_add_program(store, program, &file, &err));
    insist(!dg_store_commit(store, &err));
    plan(store);
    swallow_report(store);
    dg_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct dg_bytes bytes = {data, size};
    const struct dg_reader *reader;
    struct dg_program program = {0};
    struct dg_error err = {0};

    if (!dg_reader_find(&reader, bytes, &err) &&
        !reader->read(bytes, false, &program, &err))
        show(&program, bytes);
    dg_program_clear(&program);
    return 0;
}
