/* aten::einsum: products of two tensors at a time, from the left. */
#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/walk.h"

/* Labels: letters by their bytes, then dimensions of "..." from the last one back. */
enum { LETTERS = 128, LABELS = LETTERS + DG_RANK_MOST };

/* Labels in order. */
struct labels {
    int n;
    unsigned char at[LABELS];
};

/* A tensor, and what a step along each label adds to the offset: 0 along those that it
 * has not. */
struct operand {
    struct dg_tensor *tensor; /* holds a share */
    bool has[LABELS];
    int64_t strides[LABELS];
};

struct equation {
    const char *inputs, *output; /* output NULL: as the inputs suggest */
    int64_t sizes[LABELS];       /* 0 before it is known */
    int n_uses[LABELS];
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static enum dg_status malformed(struct dg_call *call, const char *at)
{
    return dg_call_fail(call, DG_ERR_FORMAT, "an equation that goes on with \"%.40s\"",
                        at);
}

/* The labels of a term; `n_hidden` are those that "..." stands for. *at moves behind.
 */
static enum dg_status read_term(struct dg_call *call, const char **at, int n_hidden,
                                struct labels *labels)
{
    labels->n = 0;
    for (; **at && **at != ',' && **at != '-'; ++*at) {
        if (**at == ' ')
            continue;
        if (labels->n + n_hidden >= LABELS)
            return malformed(call, *at);
        if (is_letter(**at)) {
            labels->at[labels->n++] = (unsigned char)**at;
        } else if (!strncmp(*at, "...", 3)) {
            for (int i = n_hidden; i > 0; i--)
                labels->at[labels->n++] = (unsigned char)(LETTERS + i - 1);
            n_hidden = 0;
            *at += 2;
        } else {
            return malformed(call, *at);
        }
    }
    return DG_OK;
}

static int count_letters(const char *term)
{
    int n = 0;

    for (; *term && *term != ',' && *term != '-'; term++)
        n += is_letter(*term);
    return n;
}

static enum dg_status add_dimension(struct dg_call *call, struct equation *equation,
                                    struct operand *operand, int label, int64_t size,
                                    int64_t stride)
{
    int64_t *known = &equation->sizes[label];
    bool first = equation->n_uses[label]++ == 0;

    operand->has[label] = true;
    if (size != 1)
        operand->strides[label] += stride;
    if (first || *known == 1)
        *known = size;
    else if (size != 1 && size != *known)
        return dg_call_fail(call, DG_ERR_FORMAT, "a subscript has sizes %lld and %lld",
                            (long long)*known, (long long)size);
    return DG_OK;
}

/* The operand that the term at *at describes. */
static enum dg_status read_operand(struct dg_call *call, struct equation *equation,
                                   const char **at, struct dg_tensor *tensor,
                                   struct operand *operand)
{
    int n_letters = count_letters(*at);
    const char *term = *at;
    struct labels labels;
    enum dg_status status;

    if (!tensor || n_letters > tensor->rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%d subscripts for a tensor of rank %d", n_letters,
                            tensor ? tensor->rank : 0);
    status = read_term(call, at, tensor->rank - n_letters, &labels);
    if (status == DG_OK && labels.n != tensor->rank)
        status = malformed(call, term);
    for (int dim = 0; dim < tensor->rank && status == DG_OK; dim++)
        status = add_dimension(call, equation, operand, labels.at[dim],
                               tensor->sizes[dim], tensor->strides[dim]);
    operand->tensor = dg_tensor_keep(tensor);
    *at += **at == ',';
    return status;
}

/* Without "->": dimensions of "...", then what occurs once, by the alphabet. */
static enum dg_status read_output(struct dg_call *call, const struct equation *equation,
                                  struct labels *labels)
{
    int n_hidden = 0;
    const char *at = equation->output;
    enum dg_status status = DG_OK;

    while (n_hidden < DG_RANK_MOST && equation->n_uses[LETTERS + n_hidden])
        n_hidden++;
    if (at) {
        status = read_term(call, &at, n_hidden, labels);
        if (status == DG_OK && *at)
            status = malformed(call, at);
    } else {
        labels->n = 0;
        for (int i = n_hidden; i > 0; i--)
            labels->at[labels->n++] = (unsigned char)(LETTERS + i - 1);
        for (int label = 0; label < LETTERS; label++) {
            if (equation->n_uses[label] == 1)
                labels->at[labels->n++] = (unsigned char)label;
        }
    }
    for (int i = 0; i < labels->n && status == DG_OK; i++) {
        if (!equation->n_uses[labels->at[i]])
            status = malformed(call, equation->output);
    }
    return status;
}

/* What a product of two operands does with labels. */
struct roles {
    struct labels batch, rows, columns, sums;
};

static struct roles roles_of(const struct operand *a, const struct operand *b,
                             const bool *kept)
{
    struct roles roles = {.batch = {.n = 0}};

    for (int label = 0; label < LABELS; label++) {
        struct labels *role = !kept[label]                     ? &roles.sums
                              : a->has[label] && b->has[label] ? &roles.batch
                              : a->has[label]                  ? &roles.rows
                                                               : &roles.columns;

        if (a->has[label] || b->has[label])
            role->at[role->n++] = (unsigned char)label;
    }
    return roles;
}

static int64_t append(struct dg_tensor *view, const struct labels *labels,
                      const struct equation *equation, const struct operand *operand)
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
                                     const struct equation *equation,
                                     const struct operand *operand,
                                     const struct labels *const parts[3],
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
static void take_result(struct dg_call *call, const struct equation *equation,
                        const struct roles *roles, struct operand *a)
{
    const struct labels *parts[] = {&roles->batch, &roles->rows, &roles->columns};
    struct dg_tensor *tensor = call->results[0].as.tensor;
    int dim = 0;

    call->results[0] = (struct dg_arg){0};
    dg_tensor_drop(a->tensor);
    *a = (struct operand){.tensor = tensor};
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < parts[part]->n; i++, dim++) {
            int label = parts[part]->at[i];

            a->has[label] = true;
            a->strides[label] = equation->sizes[label] == 1 ? 0 : tensor->strides[dim];
        }
    }
}

static void set_shape(const struct equation *equation, const struct roles *roles,
                      struct dg_product *product)
{
    struct operand none = {.tensor = NULL};
    struct dg_tensor shape = {.rank = 0};

    append(&shape, &roles->batch, equation, &none);
    append(&shape, &roles->rows, equation, &none);
    append(&shape, &roles->columns, equation, &none);
    product->rank = shape.rank;
    memcpy(product->sizes, shape.sizes, sizeof(shape.sizes));
}

static enum dg_status multiply(struct dg_call *call, const struct equation *equation,
                               struct operand *a, const struct operand *b,
                               const bool *kept)
{
    struct roles r = roles_of(a, b, kept);
    struct dg_tensor sides[2], *copies[2] = {NULL, NULL};
    struct dg_product product;
    enum dg_status status = DG_OK;

    if (r.batch.n + r.rows.n + r.columns.n + r.sums.n > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "more than %d subscripts",
                            DG_RANK_MOST);
    copies[0] =
        as_matrices(call, equation, a,
                    (const struct labels *[]){&r.batch, &r.rows, &r.sums}, &sides[0]);
    if (copies[0])
        copies[1] = as_matrices(
            call, equation, b, (const struct labels *[]){&r.batch, &r.sums, &r.columns},
            &sides[1]);
    status = copies[1] ? dg_product_begin(call, &product, &sides[0], 3, &sides[1], 3)
                       : call->err->status;
    if (status == DG_OK) {
        set_shape(equation, &r, &product);
        status = dg_product_run(call, &product);
    }
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
        dg_store_i64(type, dg_tensor_data(one), 1, (int64_t[]){1}, 1);
    return one;
}

static enum dg_status give(struct dg_call *call, const struct equation *equation,
                           const struct labels *output, const struct operand *result)
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
static enum dg_status fold(struct dg_call *call, const struct equation *equation,
                           const struct labels *output, struct operand *operands,
                           size_t n)
{
    enum dg_status status = DG_OK;

    for (size_t i = 1; i < n && status == DG_OK; i++) {
        bool kept[LABELS] = {false};

        for (int at = 0; at < output->n; at++)
            kept[output->at[at]] = true;
        for (size_t later = i + 1; later < n; later++) {
            for (int label = 0; label < LABELS; label++)
                kept[label] |= operands[later].has[label];
        }
        status = multiply(call, equation, &operands[0], &operands[i], kept);
    }
    return status ? status : give(call, equation, output, &operands[0]);
}

static enum dg_status run(struct dg_call *call, struct equation *equation,
                          const struct dg_arg *tensors, size_t n,
                          struct operand *operands)
{
    const char *at = equation->inputs;
    struct labels output;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n && status == DG_OK; i++)
        status =
            read_operand(call, equation, &at,
                         tensors[i].kind == DG_ARG_TENSOR ? tensors[i].as.tensor : NULL,
                         &operands[i]);
    if (status == DG_OK && *at && *at != '-')
        status = malformed(call, at);
    if (status == DG_OK)
        status = read_output(call, equation, &output);
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
    struct equation equation = {.inputs = text};
    struct operand *operands;
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
    for (size_t i = 0; i <= n; i++)
        dg_tensor_drop(operands[i].tensor);
    return status;
}
