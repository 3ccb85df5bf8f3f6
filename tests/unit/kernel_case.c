/* Running an operator on values written as literals, and what it should give. */
#include "unit/kernel_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ops.h"
#include "exec/schedule_fx.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/walk.h"

enum { CASE_ARGS_MOST = 32 };

enum dg_precision case_precision;
int case_threads = 1;

static struct dg_tensor *new_tensor(enum dg_type type, struct case_dims dims)
{
    struct dg_error err = {0};
    struct dg_tensor *tensor =
        dg_tensor_new(&dg_host_memory, type, dims.rank, dims.sizes, &err);

    ck_assert_msg(tensor != NULL, "%s", err.text);
    return tensor;
}

static void check_count(const struct dg_tensor *tensor, size_t n_values)
{
    ck_assert_msg(n_values == 1 || (int64_t)n_values == dg_tensor_count(tensor),
                  "a tensor of %lld elements is given %zu values",
                  (long long)dg_tensor_count(tensor), n_values);
}

struct dg_arg case_tensor(enum dg_type type, struct case_dims dims, size_t n_values,
                          const double *values)
{
    struct dg_tensor *tensor = new_tensor(type, dims);

    check_count(tensor, n_values);
    for (int64_t i = 0; i < dg_tensor_count(tensor); i++)
        dg_store_f64(type,
                     (char *)dg_tensor_data(tensor) + (size_t)i * dg_type_bytes(type),
                     1, values + (n_values == 1 ? 0 : i), 1);
    return (struct dg_arg){DG_ARG_TENSOR, .as.tensor = tensor};
}

struct dg_arg case_big_integers(struct case_dims dims, size_t n_values,
                                const int64_t *values)
{
    struct dg_tensor *tensor = new_tensor(DG_TYPE_I64, dims);

    check_count(tensor, n_values);
    for (int64_t i = 0; i < dg_tensor_count(tensor); i++)
        ((int64_t *)dg_tensor_data(tensor))[i] = values[n_values == 1 ? 0 : i];
    return (struct dg_arg){DG_ARG_TENSOR, .as.tensor = tensor};
}

struct dg_arg case_list(size_t n_items, const struct dg_arg *items)
{
    struct dg_arg list = {DG_ARG_LIST,
                          .as.list = {calloc(n_items + 1, sizeof(*items)), n_items}};

    ck_assert_ptr_nonnull(list.as.list.items);
    memcpy(list.as.list.items, items, n_items * sizeof(*items));
    return list;
}

struct dg_arg case_ints(size_t n_values, const int64_t *values)
{
    struct dg_arg list = {
        DG_ARG_LIST,
        .as.list = {calloc(n_values + 1, sizeof(struct dg_arg)), n_values}};

    ck_assert_ptr_nonnull(list.as.list.items);
    for (size_t i = 0; i < n_values; i++)
        list.as.list.items[i] = INT(values[i]);
    return list;
}

struct dg_arg spread(struct dg_arg tensor)
{
    struct dg_tensor *dense = tensor.as.tensor, *wide, *view;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];

    for (int dim = 0; dim < dense->rank; dim++)
        sizes[dim] = 2 * dense->sizes[dim] + 1;
    wide = new_tensor(dense->type, (struct case_dims){dense->rank, sizes});
    memset(wide->storage->bytes, 0x7b, wide->storage->size);
    for (int dim = 0; dim < dense->rank; dim++)
        strides[dim] = 2 * wide->strides[dim];
    view = dg_tensor_view(wide, dense->rank, dense->sizes, strides, 0);
    dg_copy_elements(view, dense, 1);
    dg_tensor_drop(wide);
    dg_tensor_drop(dense);
    return (struct dg_arg){DG_ARG_TENSOR, .as.tensor = view};
}

static void swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;

    *a = *b;
    *b = kept;
}

struct dg_arg swapped(struct dg_arg tensor, int dim, int other)
{
    struct dg_tensor *base = tensor.as.tensor;
    struct dg_tensor *view =
        dg_tensor_view(base, base->rank, base->sizes, base->strides, base->offset);

    swap(&view->sizes[dim], &view->sizes[other]);
    swap(&view->strides[dim], &view->strides[other]);
    dg_tensor_drop(base);
    return (struct dg_arg){DG_ARG_TENSOR, .as.tensor = view};
}

static size_t count_results(const char *op)
{
    const struct dg_op *schema = dg_op_find(op, strlen(op));
    size_t n = schema ? dg_op_n_returns(schema) : 1;

    return n > 1 ? n : 1;
}

/* The arguments given, then the defaults of the schema. */
static void fill_defaults(const char *op, struct case_args given, struct case_args *all,
                          struct dg_arena *memory)
{
    const struct dg_op *schema = dg_op_find(op, strlen(op));
    const char *cursor = schema ? schema->args : "";
    struct dg_op_arg arg = {0};

    for (size_t i = 0; i < given.n; i++)
        dg_arg_set(&all->items[i], &given.items[i]);
    all->n = given.n;
    for (size_t i = 0; i < CASE_ARGS_MOST && dg_op_next_arg(&cursor, &arg); i++) {
        if (i >= given.n)
            all->items[all->n++] = dg_fx_default(&arg, memory);
    }
}

struct case_run case_run(const char *op, struct case_args args)
{
    struct case_run run = {.n_results = count_results(op)};
    const struct dg_kernel *kernel = dg_kernel_find(op);
    struct dg_arg items[CASE_ARGS_MOST] = {0};
    struct case_args all = {0, items};
    struct dg_arena scratch = {0};
    struct dg_context context = {&dg_host_memory, &scratch,      case_threads,
                                 case_precision,  .tf32 = false, NULL};
    struct dg_call call = {op,       items,   0, run.results, run.n_results,
                           &context, &run.err};

    ck_assert_msg(kernel != NULL, "%s has no kernel", op);
    ck_assert_uint_le(args.n, CASE_ARGS_MOST);
    fill_defaults(op, args, &all, &scratch);
    call.n_args = all.n;
    run.status = dg_kernel_run(kernel, &call);
    case_drop_args(all);
    dg_arena_clear(&scratch);
    ck_assert_uint_eq(dg_host_memory.damaged, 0);
    return run;
}

void case_drop(struct case_run *run)
{
    for (size_t i = 0; i < sizeof(run->results) / sizeof(*run->results); i++)
        dg_arg_drop(&run->results[i]);
}

void case_drop_args(struct case_args args)
{
    for (size_t i = 0; i < args.n; i++)
        dg_arg_drop(&args.items[i]);
}

static bool near(double got, double expected, double tolerance)
{
    if (isnan(expected) || isnan(got))
        return isnan(expected) && isnan(got);
    if (tolerance > 0 && isfinite(expected))
        return fabs(got - expected) <= tolerance * fmax(1, fabs(expected));
    return got == expected && signbit(got) == signbit(expected);
}

struct place {
    int line;
    const char *op;
    size_t result;
    double tolerance;
};

static void expect_elements(struct place at, struct dg_tensor *got,
                            struct dg_tensor *expected)
{
    struct dg_error err = {0};
    struct dg_context context = {.memory = &dg_host_memory, .n_threads = 1};
    struct dg_call call = {.context = &context, .err = &err};
    struct dg_tensor *dense = dg_contiguous(&call, got);

    for (int64_t i = 0; i < dg_tensor_count(expected); i++) {
        double a = dg_get_f64(dense, i), b = dg_get_f64(expected, i);
        bool same = near(a, b, at.tolerance);

        if (!dg_type_is_float(expected->type))
            same = dg_get_i64(dense, i) == dg_get_i64(expected, i);
        ck_assert_msg(same,
                      "line %d: %s: element %lld of result %zu is %.17g, not %.17g",
                      at.line, at.op, (long long)i, at.result, a, b);
    }
    dg_tensor_drop(dense);
}

static void expect_tensor(struct place at, struct dg_tensor *got,
                          struct dg_tensor *expected)
{
    char a[200], b[200];

    ck_assert_msg(got->type == expected->type, "line %d: %s: result %zu is %s, not %s",
                  at.line, at.op, at.result, dg_type_name(got->type),
                  dg_type_name(expected->type));
    ck_assert_msg(dg_tensor_same_shape(got, expected),
                  "line %d: %s: the shape of result %zu is %s, not %s", at.line, at.op,
                  at.result, dg_shape_text(got, a, sizeof(a)),
                  dg_shape_text(expected, b, sizeof(b)));
    expect_elements(at, got, expected);
}

static bool same_scalar(const struct dg_arg *got, const struct dg_arg *expected,
                        double tolerance)
{
    if (got->kind != expected->kind)
        return false;
    if (got->kind == DG_ARG_FLOAT)
        return near(got->as.real, expected->as.real, tolerance);
    if (got->kind == DG_ARG_STRING)
        return !strcmp(got->as.string, expected->as.string);
    return got->kind == DG_ARG_NONE || got->as.integer == expected->as.integer;
}

static void expect_value(struct place at, const struct dg_arg *got,
                         const struct dg_arg *expected)
{
    if (got->kind == DG_ARG_TENSOR && expected->kind == DG_ARG_TENSOR)
        expect_tensor(at, got->as.tensor, expected->as.tensor);
    else
        ck_assert_msg(same_scalar(got, expected, at.tolerance),
                      "line %d: %s: result %zu is of kind %d (%g, %lld), not %d (%g, "
                      "%lld)",
                      at.line, at.op, at.result, got->kind, got->as.real,
                      (long long)got->as.integer, expected->kind, expected->as.real,
                      (long long)expected->as.integer);
}

void case_expect(int line, const char *op, struct case_args args,
                 struct case_args expected, double tolerance)
{
    struct case_run run = case_run(op, args);
    const struct dg_arg *results = run.results;

    ck_assert_msg(run.status == DG_OK, "line %d: %s: %s", line, op, run.err.text);
    /* A list result (chunk, split, unbind) is compared item by item. */
    if (results[0].kind == DG_ARG_LIST) {
        ck_assert_uint_eq(results[0].as.list.n_items, expected.n);
        results = results[0].as.list.items;
    }
    for (size_t i = 0; i < expected.n; i++)
        expect_value((struct place){line, op, i, tolerance}, &results[i],
                     &expected.items[i]);
    case_drop(&run);
    case_drop_args(args);
    case_drop_args(expected);
}

void case_refused(int line, const char *op, struct case_args args,
                  enum dg_status status, const char *text)
{
    struct case_run run = case_run(op, args);

    ck_assert_msg(run.status == status, "line %d: %s gives status %d, not %d: %s", line,
                  op, run.status, status, run.err.text);
    ck_assert_msg(strstr(run.err.text, text) != NULL, "line %d: %s says \"%s\"", line,
                  op, run.err.text);
    case_drop(&run);
    case_drop_args(args);
}
