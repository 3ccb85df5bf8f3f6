/* Rows in a child process; another one goes on behind a row that ended it. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "tests/cuda/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_DEVICE = 3, STOPPED = 4, SECONDS_MOST = 300 };

/* What the child has come to. */
struct progress {
    size_t row; /* that it is at */
    struct row_counts counts;
};

static void tell(const char *op, const struct row_counts *before,
                 const struct row_counts *now)
{
    printf("%-4s %s: %d agree, %d differ, %d are left to the host\n",
           now->failed > before->failed ? "FAIL" : "ok", op,
           now->passed - before->passed, now->failed - before->failed,
           now->on_host - before->on_host);
    fflush(stdout);
}

/* In the child, from row progress->row on; its exit status. */
static int run_rows(const struct dg_kernel *kernels, const char *op,
                    const struct report_device *on, struct progress *progress)
{
    const struct dg_device *device = on->open();
    struct dg_error err = {0};

    if (!device)
        return NO_DEVICE;
    for (; kernels[progress->row].op; progress->row++) {
        struct row_counts before = progress->counts;

        if (!row_is_meant(&kernels[progress->row], op))
            continue;
        alarm(SECONDS_MOST);
        check_row(kernels, &kernels[progress->row], device, &progress->counts);
        if (device->finish(device, &err)) {
            printf("%s\n", err.text);
            return STOPPED;
        }
        tell(kernels[progress->row].op, &before, &progress->counts);
    }
    if (!op)
        check_memory(device, &progress->counts);
    on->close();
    return EXIT_SUCCESS;
}

/* The exit status of a child that runs rows; -1: the system gives none. */
static int run_child(const struct dg_kernel *kernels, const char *op,
                     const struct report_device *on, struct progress *progress)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (!child) {
        int code = run_rows(kernels, op, on, progress);

        fflush(stdout);
        _exit(code);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static void tell_end(const char *op, int status)
{
    if (WIFSIGNALED(status))
        printf("FAIL %s: signal %d ended it\n", op, WTERMSIG(status));
    else
        printf("FAIL %s: exit code %d\n", op, WEXITSTATUS(status));
}

static enum report_end run_children(const struct dg_kernel *kernels, const char *op,
                                    const struct report_device *on,
                                    struct progress *progress)
{
    for (;;) {
        int status = run_child(kernels, op, on, progress);
        const char *row = kernels[progress->row].op;

        if (status == -1)
            return REPORT_CANNOT;
        if (WIFEXITED(status) && WEXITSTATUS(status) == NO_DEVICE)
            return REPORT_NO_DEVICE;
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
            return REPORT_WHOLE;
        tell_end(row ? row : "memory", status);
        progress->counts.failed++;
        if (!row)
            return REPORT_WHOLE;
        progress->row++;
    }
}

enum report_end report_rows(const struct dg_kernel *kernels, const char *op,
                            const struct report_device *on, struct row_counts *counts)
{
    struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    enum report_end end;

    if (progress == MAP_FAILED)
        return REPORT_CANNOT;
    end = run_children(kernels, op, on, progress);
    *counts = progress->counts;
    munmap(progress, sizeof(*progress));
    return end;
}
