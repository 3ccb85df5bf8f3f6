/* bench_rules chain pt2|plan|pte NODES: seconds of every rule on a synthetic program.
 * bench_rules grow FILE TIMES: on the methods of a real one, repeated.
 * bench_rules wide lists|delegates|constants|named|shared COUNT: on much of one thing.
 * All print JSON: seconds of this process; RULE, if given, runs alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "bench/grown.h"
#include "store/store.h"
#include "verifiers/verifier.h"

/* Of this process: others may be busy. */
static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Of all rules, unless the last argument names one. */
static struct dg_selection only;

struct told {
    double now;
    int n_run;
};

static void on_rule(void *context, const char *id, double seconds,
                    const char *not_checked)
{
    struct told *told = context;
    double begun = told->now;

    (void)seconds;
    told->now = now();
    if (!not_checked)
        printf("%s\n  {\"rule\": \"%s\", \"seconds\": %.6f}", told->n_run++ ? "," : "",
               id, told->now - begun);
}

static enum dg_status time_rules(struct dg_store *store, double load,
                                 struct dg_error *err)
{
    double begin = now();
    struct told told = {.now = begin};
    enum dg_status status;
    int64_t n_findings = 0;

    printf("{\"rules\": [");
    status = dg_verify(store, only.n_select ? &only : NULL, on_rule, &told, err);
    if (!status)
        status =
            dg_store_int(store, "SELECT count(*) FROM finding", 0, &n_findings, err);
    printf("],\n \"load_seconds\": %.4f, \"seconds\": %.4f, \"findings\": %lld}\n",
           load, now() - begin, (long long)n_findings);
    return status;
}

static enum dg_status time_program(struct dg_program *program, bool plan,
                                   struct dg_error *err)
{
    static const uint8_t nothing[1];
    struct dg_file file = {.path = "synthetic", .bytes = {nothing, 0}};
    struct dg_store *store = NULL;
    double begin = now();
    enum dg_status status = dg_store_create(&store, err);

    if (!status)
        status = dg_store_take_program(store, program, &file, err);
    if (!status)
        status = dg_store_commit(store, err);
    if (!status && plan)
        status = grown_plan(store, err);
    if (!status)
        status = time_rules(store, now() - begin, err);
    dg_store_close(store);
    return status;
}

static enum dg_status make(struct dg_program *program, const char *verb,
                           const char *what, int64_t count, struct dg_error *err)
{
    if (!strcmp(verb, "chain"))
        return grown_chain(program, what, count, err);
    if (!strcmp(verb, "wide"))
        return grown_wide(program, what, count, err);
    return grown_file(program, what, count, err);
}

int main(int argc, char **argv)
{
    struct dg_program program = {0};
    struct dg_error err = {0};
    enum dg_status status;

    if (argc == 4 || argc == 5) {
        only = (struct dg_selection){.select = (const char *const *)argv + 4,
                                     .n_select = (size_t)argc - 4};
        status = make(&program, argv[1], argv[2], atoll(argv[3]), &err);
        if (!status)
            status = time_program(&program, !strcmp(argv[2], "plan"), &err);
    } else {
        fprintf(stderr, "bench_rules chain|wide|grow WHAT COUNT [RULE]\n");
        return 2;
    }
    dg_program_clear(&program);
    if (status)
        fprintf(stderr, "bench_rules: %s\n", err.text);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
