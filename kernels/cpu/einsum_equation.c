/* Equations of einsum, read. */
#include "kernels/cpu/einsum.h"

#include <string.h>

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
                                struct dg_einsum_labels *labels)
{
    labels->n = 0;
    for (; **at && **at != ',' && **at != '-'; ++*at) {
        if (**at == ' ')
            continue;
        if (labels->n + n_hidden >= DG_LABELS)
            return malformed(call, *at);
        if (is_letter(**at)) {
            labels->at[labels->n++] = (unsigned char)**at;
        } else if (!strncmp(*at, "...", 3)) {
            for (int i = n_hidden; i > 0; i--)
                labels->at[labels->n++] = (unsigned char)(DG_LETTERS + i - 1);
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

static enum dg_status add_dimension(struct dg_call *call,
                                    struct dg_einsum_equation *equation,
                                    struct dg_einsum_operand *operand, int label,
                                    int64_t size, int64_t stride)
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
static enum dg_status read_operand(struct dg_call *call,
                                   struct dg_einsum_equation *equation, const char **at,
                                   struct dg_tensor *tensor,
                                   struct dg_einsum_operand *operand)
{
    int n_letters = count_letters(*at);
    const char *term = *at;
    struct dg_einsum_labels labels;
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
static enum dg_status read_output(struct dg_call *call,
                                  const struct dg_einsum_equation *equation,
                                  struct dg_einsum_labels *labels)
{
    int n_hidden = 0;
    const char *at = equation->output;
    enum dg_status status = DG_OK;

    while (n_hidden < DG_RANK_MOST && equation->n_uses[DG_LETTERS + n_hidden])
        n_hidden++;
    if (at) {
        status = read_term(call, &at, n_hidden, labels);
        if (status == DG_OK && *at)
            status = malformed(call, at);
    } else {
        labels->n = 0;
        for (int i = n_hidden; i > 0; i--)
            labels->at[labels->n++] = (unsigned char)(DG_LETTERS + i - 1);
        for (int label = 0; label < DG_LETTERS; label++) {
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

enum dg_status dg_einsum_read(struct dg_call *call, struct dg_einsum_equation *equation,
                              const struct dg_arg *tensors, size_t n,
                              struct dg_einsum_operand *operands,
                              struct dg_einsum_labels *output)
{
    const char *at = equation->inputs;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n && status == DG_OK; i++)
        status =
            read_operand(call, equation, &at,
                         tensors[i].kind == DG_ARG_TENSOR ? tensors[i].as.tensor : NULL,
                         &operands[i]);
    if (status == DG_OK && *at && *at != '-')
        status = malformed(call, at);
    return status ? status : read_output(call, equation, output);
}
