/* Reads case files; see make_op_cases.py, which writes them. */
#include "tests/kernels/cases.h"

#include <stdlib.h>
#include <string.h>

static const char magic[] = "DGOPS001";

bool case_file_open(struct case_file *file, const char *path)
{
    FILE *in = fopen(path, "rb");
    long size;

    *file = (struct case_file){0};
    if (!in || fseek(in, 0, SEEK_END) || (size = ftell(in)) < 0) {
        perror(path);
        return false;
    }
    rewind(in);
    file->size = (size_t)size;
    file->bytes = malloc(file->size + 1);
    if (!file->bytes || fread(file->bytes, 1, file->size, in) != file->size ||
        file->size < 8 || memcmp(file->bytes, magic, 8)) {
        fprintf(stderr, "%s: not a case file\n", path);
        fclose(in);
        return false;
    }
    fclose(in);
    file->at = 8;
    return true;
}

void case_file_close(struct case_file *file)
{
    free(file->bytes);
    *file = (struct case_file){0};
}

static const void *take(struct case_file *file, size_t size)
{
    const void *bytes = file->bytes + file->at;

    if (size > file->size - file->at) {
        fprintf(stderr, "the case file ends early at %zu\n", file->at);
        exit(EXIT_FAILURE);
    }
    file->at += size;
    return bytes;
}

static unsigned take_u16(struct case_file *file)
{
    const unsigned char *bytes = take(file, 2);

    return (unsigned)(bytes[0] | bytes[1] << 8);
}

static int64_t take_i64(struct case_file *file)
{
    int64_t value;

    memcpy(&value, take(file, sizeof(value)), sizeof(value));
    return value;
}

static double take_f64(struct case_file *file)
{
    double value;

    memcpy(&value, take(file, sizeof(value)), sizeof(value));
    return value;
}

/* Text that ends with NUL in the file, too. */
static const char *take_text(struct case_file *file)
{
    return take(file, take_u16(file) + 1);
}

static struct dg_tensor *take_tensor(struct case_file *file)
{
    enum dg_type type = dg_type_named(take_text(file));
    int rank = (int)take_u16(file);
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST], elements;
    struct dg_tensor *flat, *tensor;
    const char *padding;

    for (int i = 0; i < rank; i++)
        sizes[i] = take_i64(file);
    for (int i = 0; i < rank; i++)
        strides[i] = take_i64(file);
    elements = take_i64(file);
    padding = take(file, (size_t)take_u16(file));
    (void)padding;
    flat = dg_tensor_over(type, 1, &elements,
                          take(file, (size_t)elements * dg_type_bytes(type)));
    tensor = dg_tensor_view(flat, rank, sizes, strides, 0);
    dg_tensor_drop(flat);
    return tensor;
}

static struct dg_arg take_arg(struct case_file *file)
{
    struct dg_arg arg = {.kind = (enum dg_arg_kind)take_u16(file)};

    switch (arg.kind) {
    case DG_ARG_TENSOR:
        arg.as.tensor = take_tensor(file);
        break;
    case DG_ARG_INT:
    case DG_ARG_BOOL:
        arg.as.integer = take_i64(file);
        break;
    case DG_ARG_FLOAT:
        arg.as.real = take_f64(file);
        break;
    case DG_ARG_COMPLEX:
        arg.as.pair.real = take_f64(file);
        arg.as.pair.imag = take_f64(file);
        break;
    case DG_ARG_STRING:
        arg.as.string = take_text(file);
        break;
    case DG_ARG_TYPE:
        arg.as.type = dg_type_named(take_text(file));
        break;
    case DG_ARG_LIST:
        arg.as.list.n_items = take_u16(file);
        arg.as.list.items = calloc(arg.as.list.n_items + 1, sizeof(arg));
        for (size_t i = 0; i < arg.as.list.n_items; i++)
            arg.as.list.items[i] = take_arg(file);
        break;
    default:
        break;
    }
    return arg;
}

bool next_case(struct case_file *file, struct op_case *next)
{
    *next = (struct op_case){0};
    if (file->at == file->size)
        return false;
    snprintf(next->op, sizeof(next->op), "%s", take_text(file));
    snprintf(next->label, sizeof(next->label), "%s", take_text(file));
    next->n_args = take_u16(file);
    for (size_t i = 0; i < next->n_args; i++)
        next->args[i] = take_arg(file);
    next->n_results = take_u16(file);
    for (size_t i = 0; i < next->n_results; i++)
        next->results[i] = take_arg(file);
    return true;
}

void clear_case(struct op_case *done)
{
    for (size_t i = 0; i < done->n_args; i++)
        dg_arg_drop(&done->args[i]);
    for (size_t i = 0; i < done->n_results; i++)
        dg_arg_drop(&done->results[i]);
}
