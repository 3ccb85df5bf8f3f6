/* Bytes read as the blob of a delegate, of the backend whose letters it has; what it is
 * found to compute is stored and held to every rule. */
#include <string.h>

#include "formats/blob.h"
#include "robust/swallow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool recognises(struct dg_bytes file)
{
    return true;
}

/* The backend whose blobs have these letters at byte 4; XNNPACK's are read with any. */
static const char *backend_of(struct dg_bytes blob)
{
    static const char *const letters[][2] = {{"TOSA", "TOSABackend"},
                                             {"NPTG", "NativeBackend"},
                                             {"MLX0", "MLXBackend"},
                                             {"VH00", "VulkanBackend"},
                                             {"VK00", "VulkanBackend"}};

    for (size_t i = 0; blob.size >= 8 && i < sizeof(letters) / sizeof(*letters); i++) {
        if (!memcmp(blob.data + 4, letters[i][0], 4))
            return letters[i][1];
    }
    return "XnnpackBackend";
}

/* A method that has nothing but that delegate. */
static enum dg_status read_blob(struct dg_bytes file, bool verify_all,
                                struct dg_program *program, struct dg_error *err)
{
    struct dg_blobs blobs = {program, .effort = file.size};
    struct dg_delegate_row *delegate;
    struct dg_method_row *method = dg_add_method(program);
    struct dg_graph_row *graph = dg_add_graph(program);

    program->kind = "pte";
    program->version = dg_text("{}");
    *method = (struct dg_method_row){dg_text("forward"), "pte", {0}, {0}};
    *graph = (struct dg_graph_row){0, dg_text(""), "method"};
    delegate = dg_add_delegate(program);
    delegate->backend = dg_text(backend_of(file));
    delegate->location = "inline";
    delegate->blob_bytes = (int64_t)file.size;
    delegate->blob = file;
    dg_blobs_read(&blobs, 0);
    dg_blobs_clear(&blobs);
    return DG_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct dg_reader reader = {"blob", recognises, read_blob};

    swallow_program(&reader, (struct dg_bytes){data, size});
    return 0;
}
