/* Which kernel runs where an argument is complex. */
#include "kernels/cpu/complex.h"

struct row {
    dg_kernel_fn *cpu, *complex;
    bool inexact; /* judged as sums are */
};

static const struct row rows[] = {
#define COMPLEX(cpu, complex) {dg_cpu_##cpu, dg_complex_##complex, false},
#define INEXACT(cpu, complex) {dg_cpu_##cpu, dg_complex_##complex, true},
#define ITSELF(cpu) {dg_cpu_##cpu, dg_cpu_##cpu, false},
#include "kernels/list/complex.h"
};

static const struct row *row_of(dg_kernel_fn *cpu)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (rows[i].cpu == cpu)
            return &rows[i];
    }
    return NULL;
}

dg_kernel_fn *dg_complex_kernel(dg_kernel_fn *cpu)
{
    const struct row *row = row_of(cpu);

    return row ? row->complex : NULL;
}

enum dg_tolerance dg_complex_tolerance(const struct dg_kernel *kernel)
{
    const struct row *row = row_of(kernel->cpu);

    if (row && row->inexact)
        return DG_TOLERANCE_REDUCTION;
    return kernel->tolerance == DG_TOLERANCE_EXACT && row && row->complex != row->cpu
               ? DG_TOLERANCE_FUNCTION
               : kernel->tolerance;
}
