/* Holds CUDA kernels to their references, row by row of the operator table. */
#include "tests/cuda/rows.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ops.h"
#include "tests/cuda/recipes.h"
#include "tests/kernels/agree.h"

typedef enum dg_status copy_fn(const struct dg_device *device, void *to,
                               const void *from, size_t size, struct dg_error *err);

/* The storage of a tensor in other memory, and the same view of it. */
static struct dg_tensor *moved(const struct dg_device *device, struct dg_tensor *tensor,
                               struct dg_memory *memory, copy_fn *copy)
{
    struct dg_error err = {0};
    int64_t size = (int64_t)tensor->storage->size;
    struct dg_tensor *bytes = dg_tensor_new(memory, DG_TYPE_U8, 1, &size, &err), *view;

    if (!bytes || copy(device, dg_tensor_data(bytes), tensor->storage->bytes,
                       tensor->storage->size, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    bytes->type = tensor->type;
    view = dg_tensor_view(bytes, tensor->rank, tensor->sizes, tensor->strides,
                          tensor->offset);
    dg_tensor_drop(bytes);
    return view;
}

struct dg_tensor *tensor_there(const struct dg_device *device, struct dg_tensor *tensor)
{
    return moved(device, tensor, device->memory, device->upload);
}

struct dg_tensor *tensor_here(const struct dg_device *device, struct dg_tensor *tensor)
{
    return moved(device, tensor, &dg_host_memory, device->download);
}

static void move_arg(const struct dg_device *device, const struct dg_arg *from,
                     struct dg_arg *to, struct dg_memory *memory, copy_fn *copy)
{
    dg_arg_set(to, from);
    if (from->kind == DG_ARG_TENSOR) {
        dg_arg_drop(to);
        *to = (struct dg_arg){DG_ARG_TENSOR,
                              {.tensor = moved(device, from->as.tensor, memory, copy)}};
    }
    for (size_t i = 0; from->kind == DG_ARG_LIST && i < from->as.list.n_items; i++) {
        dg_arg_drop(&to->as.list.items[i]);
        move_arg(device, &from->as.list.items[i], &to->as.list.items[i], memory, copy);
    }
}

static void drop_all(struct dg_arg *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dg_arg_drop(&values[i]);
}

static enum dg_status run(const struct op_case *one, dg_kernel_fn *kernel,
                          struct dg_memory *memory, void *stream,
                          struct dg_arg *results, struct dg_error *err)
{
    struct dg_arena scratch = {0};
    struct dg_context context = {.memory = memory,
                                 .scratch = &scratch,
                                 .n_threads = 1,
                                 .precision = DG_PRECISION_EXACT_SUMS,
                                 .stream = stream};
    struct dg_call call = {one->op,        one->args, one->n_args, results,
                           one->n_results, &context,  err};
    enum dg_status status = kernel(&call);

    dg_arena_clear(&scratch);
    return status;
}

/* On the device, and its results on the host. */
static enum dg_status run_there(const struct dg_kernel *kernel,
                                const struct dg_device *device,
                                const struct op_case *one, struct dg_arg *results,
                                struct dg_error *err)
{
    struct op_case there = *one;
    struct dg_arg given[CASE_RESULTS_MOST] = {{0}};
    enum dg_status status;

    memset(there.args, 0, sizeof(there.args));
    for (size_t i = 0; i < one->n_args; i++)
        move_arg(device, &one->args[i], &there.args[i], device->memory, device->upload);
    status = run(&there, kernel->cuda, device->memory, device->stream, given, err);
    if (!status)
        status = device->finish(device, err);
    if (!status)
        status = dg_guards_check(device, there.args, there.n_args, err);
    if (!status)
        status = dg_guards_check(device, given, CASE_RESULTS_MOST, err);
    for (size_t i = 0; !status && i < one->n_results; i++)
        move_arg(device, &given[i], &results[i], &dg_host_memory, device->download);
    drop_all(given, CASE_RESULTS_MOST);
    drop_all(there.args, there.n_args);
    return status;
}

static bool has_integers(const struct op_case *one)
{
    bool found = false;

    for (size_t i = 0; i < one->n_args; i++) {
        const struct dg_arg *arg = &one->args[i];

        if (arg->kind == DG_ARG_LIST && arg->as.list.n_items)
            arg = &arg->as.list.items[0];
        found |= arg->kind == DG_ARG_TENSOR && !dg_type_is_float(arg->as.tensor->type);
    }
    return found;
}

/* Whether the device gives what `one` says. A kernel may leave integers to the host. */
static void compare(const struct dg_kernel *kernel, const struct dg_device *device,
                    const struct op_case *one, enum dg_status expected, bool may_refuse,
                    struct row_counts *counts)
{
    struct dg_arg results[CASE_RESULTS_MOST] = {{0}};
    struct dg_error err = {0};
    char why[640] = "";
    enum dg_status status = run_there(kernel, device, one, results, &err);
    int verdict = 1;

    if (status == DG_ERR_DEVICE && (may_refuse || has_integers(one))) {
        counts->on_host++;
        drop_all(results, CASE_RESULTS_MOST);
        return;
    }
    if (status != expected) {
        verdict = 0;
        snprintf(why, sizeof(why), "returns %d, not %d: %s", status, expected,
                 err.text);
    }
    for (size_t i = 0; !status && i < one->n_results && verdict == 1; i++)
        verdict = agree(kernel, one, i, &results[i], why, sizeof(why));
    counts->passed += verdict == 1;
    counts->failed += verdict != 1;
    if (verdict != 1)
        printf("FAIL %s %s: %s\n", one->op, one->label, why);
    drop_all(results, CASE_RESULTS_MOST);
}

static const char *const layout_names[N_LAYOUTS] = {"dense", "transposed", "sliced"};

static void check_variant(const struct dg_kernel *kernel, const struct recipe *recipe,
                          const struct variant *variant, const struct dg_device *device,
                          struct row_counts *counts)
{
    struct op_case one = {{0}, {0}, {{0}}, {{0}}, 0, 1};
    const struct dg_op *schema = dg_op_find(kernel->op, strlen(kernel->op));
    struct dg_error err = {0};
    enum dg_status status;

    snprintf(one.op, sizeof(one.op), "%s", kernel->op);
    snprintf(one.label, sizeof(one.label), "%s: %s %s%s", recipe->args,
             dg_type_name(variant->type), layout_names[variant->layout],
             variant->special ? " special" : "");
    one.n_args = recipe_args(recipe, variant, one.args);
    if (schema)
        one.n_results = dg_op_n_returns(schema);
    status = run(&one, kernel->cpu, &dg_host_memory, NULL, one.results, &err);
    if (status == DG_ERR_DEVICE)
        counts->on_host++;
    else
        compare(kernel, device, &one, status, false, counts);
    drop_all(one.args, one.n_args);
    drop_all(one.results, CASE_RESULTS_MOST);
}

static void check_recipe(const struct dg_kernel *kernel, const struct recipe *recipe,
                         const struct dg_device *device, struct row_counts *counts)
{
    static const enum dg_type types[] = {
        DG_TYPE_F32, DG_TYPE_F64, DG_TYPE_F16, DG_TYPE_BF16, DG_TYPE_I64,
        DG_TYPE_I32, DG_TYPE_I16, DG_TYPE_I8,  DG_TYPE_U8,   DG_TYPE_BOOL};
    size_t n_types = recipe_is_untyped(recipe) ? 1 : sizeof(types) / sizeof(*types);

    for (size_t t = 0; t < n_types; t++) {
        for (int i = 0; i <= N_LAYOUTS && recipe_takes(recipe, types[t]); i++) {
            struct variant variant = {types[t], (enum layout)(i % N_LAYOUTS),
                                      i == N_LAYOUTS, 1000 * t + (uint64_t)i};

            if (!variant.special || dg_type_is_float(types[t]))
                check_variant(kernel, recipe, &variant, device, counts);
        }
    }
}

static int check_recipes(const struct dg_kernel *kernel, const struct dg_device *device,
                         struct row_counts *counts)
{
    int n = 0;

    for (const struct recipe *recipe = recipes; recipe->op; recipe++) {
        if (strcmp(recipe->op, kernel->op))
            continue;
        check_recipe(kernel, recipe, device, counts);
        n++;
    }
    return n;
}

/* Several names may share a kernel: the first one has recipes. */
static bool is_another_name(const struct dg_kernel *kernels,
                            const struct dg_kernel *kernel)
{
    for (; kernels != kernel; kernels++) {
        if (kernels->cuda == kernel->cuda && kernels->cpu == kernel->cpu)
            return true;
    }
    return false;
}

bool row_is_meant(const struct dg_kernel *kernel, const char *op)
{
    return kernel->cuda && (!op || !fnmatch(op, kernel->op, 0));
}

void check_row(const struct dg_kernel *kernels, const struct dg_kernel *kernel,
               const struct dg_device *device, struct row_counts *counts)
{
    if (check_recipes(kernel, device, counts) || is_another_name(kernels, kernel))
        return;
    printf("FAIL %s: no recipe in tests/cuda/recipes\n", kernel->op);
    counts->failed++;
}

void check_rows(const struct dg_kernel *kernels, const char *op,
                const struct dg_device *device, struct row_counts *counts)
{
    for (const struct dg_kernel *kernel = kernels; kernel->op; kernel++) {
        if (row_is_meant(kernel, op))
            check_row(kernels, kernel, device, counts);
    }
}

static const struct dg_kernel *find(const struct dg_kernel *kernels, const char *op)
{
    size_t length = strlen(op);

    if (length > 8 && !strcmp(op + length - 8, ".default"))
        length -= 8;
    for (; kernels->op; kernels++) {
        if (!strncmp(kernels->op, op, length) && !kernels->op[length])
            return kernels;
    }
    return NULL;
}

int check_case_file(const struct dg_kernel *kernels, const char *path, const char *op,
                    const struct dg_device *device, struct row_counts *counts)
{
    struct case_file file;
    struct op_case one;

    if (!case_file_open(&file, path))
        return -1;
    while (next_case(&file, &one)) {
        const struct dg_kernel *kernel = find(kernels, one.op);

        if (kernel && kernel->cuda && (!op || !fnmatch(op, one.op, 0)))
            compare(kernel, device, &one, DG_OK, true, counts);
        clear_case(&one);
    }
    clear_case(&one);
    case_file_close(&file);
    return 0;
}
