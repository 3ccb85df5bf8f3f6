/* In which order the dimensions of a tensor lie in memory, outermost first: what
 * torch.Tensor.dim_order() of torch 2.13 says. */
#include "partition/support_parts.h"

enum { MAX_RANK = 64 };

static bool is_dense(const struct dg_support_value *value, const int *order)
{
    int64_t expected = 1;

    for (int i = value->rank; i-- > 0;) {
        int64_t size = value->sizes[order[i]];

        if (size != 1 && value->strides[order[i]] != expected)
            return false;
        if (size && expected > INT64_MAX / size)
            return false;
        expected *= size > 1 ? size : 1;
    }
    return true;
}

static bool exceeds(int64_t a, int64_t b)
{
    return b == 0 || (a != 0 && a >= b);
}

/* Whether dimension a lies inside of b: 1 no, -1 yes, 0 cannot be told. */
static int compare(const struct dg_support_value *value, int a, int b)
{
    int64_t stride_a = value->strides[a], stride_b = value->strides[b];

    if (!stride_a || !stride_b)
        return 0;
    if (stride_a == stride_b)
        return exceeds(value->sizes[b], value->sizes[a]) ? 0 : 1;
    return exceeds(stride_b, stride_a) ? -1 : 1;
}

static void sort(int *order, const struct dg_support_value *value)
{
    int n = value->rank, inner[MAX_RANK];

    for (int i = 0; i < n; i++)
        inner[i] = n - 1 - i;
    for (int i = 1; i < n; i++) {
        int at = i;

        for (int j = i; j-- > 0;) {
            int verdict = compare(value, inner[j], inner[at]);
            int dim = inner[j];

            if (verdict < 0)
                break;
            if (!verdict)
                continue;
            inner[j] = inner[at];
            inner[at] = dim;
            at = j;
        }
    }
    for (int i = 0; i < n; i++)
        order[i] = inner[n - 1 - i];
}

static bool is_known(const struct dg_support_value *value)
{
    if (!value->strides || value->rank < 0 || value->rank > MAX_RANK)
        return false;
    for (int i = 0; i < value->rank; i++) {
        if (value->sizes[i] == INT64_MIN || value->strides[i] == INT64_MIN)
            return false;
    }
    return true;
}

static void find_order(int *order, const struct dg_support_value *value)
{
    static const int channels_last[] = {0, 2, 3, 1};
    bool plain, last;

    for (int i = 0; i < value->rank; i++)
        order[i] = i;
    plain = is_dense(value, order);
    last = value->rank == 4 && is_dense(value, channels_last);
    if (last && !plain)
        memcpy(order, channels_last, sizeof(channels_last));
    else if (plain == last)
        sort(order, value);
}

bool dg_support_same_order(const struct dg_support_value *a,
                           const struct dg_support_value *b)
{
    int of_a[MAX_RANK], of_b[MAX_RANK];

    if (!is_known(a) || !is_known(b) || a->rank != b->rank)
        return true;
    find_order(of_a, a);
    find_order(of_b, b);
    return !memcmp(of_a, of_b, (size_t)a->rank * sizeof(*of_a));
}
