/* Runs every verb on mutants of right files, in child processes that serve many runs
 * each: harness [OPTIONS] FILE... The same seed makes the same mutants. */
#define _GNU_SOURCE
#include "fuzz/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MUTANTS_OF_A_CHILD = 100, MOST_JOBS = 64, TICK = 20 * 1000 * 1000 };

struct harness harness = {.seed = 1,
                          .runs = 10000,
                          .seconds = UINT32_MAX,
                          .jobs = 1,
                          .cpu_seconds = 20,
                          .work = "build/fuzz/work/harness"};

/* Children see it, too; what was counted is printed. */
static void stop(int number)
{
    (void)number;
    harness.shared->stopped = true;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double cpu_of(pid_t child)
{
    struct timespec time = {0};
    clockid_t clock;

    if (!clock_getcpuclockid(child, &clock))
        clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool is_over(void)
{
    return harness.shared->stopped || harness.shared->runs >= harness.runs ||
           now() - harness.began > harness.seconds;
}

/* The job is shared with the child, which leaves its own number to the parent. */
static void start(struct job *job)
{
    pid_t child = fork();

    if (child) {
        job->child = child;
        return;
    }
    for (; job->left && !is_over(); job->mutant++, job->left--, job->command = 0)
        harness_run_mutant(job);
    job->left = 0;
    _exit(0);
}

static void next(struct job *job)
{
    if (!job->left) {
        job->mutant = harness.shared->mutants;
        job->left = MUTANTS_OF_A_CHILD;
        job->command = 0;
        harness.shared->mutants += MUTANTS_OF_A_CHILD;
    }
    job->cpu = 0;
    job->wall = now();
    job->counted = job->done;
    start(job);
}

/* What was running when the child died is told and left out. */
static void mourn(struct job *job, const char *why)
{
    harness_keep(job, why);
    job->command = *job->line ? job->command + 1 : COMMANDS_OF_A_MUTANT;
}

static void reap(struct job *job, int status)
{
    char why[64];

    job->child = 0;
    if (WIFSIGNALED(status))
        snprintf(why, sizeof(why), job->hangs ? "hang" : "signal %d", WTERMSIG(status));
    else
        snprintf(why, sizeof(why), "sanitizer or exit %d", WEXITSTATUS(status));
    if (WIFSIGNALED(status) || WEXITSTATUS(status))
        mourn(job, why);
    job->hangs = false;
}

/* Time is the processor's, so that a busy machine makes no hangs; waiting for ever is
 * told by the wall. */
static void watch(struct job *job)
{
    double cpu = cpu_of(job->child), wall = now();

    if (job->counted != job->done) {
        job->counted = job->done;
        job->cpu = cpu;
        job->wall = wall;
    }
    if (cpu - job->cpu > harness.cpu_seconds ||
        wall - job->wall > 30 * harness.cpu_seconds) {
        job->hangs = true;
        kill(job->child, SIGKILL);
    }
}

static bool turn(struct job *job)
{
    int status;

    if (!job->child) {
        if (is_over())
            return false;
        next(job);
    }
    if (waitpid(job->child, &status, WNOHANG) == job->child)
        reap(job, status);
    else
        watch(job);
    return true;
}

static void *share(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        perror("harness");
        exit(5);
    }
    return memory;
}

static void run(void)
{
    struct job *jobs = share(harness.jobs * sizeof(*jobs));
    struct timespec tick = {0, TICK};
    size_t busy = 1;

    for (size_t i = 0; i < harness.jobs; i++) {
        jobs[i].number = i;
        harness_open_job(&jobs[i]);
    }
    while (busy) {
        busy = 0;
        for (size_t i = 0; i < harness.jobs; i++)
            busy += turn(&jobs[i]);
        nanosleep(&tick, NULL);
    }
}

static const char usage[] =
    "usage: harness [--seed N] [--runs N] [--seconds N] [--jobs N] [--work FOLDER]\n"
    "               [--hang SECONDS] [--only MUTANT] FILE...\n";

static bool read_option(char **argv)
{
    const struct {
        const char *name;
        uint64_t *value;
    } numbers[] = {{"--seed", &harness.seed},
                   {"--runs", &harness.runs},
                   {"--seconds", &harness.seconds},
                   {"--jobs", &harness.jobs},
                   {"--hang", &harness.cpu_seconds}};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        if (!strcmp(argv[0], numbers[i].name)) {
            *numbers[i].value = strtoull(argv[1], NULL, 10);
            return true;
        }
    }
    if (strcmp(argv[0], "--work") != 0)
        return false;
    harness.work = argv[1];
    return true;
}

int main(int argc, char **argv)
{
    int at = 1;

    while (at + 1 < argc && read_option(argv + at))
        at += 2;
    if (at == argc || argv[at][0] == '-' || !harness.jobs || harness.jobs > MOST_JOBS) {
        fputs(usage, stderr);
        return 2;
    }
    harness_read_files(argv + at, (size_t)(argc - at));
    harness_open_folder();
    harness.shared = share(sizeof(*harness.shared));
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* counting is half of its time here */
    harness.began = now();
    run();
    harness_close_folder();
    return harness_report(now() - harness.began) ? 1 : 0;
}
