/* A plan file for a program with branches; what is read is checked, explained, drawn,
 * written again and lowered. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/reader.h"
#include "partition/plan_parse.h"
#include "robust/swallow_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dg_bytes read_program(void)
{
    static uint8_t bytes[1 << 16];
    static struct dg_bytes program;
    const char *folder = getenv("top_srcdir");
    char path[4096];
    FILE *file;

    if (program.data)
        return program;
    snprintf(path, sizeof(path), "%s/tests/data/branches_tagged.pt2",
             folder ? folder : ".");
    file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    program.size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    program.data = bytes;
    return program;
}

static struct dg_store *store_program(void)
{
    const struct dg_file file = {.path = "input", .bytes = read_program()};
    struct dg_program program = {0};
    struct dg_store *store;
    struct dg_error err = {0};

    if (dg_reader_pt2.read(file.bytes, false, &program, &err) ||
        dg_store_create(&store, &err) ||
        dg_store_add_program(store, &program, &file, &err) ||
        dg_store_commit(store, &err)) {
        fprintf(stderr, "the program: %s\n", err.text);
        abort();
    }
    dg_program_clear(&program);
    return store;
}

/* The bytes end where the heap block does, so that sanitizers see a step beyond. */
static bool parses(const uint8_t *data, size_t size)
{
    struct dg_plan_text plan = {0};
    struct dg_text text = {(const char *)data, size};
    struct dg_error err = {0};
    bool good = !dg_plan_parse(&plan, text, "fuzz", &err);

    if (!good && !err.text[0])
        abort();
    dg_plan_text_clear(&plan);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_store *store;

    if (!parses(data, size))
        return 0;
    store = store_program();
    swallow_plan_file(store, (struct dg_bytes){data, size});
    dg_store_close(store);
    return 0;
}
