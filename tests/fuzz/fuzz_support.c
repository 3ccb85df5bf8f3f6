/* A support file; what is read judges the calls of a program. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/reader.h"
#include "partition/support.h"
#include "robust/swallow_plan.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dg_nodes nodes;
static struct dg_store *store;

static void insist(bool holds, const char *what, const struct dg_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "%s: status %d: %s\n", what, (int)err->status, err->text);
    abort();
}

static void load(const struct dg_file *file)
{
    struct dg_program program = {0};
    struct dg_error err = {0};

    insist(!dg_reader_pt2.read(file->bytes, false, &program, &err), "read", &err);
    insist(!dg_store_create(&store, &err), "open", &err);
    insist(!dg_store_add_program(store, &program, file, &err), "add", &err);
    insist(!dg_store_commit(store, &err), "commit", &err);
    insist(!dg_nodes_load(&nodes, store, 1, &err), "load", &err);
    dg_program_clear(&program);
}

static void close_store(void)
{
    dg_nodes_clear(&nodes);
    dg_store_close(store);
}

static void load_once(void)
{
    static uint8_t bytes[1 << 20];
    const char *folder = getenv("top_srcdir");
    struct dg_file file = {.path = "input", .bytes = {bytes, 0}};
    char path[4096];
    FILE *stream;

    if (store)
        return;
    snprintf(path, sizeof(path), "%s/tests/data/quantized_core.pt2",
             folder ? folder : ".");
    stream = fopen(path, "rb");
    if (!stream) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    file.bytes.size = fread(bytes, 1, sizeof(bytes), stream);
    fclose(stream);
    load(&file);
    atexit(close_store);
}

static enum dg_status hear(void *context, uint32_t node, const char *reason,
                           struct dg_text text, struct dg_error *err)
{
    const struct dg_error none = {0};

    insist(node < nodes.graph.n_nodes && reason && text.size, "a reason", &none);
    return DG_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = swallow_path((struct dg_bytes){data, size});
    struct dg_support *support = NULL;
    struct dg_groups groups;
    struct dg_error err = {0};

    load_once();
    if (dg_support_from_file(&support, path, &err))
        insist(err.text[0], "a refusal says why", &err);
    else
        insist(!dg_support_apply(support, &nodes, store, hear, NULL, &groups, &err),
               "calls are judged", &err);
    dg_support_free(support);
    return 0;
}
