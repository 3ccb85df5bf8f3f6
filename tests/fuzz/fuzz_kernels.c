/* The CPU kernels: the first line names an operator, the bytes behind it are read as
 * arguments, mostly of the kinds that its schema asks for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ops.h"
#include "kernels/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ARGS = 40, MOST_RESULTS = 16, MOST_RANK = 6, MEMORY = 1 << 25 };

/* Zeros behind the end. */
static struct dg_bytes left;

static unsigned byte(void)
{
    if (!left.size)
        return 0;
    left.size--;
    return *left.data++;
}

static unsigned below(unsigned n)
{
    return byte() % n;
}

static bool one_in(unsigned n)
{
    return below(n) == n - 1;
}

/* What tensors of a call often have in common, so that they fit together. */
static struct {
    int rank;
    int64_t sizes[MOST_RANK];
    enum dg_type type;
    bool wide;
} shared;

static int64_t integer(void)
{
    static const int64_t ends[] = {INT64_MAX,    INT64_MIN, INT32_MAX,
                                   INT32_MIN,    1LL << 40, 1LL << 31,
                                   -(1LL << 40), 255,       INT64_MAX - 1};

    if (one_in(12))
        return ends[below(sizeof(ends) / sizeof(*ends))];
    return one_in(8) ? (int8_t)byte() : (int64_t)below(6) - 1;
}

static double real(void)
{
    static const double ends[] = {NAN,   INFINITY, -INFINITY, 1e300, -1e18,
                                  1e-30, 0x1p63,   -0.0,      0.5};

    return one_in(4) ? ends[below(sizeof(ends) / sizeof(*ends))]
                     : (double)(int8_t)byte() / 8;
}

static enum dg_type any_type(void)
{
    enum dg_type type = one_in(3) ? below(DG_TYPE_NONE) : shared.type;

    return dg_kept_type(
        &(struct dg_context){.precision = shared.wide ? DG_PRECISION_WIDE
                                                      : DG_PRECISION_EXACT_SUMS},
        type);
}

static void fill(struct dg_tensor *tensor)
{
    unsigned char *bytes = tensor->storage->bytes;

    memset(bytes, 0, tensor->storage->size);
    for (int64_t i = 0, n = dg_tensor_count(tensor); i < n; i++) {
        if (tensor->type == DG_TYPE_F32)
            ((float *)bytes)[i] = (float)real();
        else if (tensor->type == DG_TYPE_F64)
            ((double *)bytes)[i] = real();
        else if (tensor->type == DG_TYPE_I64)
            ((int64_t *)bytes)[i] = integer();
        else if (tensor->type == DG_TYPE_BOOL)
            bytes[i] = byte() & 1;
        else
            bytes[(size_t)i * dg_type_bytes(tensor->type)] = (unsigned char)byte();
    }
}

/* Transposed, or with a dimension that is expanded. */
static struct dg_tensor *skewed(struct dg_tensor *tensor)
{
    struct dg_tensor view = *tensor, *result;
    int a = (int)below((unsigned)tensor->rank), b = (int)below((unsigned)tensor->rank);

    view.sizes[a] = tensor->sizes[b];
    view.sizes[b] = tensor->sizes[a];
    view.strides[a] = tensor->strides[b];
    view.strides[b] = tensor->strides[a];
    if (one_in(3))
        view.strides[a] = 0;
    result = dg_tensor_view(tensor, view.rank, view.sizes, view.strides, 0);
    dg_tensor_drop(tensor);
    return result;
}

/* Dimensions without elements leave room for others without end. */
static struct dg_arg any_tensor(void)
{
    int rank = one_in(4) ? (int)below(MOST_RANK + 1) : shared.rank;
    int64_t sizes[MOST_RANK];
    struct dg_error err = {0};
    struct dg_tensor *tensor;
    bool alike = !one_in(3);

    for (int i = 0; i < rank; i++)
        sizes[i] = alike && i < shared.rank ? shared.sizes[i]
                   : one_in(16)             ? 0
                                            : 1 + below(4);
    if (rank > 1 && one_in(16)) {
        sizes[below((unsigned)rank)] = 1LL << (32 + below(10));
        sizes[below((unsigned)rank)] = 0;
    }
    tensor = dg_tensor_new(&dg_host_memory, any_type(), rank, sizes, &err);
    if (!tensor)
        return (struct dg_arg){0};
    fill(tensor);
    if (rank && one_in(4))
        tensor = skewed(tensor);
    return (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
}

static struct dg_arg any_string(void)
{
    static const char *const strings[] = {
        "mean",         "sum",      "none",    "tanh",     "valid",     "same",
        "trunc",        "floor",    "reflect", "constant", "replicate", "circular",
        "linear",       "ij",       "xy",      "amax",     "right",     "i,j->ij",
        "...ij,jk->ik", "L",        "U",       "fro",      "nuc",       "r",
        "reduced",      "complete", "lower",   "higher",   "midpoint",  "nearest",
        "max",          "min",      "prod",
    };

    return (struct dg_arg){
        DG_ARG_STRING, {.string = strings[below(sizeof(strings) / sizeof(*strings))]}};
}

static enum dg_arg_kind kind_of(const char *type)
{
    if (!strncmp(type, "Tensor", 6))
        return DG_ARG_TENSOR;
    if (!strncmp(type, "float", 5))
        return DG_ARG_FLOAT;
    if (!strncmp(type, "bool", 4))
        return DG_ARG_BOOL;
    if (!strncmp(type, "str", 3))
        return DG_ARG_STRING;
    if (!strncmp(type, "ScalarType", 10))
        return DG_ARG_TYPE;
    if (!strncmp(type, "Scalar", 6))
        return one_in(2) ? DG_ARG_FLOAT : DG_ARG_INT;
    return strstr(type, "nt") ? DG_ARG_INT : DG_ARG_NONE; /* int, SymInt */
}

static struct dg_arg any_scalar(enum dg_arg_kind kind)
{
    switch (kind) {
    case DG_ARG_TENSOR:
        return any_tensor();
    case DG_ARG_INT:
        return (struct dg_arg){kind, {.integer = integer()}};
    case DG_ARG_FLOAT:
        return (struct dg_arg){kind, {.real = real()}};
    case DG_ARG_BOOL:
        return (struct dg_arg){kind, {.integer = byte() & 1}};
    case DG_ARG_STRING:
        return any_string();
    case DG_ARG_TYPE:
        return (struct dg_arg){kind, {.type = any_type()}};
    default:
        return (struct dg_arg){0};
    }
}

static struct dg_arg any_list(const char *type)
{
    size_t n = one_in(32) ? 20 : below(5);
    struct dg_arg list = {DG_ARG_LIST, {.list = {calloc(n + 1, sizeof(list)), n}}};

    for (size_t i = 0; i < n; i++)
        list.as.list.items[i] =
            any_scalar(one_in(32) ? below(DG_ARG_LIST) : kind_of(type));
    return list;
}

static struct dg_arg any_arg(const char *type)
{
    if (one_in(24))
        return one_in(4) ? any_list("int") : any_scalar(below(DG_ARG_LIST));
    if (strchr(type, '?') && one_in(3))
        return (struct dg_arg){0};
    return strchr(type, '[') ? any_list(type) : any_scalar(kind_of(type));
}

static void insist(bool holds, const char *op, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s: %s\n", op, what, text);
    abort();
}

/* Whether its elements lie inside its storage. */
static bool inside(const struct dg_tensor *tensor)
{
    int64_t first = tensor->offset, last = tensor->offset;
    size_t bytes = dg_type_bytes(tensor->type);

    if (!dg_tensor_count(tensor))
        return true;
    for (int i = 0; i < tensor->rank; i++) {
        int64_t reach = (tensor->sizes[i] - 1) * tensor->strides[i];

        *(reach < 0 ? &first : &last) += reach;
    }
    return first >= 0 && (size_t)(last + 1) * bytes <= tensor->storage->size;
}

static void drop(struct dg_arg *args, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dg_arg_drop(&args[i]);
}

static void call(const struct dg_kernel *row, struct dg_arg *args, size_t n_args)
{
    struct dg_arena scratch = {0};
    struct dg_error err = {0};
    struct dg_arg results[MOST_RESULTS] = {0};
    struct dg_context context = {.memory = &dg_host_memory,
                                 .scratch = &scratch,
                                 .n_threads = 1,
                                 .precision =
                                     shared.wide ? DG_PRECISION_WIDE : below(2)};
    struct dg_call one = {row->op, args, n_args, results, MOST_RESULTS, &context, &err};
    enum dg_status status = dg_kernel_run(row, &one);

    insist(!status || status == DG_ERR_FORMAT || status == DG_ERR_DEVICE, row->op,
           "a status that kernels do not give", err.text);
    insist(!status || err.text[0], row->op, "fails without a word", "");
    for (size_t i = 0; i < MOST_RESULTS && !status; i++)
        insist(results[i].kind != DG_ARG_TENSOR || inside(results[i].as.tensor),
               row->op, "a result beyond its storage", "");
    drop(results, MOST_RESULTS);
    dg_arena_clear(&scratch);
}

/* A name that no row has picks one all the same. */
static const struct dg_kernel *read_row(void)
{
    char name[80] = "";
    unsigned hash = 0, n = 0;
    const struct dg_kernel *row;

    for (unsigned c, i = 0; left.size && (c = byte()) != '\n'; i++) {
        if (i < sizeof(name) - 1)
            name[i] = (char)c;
        hash = hash * 31 + c;
    }
    row = dg_kernel_find(name);
    while (dg_kernels[n].op)
        n++;
    return row ? row : &dg_kernels[hash % n];
}

static void read_shared(void)
{
    static const enum dg_type types[] = {DG_TYPE_F32, DG_TYPE_I64, DG_TYPE_F32,
                                         DG_TYPE_F64, DG_TYPE_BOOL};

    shared.wide = one_in(4);
    shared.rank = (int)below(MOST_RANK);
    shared.type =
        one_in(4) ? below(DG_TYPE_NONE) : types[below(sizeof(types) / sizeof(*types))];
    for (int i = 0; i < MOST_RANK; i++)
        shared.sizes[i] = one_in(16) ? 0 : 1 + below(4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_arg args[MOST_ARGS] = {0};
    struct dg_op_arg arg = {0};
    const struct dg_kernel *row;
    const struct dg_op *op;
    const char *cursor;
    size_t n = 0;

    left = (struct dg_bytes){data, size};
    row = read_row();
    read_shared();
    op = dg_op_find(row->op, strlen(row->op));
    cursor = op ? op->args : "";
    dg_host_memory.limit = MEMORY;
    while (n < MOST_ARGS && dg_op_next_arg(&cursor, &arg))
        args[n++] = any_arg(arg.type);
    while (!op && n < 4)
        args[n++] = any_arg(one_in(2) ? "Tensor" : "int");
    call(row, args, one_in(32) ? below((unsigned)n + 1) : n);
    drop(args, n);
    insist(!dg_host_memory.used, row->op, "memory is left behind", "");
    insist(!dg_host_memory.damaged, row->op, "wrote outside its memory", "");
    return 0;
}
