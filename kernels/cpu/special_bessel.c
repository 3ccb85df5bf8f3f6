/* Bessel's functions of the orders 0 and 1, and what is made of them. */
#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/special.h"

enum dg_status dg_special(struct dg_call *call, int n_operands, int n_parameters,
                          dg_real_line *wide, dg_real_line *narrow)
{
    struct dg_arg operands[DG_OPERANDS_MOST];
    enum dg_type type;

    dg_pointwise_operands(call, n_operands, operands);
    type = dg_common_type(operands, (size_t)n_operands);
    if (type == DG_TYPE_F64 || call->context->precision == DG_PRECISION_WIDE)
        narrow = wide;
    return dg_pointwise(
        call, &(struct dg_pointwise){n_operands, DG_FLOAT, narrow, NULL, n_parameters});
}

double dg_in_type(enum dg_type type, double value)
{
    double narrow;

    if (type == DG_TYPE_F32)
        return (float)value;
    dg_store_f64(type, &narrow, 1, &value, 1);
    dg_load_f64(&value, type, &narrow, 1, 1);
    return value;
}

/* From 5 on torch takes cosines of x - c, which it rounds in its type: by how much the
 * phase is another then. */
static double phase_error(double x, double c, bool narrow)
{
    return x > 5 ? dg_in(narrow, x - dg_in(narrow, c)) - x + c : 0;
}

/* J and Y are a cosine and a sine of the same phase. */
static double bessel_j(double j, double y, double error)
{
    return error != 0 ? j * cos(error) - y * sin(error) : j;
}

static double bessel_y(double j, double y, double error)
{
    return error != 0 ? y * cos(error) + j * sin(error) : y;
}

static double bessel_j0(double x, bool narrow)
{
    double size = fabs(x), error = phase_error(size, M_PI_4, narrow);

    if (!isfinite(x))
        return NAN;
    return bessel_j(j0(size), error != 0 ? y0(size) : 0, error);
}

static double bessel_j1(double x, bool narrow)
{
    double size = fabs(x), error = phase_error(size, 3 * M_PI_4, narrow);

    if (!isfinite(x))
        return NAN;
    return copysign(1, x) * bessel_j(j1(size), error != 0 ? y1(size) : 0, error);
}

static double bessel_y0(double x, bool narrow)
{
    if (!(x > 0) || isinf(x))
        return x == 0 ? -INFINITY : NAN;
    return bessel_y(j0(x), y0(x), phase_error(x, M_PI_4, narrow));
}

static double bessel_y1(double x, bool narrow)
{
    if (!(x > 0) || isinf(x))
        return x == 0 ? -INFINITY : NAN;
    return bessel_y(j1(x), y1(x), phase_error(x, 3 * M_PI_4, narrow));
}

DG_SPECIAL(bessel_j0, bessel_j0)
DG_SPECIAL(bessel_j1, bessel_j1)
DG_SPECIAL(bessel_y0, bessel_y0)
DG_SPECIAL(bessel_y1, bessel_y1)

static double spherical_j0(double x, bool narrow)
{
    (void)narrow;
    return isinf(x) ? 0 : x == 0 ? 1 : sin(x) / x;
}

DG_SPECIAL(spherical_bessel_j0, spherical_j0)
