/* Files of others that come near: told by their content, with what to do instead. */
#include "formats/foreign.h"

#include <string.h>

#define EXPORT                                                                         \
    "export it in PyTorch: torch.export.save(torch.export.export(module, args),"       \
    " \"model.pt2\")"
#define WEIGHTS                                                                        \
    "load them into the module that they are of (load_state_dict()), and export that:" \
    " torch.export.save(torch.export.export(module, args), \"model.pt2\")"

static const char checkpoint[] =
    "a checkpoint: tensors or a module that torch.save wrote, without a program; ";

/* Bytes that a format begins with, from `offset` on. */
static const struct {
    size_t offset, size;
    const char *magic, *what, *advice;
} magics[] = {
    {0, 4, "GGUF", "a GGUF file: weights without a program; ", WEIGHTS},
    {4, 4, "TFL3", "a TensorFlow Lite model; ",
     "it has operators of its own: start from the PyTorch module and " EXPORT},
    {0, 10, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20", checkpoint, WEIGHTS},
    {0, 6, "\x93NUMPY", "an array of NumPy; ",
     "delegraph run takes it with --inputs or --against"},
    {0, 4,
     "\x7f"
     "ELF",
     "compiled code; ", "name the .pt2 or .pte that it was made from"},
    {0, 2, "\x1f\x8b", "compressed with gzip; ", "decompress it first (gunzip)"},
    {0, 8, "\x89HDF\r\n\x1a\n", "an HDF5 file: weights without a program; ", WEIGHTS},
    {0, 18, "version https://gi", "a pointer of Git LFS and not the file itself; ",
     "fetch it (git lfs pull)"},
    {0, 14, "<!DOCTYPE html", "a page of HTML; ", "the download went wrong"},
};

static bool begins(struct dg_bytes file, size_t offset, const char *magic, size_t size)
{
    return file.size >= offset + size && !memcmp(file.data + offset, magic, size);
}

/* The size of a JSON header in 8 bytes, then the header. */
static bool is_safetensors(struct dg_bytes file)
{
    uint64_t size = 0;

    for (size_t i = 0; i < 8 && file.size > 9; i++)
        size |= (uint64_t)file.data[i] << 8 * i;
    return size >= 2 && size < (UINT64_C(1) << 32) && begins(file, 8, "{", 1) &&
           (file.data[9] == '"' || file.data[9] == '}' || file.data[9] == ' ');
}

/* A protocol buffer has no magic number. ModelProto begins with its version, a small
 * number, and the next field is one of a few. */
static bool is_onnx(struct dg_bytes file)
{
    static const uint8_t next[] = {0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42, 0x72};

    return begins(file, 0, "\x08", 1) && file.size > 8 && file.data[1] &&
           file.data[1] < 32 && memchr(next, file.data[2], sizeof(next));
}

static enum dg_status refuse(const char *what, const char *advice, struct dg_error *err)
{
    return dg_fail(err, DG_ERR_FORMAT, "this is %s%s", what, advice);
}

enum dg_status dg_foreign_refuse(struct dg_bytes file, struct dg_error *err)
{
    for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++) {
        if (begins(file, magics[i].offset, magics[i].magic, magics[i].size))
            return refuse(magics[i].what, magics[i].advice, err);
    }
    if (is_safetensors(file))
        return refuse("a safetensors file: weights without a program; ", WEIGHTS, err);
    if (is_onnx(file))
        return refuse(
            "an ONNX model; ",
            "delegraph reads what PyTorch exports: start from the module and " EXPORT,
            err);
    return DG_OK;
}

enum dg_status dg_foreign_refuse_zip(bool (*has)(void *context, const char *entry),
                                     void *context, struct dg_error *err)
{
    static const struct {
        const char *entry, *what, *advice;
    } archives[] = {
        {"bytecode.pkl", "a program for PyTorch Mobile (.ptl); ",
         "start from the module and " EXPORT},
        {"constants.pkl", "a TorchScript archive; ",
         "start from the module that was scripted or traced, and " EXPORT},
        {"data.pkl", checkpoint, WEIGHTS},
        {"program.ptg", "an ExecuTorch native package; ",
         "name the .pt2 that it was made from"},
    };

    for (size_t i = 0; i < sizeof(archives) / sizeof(*archives); i++) {
        if (has(context, archives[i].entry))
            return refuse(archives[i].what, archives[i].advice, err);
    }
    return refuse("a ZIP archive that holds no program; ",
                  "expected what torch.export.save or executorch.exir.save wrote", err);
}
