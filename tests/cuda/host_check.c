/* Runs the CUDA kernels, compiled for the host, against the references: once with the
 * threads of a block in order and once backwards, so that races show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/fibers.h"
#include "tests/cuda/host_device.h"
#include "tests/cuda/report.h"

#define dg_cuda_none NULL
static const struct dg_kernel kernels[] = {
#define KERNEL(name, run, on_cuda, class, of, ...)                                     \
    {.op = name,                                                                       \
     .cpu = dg_cpu_##run,                                                              \
     .cuda = dg_cuda_##on_cuda,                                                        \
     .has_cuda = true,                                                                 \
     .tolerance = DG_TOLERANCE_##class,                                                \
     .types = DG_TYPES_##of},
#define VIEW(op, cpu, source)
#include "kernels/list.h"
    {0},
};

static enum dg_status end_process(struct dg_call *call)
{
    (void)call;
    abort();
}

static const struct dg_device *open_host(void)
{
    return &host_device;
}

static void close_host(void)
{
}

/* Whether rows are told of behind one that ends the process. */
static bool report_goes_on(void)
{
    const struct dg_kernel three[] = {
        {.op = "aten::neg", .cpu = dg_cpu_neg, .cuda = dg_cuda_neg},
        {.op = "aten::abs", .cpu = dg_cpu_abs, .cuda = end_process},
        {.op = "aten::relu", .cpu = dg_cpu_relu, .cuda = dg_cuda_relu},
        {0}};
    const struct report_device on = {open_host, close_host};
    struct row_counts neg = {0}, both = {0};

    puts("one row is meant to fail:");
    return report_rows(three, "aten::neg", &on, &neg) == REPORT_WHOLE &&
           report_rows(three, "aten::[anr]*", &on, &both) == REPORT_WHOLE &&
           !neg.failed && both.failed == 1 && both.passed > neg.passed;
}

int main(int argc, char **argv)
{
    struct row_counts counts = {0};
    const char *op = NULL, *cases = NULL;

    for (int i = 1; i + 1 < argc; i += 2)
        *(strcmp(argv[i], "--op") ? &cases : &op) = argv[i + 1];
    for (int backwards = 0; backwards < 2; backwards++) {
        fibers_run_backwards(backwards);
        if (cases && check_case_file(kernels, cases, op, &host_device, &counts))
            return EXIT_FAILURE;
        if (!cases)
            check_rows(kernels, op, &host_device, &counts);
        if (!cases && !op)
            check_memory(&host_device, &counts);
    }
    printf("%d calls agree, %d differ, %d are left to the host; %llu threads\n",
           counts.passed, counts.failed, counts.on_host,
           (unsigned long long)fiber_counts.threads);
    if (!op && !cases && !report_goes_on()) {
        puts("FAIL what is told of rows that end the process");
        counts.failed++;
    }
    return counts.failed || !counts.passed ? EXIT_FAILURE : EXIT_SUCCESS;
}
