/* The reader of .bpte files: the .pte inside, with places that count from the start of
 * the file. */
#include "formats/reader.h"
#include "formats/tensor_file.h"

static void shift(int64_t *offset, int64_t by)
{
    if (*offset >= 0)
        *offset += by;
}

static enum dg_status read_bpte(struct dg_bytes file, bool verify_all,
                                struct dg_program *program, struct dg_error *err)
{
    struct dg_bytes inner;
    enum dg_status status = dg_bundle_program(file, &inner, err);
    int64_t by;

    if (!status)
        status = dg_reader_pte.read(inner, verify_all, program, err);
    if (status)
        return status;
    by = inner.data - file.data;
    for (size_t i = 0; i < program->n_segments; i++)
        shift(&program->segments[i].file_offset, by);
    for (size_t i = 0; i < program->n_constants; i++)
        shift(&program->constants[i].file_offset, by);
    for (size_t i = 0; i < program->n_delegates; i++)
        shift(&program->delegates[i].blob_offset, by);
    program->container = dg_text("bundled program");
    return DG_OK;
}

const struct dg_reader dg_reader_bpte = {"bpte", dg_bundle_recognises, read_bpte};
