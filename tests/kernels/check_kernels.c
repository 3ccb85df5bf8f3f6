/* Holds the CPU reference to results of torch, case by case. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kernels/kernel.h"
#include "tests/kernels/agree.h"
#include "tests/kernels/cases.h"

struct options {
    const char *ops; /* a glob; NULL: all */
    bool verbose, table;
};

struct tally {
    char op[128];
    const char *type;
    int passed, failed, skipped;
};

static struct tally *tallies;
static size_t n_tallies;

static const char *case_type(const struct op_case *one)
{
    for (size_t i = 0; i < one->n_args; i++) {
        if (one->args[i].kind == DG_ARG_TENSOR)
            return dg_type_name(one->args[i].as.tensor->type);
        if (one->args[i].kind == DG_ARG_LIST && one->args[i].as.list.n_items &&
            one->args[i].as.list.items[0].kind == DG_ARG_TENSOR)
            return dg_type_name(one->args[i].as.list.items[0].as.tensor->type);
    }
    return "none";
}

static struct tally *tally_of(const struct op_case *one)
{
    const char *type = case_type(one);

    for (size_t i = n_tallies; i-- > 0;) {
        if (!strcmp(tallies[i].op, one->op) && !strcmp(tallies[i].type, type))
            return &tallies[i];
    }
    tallies = realloc(tallies, (n_tallies + 1) * sizeof(*tallies));
    tallies[n_tallies] = (struct tally){.type = type};
    memcpy(tallies[n_tallies].op, one->op, sizeof(one->op));
    return &tallies[n_tallies++];
}

static enum dg_status run_kernel(const struct dg_kernel *kernel,
                                 const struct op_case *one, struct dg_arg *results,
                                 struct dg_error *err)
{
    struct dg_arena scratch = {0};
    struct dg_context context = {.memory = &dg_host_memory,
                                 .scratch = &scratch,
                                 .n_threads = 2,
                                 .precision = DG_PRECISION_EXACT_SUMS};
    struct dg_call call = {one->op,        one->args, one->n_args, results,
                           one->n_results, &context,  err};
    enum dg_status status = dg_kernel_run(kernel, &call);

    dg_arena_clear(&scratch);
    return status;
}

/* 1: agrees, 0: does not, -1: the kernel does not do that. */
static int judge(const struct dg_kernel *kernel, const struct op_case *one, char *why,
                 size_t room)
{
    struct dg_arg results[CASE_RESULTS_MOST] = {{0}};
    struct dg_error err = {0};
    enum dg_status status = run_kernel(kernel, one, results, &err);
    int verdict = 1;

    if (status) {
        snprintf(why, room, "%s", err.text);
        verdict = status == DG_ERR_DEVICE ? -1 : 0;
    }
    for (size_t i = 0; i < one->n_results && verdict == 1; i++)
        verdict = agree(kernel, one, i, &results[i], why, room);
    for (size_t i = 0; i < CASE_RESULTS_MOST; i++)
        dg_arg_drop(&results[i]);
    if (dg_host_memory.damaged) {
        snprintf(why, room, "wrote outside of its result");
        dg_host_memory.damaged = 0;
        return 0;
    }
    return verdict;
}

static void check_case(const struct op_case *one, const struct options *options)
{
    const struct dg_kernel *kernel = dg_kernel_find(one->op);
    struct tally *tally;
    char why[512] = "";
    int verdict;

    if (!kernel || (options->ops && fnmatch(options->ops, one->op, 0)))
        return;
    tally = tally_of(one);
    verdict = judge(kernel, one, why, sizeof(why));
    tally->passed += verdict == 1;
    tally->failed += verdict == 0;
    tally->skipped += verdict == -1;
    if (verdict == 0 || (verdict == -1 && options->verbose))
        printf("%s %s %s: %s\n", verdict ? "skip" : "FAIL", one->op, one->label, why);
}

static void list_rows(void)
{
    for (const struct dg_kernel *kernel = dg_kernels; kernel->op; kernel++)
        puts(kernel->op);
}

static int report(const struct options *options)
{
    int passed = 0, failed = 0, skipped = 0;

    for (size_t i = 0; i < n_tallies; i++) {
        const struct tally *tally = &tallies[i];

        passed += tally->passed;
        failed += tally->failed;
        skipped += tally->skipped;
        if (options->table)
            printf("%s\t%s\t%d\t%d\t%d\n", tally->op, tally->type, tally->passed,
                   tally->failed, tally->skipped);
    }
    printf("%d cases agree, %d differ, %d skipped\n", passed, failed, skipped);
    free(tallies);
    return failed || !passed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool check_file(const char *path, const struct options *options)
{
    struct case_file file;
    struct op_case one;

    if (!case_file_open(&file, path))
        return false;
    while (next_case(&file, &one)) {
        check_case(&one, options);
        clear_case(&one);
    }
    clear_case(&one);
    case_file_close(&file);
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {0};

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list"))
            return list_rows(), EXIT_SUCCESS;
        if (!strcmp(argv[i], "--verbose"))
            options.verbose = true;
        else if (!strcmp(argv[i], "--table"))
            options.table = true;
        else if (!strcmp(argv[i], "--op") && i + 1 < argc)
            options.ops = argv[++i];
        else if (!check_file(argv[i], &options))
            return EXIT_FAILURE;
    }
    return report(&options);
}
