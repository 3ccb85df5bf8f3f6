/* aten::einsum: products of two tensors at a time, from the left. */
#include "kernels/cpu/einsum.h"

#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/complex.h"
#include "kernels/cpu/compose.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/walk.h"

/* What a product of two operands does with labels. */
struct roles {
    struct dg_einsum_labels batch, rows, columns, sums;
};

static struct roles roles_of(const struct dg_einsum_operand *a,
                             const struct dg_einsum_operand *b, const bool *kept)
{
    struct roles roles = {.batch = {.n = 0}};

    for (int label = 0; label < DG_LABELS; label++) {
        struct dg_einsum_labels *role = !kept[label]                     ? &roles.sums
                                        : a->has[label] && b->has[label] ? &roles.batch
                                        : a->has[label]                  ? &roles.rows
                                                        : &roles.columns;

        if (a->has[label] || b->has[label])
            role->at[role->n++] = (unsigned char)label;
    }
    return roles;
}

static int64_t append(struct dg_tensor *view, const struct dg_einsum_labels *labels,
                      const struct dg_einsum_equation *equation,
                      const struct dg_einsum_operand *operand)
{
    int64_t count = 1;

    for (int i = 0; i < labels->n; i++) {
        view->sizes[view->rank] = equation->sizes[labels->at[i]];
        view->strides[view->rank++] = operand->strides[labels->at[i]];
        count *= equation->sizes[labels->at[i]];
    }
    return count;
}

/* An operand as a batch of matrices; the share is the caller's. */
static struct dg_tensor *as_matrices(struct dg_call *call,
                                     const struct dg_einsum_equation *equation,
                                     const struct dg_einsum_operand *operand,
                                     const struct dg_einsum_labels *const parts[3],
                                     struct dg_tensor *matrices)
{
    struct dg_tensor view = *operand->tensor, *copy;
    int64_t sizes[3];

    view.rank = 0;
    for (int i = 0; i < 3; i++)
        sizes[i] = append(&view, parts[i], equation, operand);
    copy = dg_tensor_new(call->context->memory, view.type, view.rank, view.sizes,
                         call->err);
    if (!copy)
        return NULL;
    dg_copy_elements(copy, &view, call->context->n_threads);
    *matrices = *copy;
    matrices->rank = 3;
    memcpy(matrices->sizes, sizes, sizeof(sizes));
    dg_contiguous_strides(3, sizes, matrices->strides);
    return copy;
}

/* The result, whose dimensions are those of batch, rows and columns, replaces *a. */
static void take_result(struct dg_call *call, const struct dg_einsum_equation *equation,
                        const struct roles *roles, struct dg_einsum_operand *a)
{
    const struct dg_einsum_labels *parts[] = {&roles->batch, &roles->rows,
                                              &roles->columns};
    struct dg_tensor *tensor = call->results[0].as.tensor;
    int dim = 0;

    call->results[0] = (struct dg_arg){0};
    dg_tensor_drop(a->tensor);
    *a = (struct dg_einsum_operand){.tensor = tensor};
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < parts[part]->n; i++, dim++) {
            int label = parts[part]->at[i];

            a->has[label] = true;
            a->strides[label] = equation->sizes[label] == 1 ? 0 : tensor->strides[dim];
        }
    }
}

static void set_shape(const struct dg_einsum_equation *equation,
                      const struct roles *roles, struct dg_product *product)
{
    struct dg_einsum_operand none = {.tensor = NULL};
    struct dg_tensor shape = {.rank = 0};

    append(&shape, &roles->batch, equation, &none);
    append(&shape, &roles->rows, equation, &none);
    append(&shape, &roles->columns, equation, &none);
    product->rank = shape.rank;
    memcpy(product->sizes, shape.sizes, sizeof(shape.sizes));
}

/* Result 0: a batch of products of complex numbers in the shape of the product. */
static enum dg_status run_complex(struct dg_call *call,
                                  const struct dg_product *product)
{
    struct dg_tensor a = product->a, b = product->b, *made;
    struct dg_arg sides[] = {dg_tensor_arg(&a), dg_tensor_arg(&b)};
    int64_t strides[DG_RANK_MOST];
    enum dg_status status = dg_complex_run(call, dg_complex_bmm, sides, 2, &made);

    if (status)
        return status;
    dg_contiguous_strides(product->rank, product->sizes, strides);
    dg_give(call, 0,
            dg_tensor_view(made, product->rank, product->sizes, strides, made->offset));
    dg_tensor_drop(made);
    return DG_OK;
}

static enum dg_status multiply_matrices(struct dg_call *call,
                                        const struct dg_einsum_equation *equation,
                                        const struct roles *roles,
                                        struct dg_tensor sides[2])
{
    bool complex =
        dg_type_is_complex(sides[0].type) || dg_type_is_complex(sides[1].type);
    struct dg_product product = {.a = sides[0], .b = sides[1]};
    enum dg_status status =
        complex ? DG_OK : dg_product_begin(call, &product, &sides[0], 3, &sides[1], 3);

    if (status)
        return status;
    set_shape(equation, roles, &product);
    return complex ? run_complex(call, &product) : dg_product_run(call, &product);
}

static enum dg_status multiply(struct dg_call *call,
                               const struct dg_einsum_equation *equation,
                               struct dg_einsum_operand *a,
                               const struct dg_einsum_operand *b, const bool *kept)
{
    struct roles r = roles_of(a, b, kept);
    struct dg_tensor sides[2], *copies[2] = {NULL, NULL};
    enum dg_status status;

    if (r.batch.n + r.rows.n + r.columns.n + r.sums.n > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "more than %d subscripts",
                            DG_RANK_MOST);
    copies[0] = as_matrices(
        call, equation, a,
        (const struct dg_einsum_labels *[]){&r.batch, &r.rows, &r.sums}, &sides[0]);
    if (copies[0])
        copies[1] = as_matrices(
            call, equation, b,
            (const struct dg_einsum_labels *[]){&r.batch, &r.sums, &r.columns},
            &sides[1]);
    status =
        copies[1] ? multiply_matrices(call, equation, &r, sides) : call->err->status;
    if (status == DG_OK)
        take_result(call, equation, &r, a);
    dg_tensor_drop(copies[0]);
    dg_tensor_drop(copies[1]);
    return status;
}

/* A number 1 of the first operand's type: what a single operand is multiplied with. */
static struct dg_tensor *make_one(struct dg_call *call, enum dg_type type)
{
    struct dg_tensor *one =
        dg_tensor_new(call->context->memory, type, 0, NULL, call->err);

    if (one)
        dg_store_complex(type, dg_tensor_data(one), 1, (double _Complex[]){1}, 1);
    return one;
}

static enum dg_status give(struct dg_call *call,
                           const struct dg_einsum_equation *equation,
                           const struct dg_einsum_labels *output,
                           const struct dg_einsum_operand *result)
{
    struct dg_tensor view = *result->tensor, *tensor;

    view.rank = 0;
    if (output->n > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "more than %d subscripts",
                            DG_RANK_MOST);
    append(&view, output, equation, result);
    tensor = dg_result(call, 0, view.type, view.rank, view.sizes);
    if (!tensor)
        return call->err->status;
    dg_copy_elements(tensor, &view, call->context->n_threads);
    return DG_OK;
}

/* From the left: labels that neither the output nor a later operand has are summed. */
static enum dg_status fold(struct dg_call *call,
                           const struct dg_einsum_equation *equation,
                           const struct dg_einsum_labels *output,
                           struct dg_einsum_operand *operands, size_t n)
{
    enum dg_status status = DG_OK;

    for (size_t i = 1; i < n && status == DG_OK; i++) {
        bool kept[DG_LABELS] = {false};

        for (int at = 0; at < output->n; at++)
            kept[output->at[at]] = true;
        for (size_t later = i + 1; later < n; later++) {
            for (int label = 0; label < DG_LABELS; label++)
                kept[label] |= operands[later].has[label];
        }
        status = multiply(call, equation, &operands[0], &operands[i], kept);
    }
    return status ? status : give(call, equation, output, &operands[0]);
}

static void drop(struct dg_einsum_operand *operands, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        dg_tensor_drop(operands[i].tensor);
        operands[i] = (struct dg_einsum_operand){0};
    }
}

/* Whether operand `i` alone has a label that is summed. */
static bool sums_alone(const struct dg_einsum_operand *operands, size_t n, size_t i,
                       const struct dg_einsum_labels *output)
{
    for (int label = 0; label < DG_LABELS; label++) {
        bool alone =
            operands[i].has[label] && !memchr(output->at, label, (size_t)output->n);

        for (size_t other = 0; other < n && alone; other++)
            alone = other == i || !operands[other].has[label];
        if (alone)
            return true;
    }
    return false;
}

/* What is summed by itself is so before any product, and sums of whole numbers are
 * i64; then torch takes no operand of another type beside it. */
static enum dg_status widen(struct dg_call *call, struct dg_einsum_equation *equation,
                            const struct dg_arg *tensors, size_t n,
                            struct dg_einsum_operand *operands,
                            struct dg_einsum_labels *output)
{
    struct dg_arg *wide = dg_alloc(call->context->scratch, n, sizeof(*wide));
    struct dg_einsum_equation again = {.inputs = equation->inputs,
                                       .output = equation->output};
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n && status == DG_OK; i++) {
        wide[i] = dg_tensor_arg(dg_as_type(call, tensors[i].as.tensor, DG_TYPE_I64));
        status = wide[i].kind == DG_ARG_TENSOR ? DG_OK : call->err->status;
    }
    drop(operands, n);
    *equation = again;
    if (status == DG_OK)
        status = dg_einsum_read(call, equation, wide, n, operands, output);
    for (size_t i = 0; i < n; i++)
        dg_arg_drop(&wide[i]);
    return status;
}

static enum dg_status run(struct dg_call *call, struct dg_einsum_equation *equation,
                          const struct dg_arg *tensors, size_t n,
                          struct dg_einsum_operand *operands)
{
    struct dg_einsum_labels output;
    enum dg_status status =
        dg_einsum_read(call, equation, tensors, n, operands, &output);
    bool widens = false;

    for (size_t i = 0; i < n && status == DG_OK; i++)
        widens |= sums_alone(operands, n, i, &output) &&
                  !dg_type_is_float(operands[i].tensor->type) &&
                  !dg_type_is_complex(operands[i].tensor->type);
    if (widens)
        status = widen(call, equation, tensors, n, operands, &output);
    if (status == DG_OK && n == 1)
        operands[1].tensor = make_one(call, operands[0].tensor->type);
    if (status == DG_OK && n == 1 && !operands[1].tensor)
        status = call->err->status;
    return status ? status : fold(call, equation, &output, operands, n == 1 ? 2 : n);
}

/* equation, tensors */
enum dg_status dg_cpu_einsum(struct dg_call *call)
{
    const char *text = call->n_args > 1 && call->args[0].kind == DG_ARG_STRING
                           ? call->args[0].as.string
                           : NULL;
    struct dg_einsum_equation equation = {.inputs = text};
    struct dg_einsum_operand *operands;
    enum dg_status status;
    size_t n;

    if (!text || call->args[1].kind != DG_ARG_LIST || !call->args[1].as.list.n_items)
        return dg_call_fail(call, DG_ERR_FORMAT, "an equation and tensors are needed");
    n = call->args[1].as.list.n_items;
    equation.output = strstr(text, "->");
    if (equation.output)
        equation.output += 2;
    operands = dg_alloc(call->context->scratch, n + 1, sizeof(*operands));
    status = run(call, &equation, call->args[1].as.list.items, n, operands);
    drop(operands, n + 1);
    return status;
}
