/* Logarithms of sums and products, and other functions of two floats. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/pointwise.cuh"

/* In f64: where sums are near 1 their logarithms cancel. Of equal infinities the
 * difference would be NaN. */
static __device__ double log_of_sum(double x, double y)
{
    double most = x > y ? x : y;

    return x == y && x - x != 0 ? x : most + log1p(exp(-fabs(x - y)));
}

static __device__ double log2_of_sum(double x, double y)
{
    const double log2_of_e = 1.4426950408889634;
    double most = x > y ? x : y;

    return x == y && x - x != 0 ? x : most + log2_of_e * log1p(exp2(-fabs(x - y)));
}

BINARY(logaddexp, DG_FLOAT, TAKES_FLOATS, NUMBERS_KEPT, C(log_of_sum(x, y)))
BINARY(logaddexp2, DG_FLOAT, TAKES_FLOATS, NUMBERS_KEPT, C(log2_of_sum(x, y)))
BINARY(xlogy, DG_FLOAT, TAKES_FLOATS, NUMBERS_KEPT,
       y != y   ? y
       : x == 0 ? C(0)
                : x * log(y))
BINARY(xlog1py, DG_FLOAT, TAKES_FLOATS, NUMBERS_KEPT,
       y != y   ? y
       : x == 0 ? C(0)
                : x * log1p(y))
BINARY(hypot, DG_FLOAT, TAKES_FLOATS, NUMBERS_KEPT, hypot(x, y))
BINARY(copysign, DG_FLOAT, TAKES_FLOATS, NUMBERS_KEPT, copysign(x, y))
BINARY(float_power, DG_DOUBLE, TAKES_FLOATS, NUMBERS_KEPT, pow(x, y))

/* A number wins over NaN. */
BINARY(fmax, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_KEPT, y != y || x > y ? x : y)
BINARY(fmin, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_KEPT, y != y || x < y ? x : y)
BINARY(heaviside, DG_PROMOTED, TAKES_NUMBERS, NUMBERS_KEPT, x == 0 ? y : C(x > 0))

/* p[0] is the relative bound, p[1] the absolute one; p[2]: NaN are equal. */
template <class C> static __device__ bool is_close(C x, C y, const C *p)
{
    if constexpr (std::is_integral_v<C>) {
        return x == y;
    } else {
        C distance = fabs(x - y);

        if (x == y || (p[2] != 0 && x != x && y != y))
            return true;
        return distance - distance == 0 && distance <= p[1] + p[0] * fabs(y);
    }
}

BINARY(isclose, DG_TRUTH, TAKES_NUMBERS, NUMBERS_KEPT, is_close(x, y, p))
