/* A file taken the whole way: recognised, read, stored in memory, held to every rule,
 * partitioned. */
#include "robust/swallow.h"

#include <stdio.h>
#include <stdlib.h>

#include "robust/swallow_pair.h"
#include "robust/swallow_plan.h"
#include "store/store.h"
#include "verifiers/verifier.h"

static void insist(bool holds, const char *what, const struct dg_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "%s: status %d: %s\n", what, (int)err->status, err->text);
    abort();
}

static enum dg_status read_program(const struct dg_reader *reader,
                                   struct dg_bytes bytes, struct dg_program *program)
{
    struct dg_error err = {0};
    enum dg_status status = DG_OK;

    if (!reader)
        status = dg_reader_find(&reader, bytes, &err);
    if (!status)
        status = reader->read(bytes, false, program, &err);
    insist(!status || (status == err.status && err.text[0]), "a refusal says why",
           &err);
    insist(!status || status == DG_ERR_FORMAT, "bytes are refused as such", &err);
    return status;
}

static enum swallowed swallow(const struct dg_reader *reader, struct dg_bytes bytes,
                              void (*then)(struct dg_program *, struct dg_bytes))
{
    struct dg_program program = {0};
    enum swallowed result = SWALLOWED_REFUSED;

    if (!read_program(reader, bytes, &program)) {
        result = SWALLOWED_LOADED;
        then(&program, bytes);
    }
    dg_program_clear(&program);
    return result;
}

static void forget(struct dg_program *program, struct dg_bytes bytes)
{
}

static void store_and_verify(struct dg_program *program, struct dg_bytes bytes)
{
    const struct dg_file file = {.path = "input", .bytes = bytes};
    const struct dg_selection all = {0};
    struct dg_store *store;
    struct dg_error err = {0};

    insist(!dg_store_create(&store, &err), "a store opens", &err);
    insist(!dg_store_add_program(store, program, &file, &err), "a program is stored",
           &err);
    insist(!dg_store_commit(store, &err), "a store is finished", &err);
    insist(!dg_verify(store, &all, NULL, NULL, &err), "every rule runs", &err);
    swallow_devices(store, NULL);
    swallow_settings(store);
    swallow_partitions(store);
    dg_store_close(store);
}

enum swallowed swallow_bytes(const struct dg_reader *reader, struct dg_bytes bytes)
{
    return swallow(reader, bytes, forget);
}

enum swallowed swallow_program(const struct dg_reader *reader, struct dg_bytes bytes)
{
    return swallow(reader, bytes, store_and_verify);
}
