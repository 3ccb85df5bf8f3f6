/* Work in a child process: what its parent gets, however it ends. */
#include "unit/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/child.h"

static struct dg_error err;

static int answer_and_end(const void *state, int to)
{
    return dg_child_answer(to, state, strlen(state));
}

static int answer_and_crash(const void *state, int to)
{
    dg_child_answer(to, state, strlen(state));
    abort();
    return 0;
}

static int answer_and_hang(const void *state, int to)
{
    dg_child_answer(to, state, strlen(state));
    while (pause())
        ;
    return 0;
}

static int run_out_of_memory(const void *state, int to)
{
    dg_child_answer(to, state, strlen(state));
    dg_out_of_memory();
    return 0;
}

/* What is in its answer that began with "before ", and how it ended. */
static void expect(int (*work)(const void *, int), bool partial, enum dg_status status,
                   const char *answer, const char *message)
{
    const struct dg_child_task task = {.work = work,
                                       .state = "said",
                                       .who = "the work",
                                       .cannot = "do it",
                                       .instead = "it is left",
                                       .partial = partial};
    struct dg_writer out = {0};

    err = (struct dg_error){0};
    dg_print(&out, "before ");
    ck_assert_int_eq(
        dg_child_run(&out, &task, &(struct dg_child_limits){.seconds = 1}, &err),
        status);
    ck_assert(dg_text_is(dg_written(&out), answer));
    ck_assert_str_eq(err.text, message);
    dg_writer_clear(&out);
}

START_TEST(a_child_gives_its_answer)
{
    expect(answer_and_end, false, DG_OK, "before said", "");
}

START_TEST(a_child_that_crashes_gives_nothing)
{
    expect(answer_and_crash, false, DG_ERR_DEVICE, "before ",
           "the work crashed (signal 6); it is left");
}

START_TEST(a_child_whose_answer_counts_in_part_gives_what_it_said)
{
    expect(answer_and_crash, true, DG_ERR_DEVICE, "before said",
           "the work crashed (signal 6); it is left");
}

START_TEST(a_child_that_hangs_is_ended)
{
    expect(answer_and_hang, false, DG_ERR_STOPPED, "before ",
           "the work did not finish in 1 s; it is left");
}

START_TEST(a_child_that_runs_out_of_memory_ends_and_its_parent_goes_on)
{
    expect(run_out_of_memory, false, DG_ERR_DEVICE, "before ",
           "the work failed (exit 10)");
}

Suite *child_suite(void)
{
    Suite *suite = suite_create("child");
    TCase *all = tcase_create("all");

    tcase_add_test(all, a_child_gives_its_answer);
    tcase_add_test(all, a_child_that_crashes_gives_nothing);
    tcase_add_test(all, a_child_whose_answer_counts_in_part_gives_what_it_said);
    tcase_add_test(all, a_child_that_hangs_is_ended);
    tcase_add_test(all, a_child_that_runs_out_of_memory_ends_and_its_parent_goes_on);
    suite_add_tcase(suite, all);
    return suite;
}
