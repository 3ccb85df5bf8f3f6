/* Complex numbers: operators of one element of each operand, and of their parts. */
#ifndef DG_KERNELS_CPU_COMPLEX_H
#define DG_KERNELS_CPU_COMPLEX_H

#include "kernels/kernel.h"

#define COMPLEX(cpu, complex) dg_kernel_fn dg_complex_##complex;
#define INEXACT(cpu, complex) dg_kernel_fn dg_complex_##complex;
#define ITSELF(cpu)
#include "kernels/list/complex.h"
#undef COMPLEX
#undef INEXACT
#undef ITSELF

/* to[i] from in[0][i], in[1][i]...; `p` are parameters of the call. */
typedef void dg_complex_line(int64_t n, double _Complex *to, double _Complex *const *in,
                             const double _Complex *p);

enum dg_complex_result {
    DG_COMPLEX_SAME,   /* the common type of the operands */
    DG_COMPLEX_PART,   /* that of its parts */
    DG_COMPLEX_DOUBLE, /* c128, whatever the operands are */
    DG_COMPLEX_TRUTH,  /* bool */
};

struct dg_complex_op {
    int n_operands; /* the first arguments: tensors or numbers, at most 3 */
    dg_complex_line *line;
    enum dg_complex_result result;
    unsigned typed_by; /* bits of the operands that decide the type; 0: all */
    int parameter; /* an argument that is a number, 1 where it is missing; 0: none */
};

/* Operands are the arguments in their order. */
enum dg_status dg_complex_pointwise(struct dg_call *call,
                                    const struct dg_complex_op *op);

/* The real (0) or imaginary (1) parts of complex numbers, over the same bytes: one
 * share. */
struct dg_tensor *dg_complex_part(const struct dg_tensor *tensor, int part);
/* A result of the parts, which are of one shape and type. */
enum dg_status dg_complex_give(struct dg_call *call, size_t number,
                               struct dg_tensor *const *parts);
void dg_complex_drop(struct dg_tensor **tensors, int n);

/* Arguments of the call, of which a dtype is that of the parts; NULL: failed. */
struct dg_arg *dg_complex_arguments(struct dg_call *call);
/* The one result that a kernel gives for these arguments. */
enum dg_status dg_complex_run(const struct dg_call *call, dg_kernel_fn *kernel,
                              const struct dg_arg *args, size_t n_args,
                              struct dg_tensor **result);

/* Whether the call asks for a dtype that is not complex: numbers lose their imaginary
 * parts before anything is computed. */
bool dg_complex_wants_real(const struct dg_call *call);
/* A kernel that is linear in its complex arguments together, argument 0 among them, for
 * the parts of them one after the other; a complex dtype becomes that of the parts. */
enum dg_status dg_complex_by_parts(struct dg_call *call, dg_kernel_fn *real);

/* Part by part: the product with 1 of C makes NaN of infinities, and CMPLX() is not in
 * every compiler's reach. */
static inline double _Complex dg_complex_of(double real, double imag)
{
    double parts[2] = {real, imag};
    double _Complex value;

    __builtin_memcpy(&value, parts, sizeof(value));
    return value;
}

double _Complex dg_complex_times(double _Complex x, double _Complex y);
/* log(exp(x) + exp(y)) */
double _Complex dg_complex_log_of_sum(double _Complex x, double _Complex y);

#endif
