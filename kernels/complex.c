/* Which kernel runs where an argument is complex. */
#include "kernels/cpu/complex.h"

static const struct {
    dg_kernel_fn *cpu, *complex;
} rows[] = {
#define COMPLEX(cpu, complex) {dg_cpu_##cpu, dg_complex_##complex},
#define ITSELF(cpu) {dg_cpu_##cpu, dg_cpu_##cpu},
#include "kernels/list/complex.h"
};

dg_kernel_fn *dg_complex_kernel(dg_kernel_fn *cpu)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (rows[i].cpu == cpu)
            return rows[i].complex;
    }
    return NULL;
}

enum dg_tolerance dg_complex_tolerance(const struct dg_kernel *kernel)
{
    dg_kernel_fn *run = dg_complex_kernel(kernel->cpu);

    return kernel->tolerance == DG_TOLERANCE_EXACT && run && run != kernel->cpu
               ? DG_TOLERANCE_FUNCTION
               : kernel->tolerance;
}
