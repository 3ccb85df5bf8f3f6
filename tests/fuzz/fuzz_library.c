/* Bytes read as native code: in this process, where sanitizers see what the bounds
 * check lets through to libelf. What is found is stored and held to every rule. */
#include <stdlib.h>

#include "formats/library.h"
#include "formats/library_facts.h"
#include "robust/swallow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool recognises(struct dg_bytes file)
{
    return true;
}

static enum dg_status read_library(struct dg_bytes file, bool verify_all,
                                   struct dg_program *program, struct dg_error *err)
{
    struct dg_libraries libraries = {program, .effort = file.size};
    struct dg_writer facts = {0};

    program->kind = "ptd";
    program->version = dg_text("{}");
    dg_libraries_add(&libraries, dg_text("a/library.wrapper.so"), file, 0);
    for (size_t i = 0; i < libraries.n_files; i++)
        dg_libraries_facts(&libraries, i, &facts);
    dg_libraries_take(&libraries, dg_written(&facts));
    dg_writer_clear(&facts);
    free(libraries.files);
    return DG_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct dg_reader reader = {"library", recognises, read_library};

    swallow_program(&reader, (struct dg_bytes){data, size});
    return 0;
}
