/* Work in a child process with limits. */
#define _GNU_SOURCE
#include "base/child.h"

#include "base/arena.h"
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_MEGABYTES = 2048,
    MOST_BYTES = 512 << 20, /* of an answer */
};

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SPACE_IS_HUGE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SPACE_IS_HUGE 1
#endif
#endif

/* Seconds of the processor end in a signal that says so, if there is room behind it. */
static void limit(int what, rlim_t most)
{
    struct rlimit value = {most, most + (what == RLIMIT_CPU)};

    setrlimit(what, &value);
}

#ifndef ADDRESS_SPACE_IS_HUGE
/* What the parent had mapped, a program of any size among it, is none of its. */
static rlim_t inherited(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file)
        return 0;
    if (fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}
#endif

static void set_limits(const struct dg_child_limits *limits)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, limits->seconds + 1);
#ifndef ADDRESS_SPACE_IS_HUGE
    limit(RLIMIT_AS, inherited() + ((rlim_t)limits->megabytes << 20));
#endif
}

int dg_child_answer(int to, const char *data, size_t size)
{
    return dg_write_all(to, data, size) ? 0 : DG_CHILD_BROKEN;
}

struct child {
    pid_t pid;
    int from; /* the answer */
    struct timespec deadline;
};

/* Nobody waits for the answer then. Elsewhere the limit of CPU time ends it. */
static void die_with(pid_t parent)
{
#ifdef PR_SET_PDEATHSIG
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(DG_CHILD_BROKEN);
}

/* Nothing may go back to whoever called the parent. */
static void end_without_memory(void)
{
    _exit(DG_CHILD_BROKEN);
}

/* Default handlers: a signal that ends the parent's work must not run its clean-up
 * here, too. */
static void become_child(pid_t parent, const struct dg_child_task *task,
                         const struct dg_child_limits *limits, const int ends[2])
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP,  SIGPIPE,
                                  SIGBUS, SIGXFSZ, SIGSEGV, SIGABRT};

    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        signal(signals[i], SIG_DFL);
    die_with(parent);
    close(ends[0]);
    if (!freopen("/dev/null", "w", stderr))
        _exit(DG_CHILD_BROKEN);
    set_limits(limits);
    dg_out_of_memory = end_without_memory;
    _exit(task->work(task->state, ends[1]));
}

static enum dg_status start(struct child *child, const struct dg_child_task *task,
                            const struct dg_child_limits *limits, struct dg_error *err)
{
    int ends[2];
    pid_t parent;

    if (pipe2(ends, O_CLOEXEC))
        return dg_fail(err, DG_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    parent = getpid();
    child->pid = fork();
    if (!child->pid)
        become_child(parent, task, limits, ends);
    close(ends[1]);
    child->from = ends[0];
    if (child->pid > 0)
        return DG_OK;
    close(ends[0]);
    return dg_fail(err, DG_ERR_IO, "cannot start a process: %s", strerror(errno));
}

static int milliseconds_left(const struct timespec *deadline)
{
    struct timespec now;
    long long left;

    clock_gettime(CLOCK_MONOTONIC, &now);
    left = (long long)(deadline->tv_sec - now.tv_sec) * 1000 +
           (deadline->tv_nsec - now.tv_nsec) / 1000000;
    return left > 0 ? (int)left : 0;
}

enum answer { WHOLE, LATE, TOO_LONG };

static enum answer receive(struct dg_writer *out, const struct child *child)
{
    struct pollfd wait = {.fd = child->from, .events = POLLIN};
    char part[65536];
    size_t before = out->size;

    for (;;) {
        int ready = poll(&wait, 1, milliseconds_left(&child->deadline));
        ssize_t n;

        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return LATE;
        n = read(child->from, part, sizeof(part));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? LATE : WHOLE;
        if (out->size - before > MOST_BYTES)
            return TOO_LONG;
        dg_write(out, part, (size_t)n);
    }
}

static enum dg_status explain(int state, enum answer answer,
                              const struct dg_child_task *task,
                              const struct dg_child_limits *limits,
                              struct dg_error *err)
{
    int code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;

    if (answer == TOO_LONG)
        return dg_fail(err, DG_ERR_STOPPED, "%s gave more than %d MiB; %s", task->who,
                       MOST_BYTES >> 20, task->instead);
    if (answer == LATE || (WIFSIGNALED(state) && WTERMSIG(state) == SIGXCPU))
        return dg_fail(err, DG_ERR_STOPPED, "%s did not finish in %u s; %s", task->who,
                       limits->seconds, task->instead);
    if (WIFSIGNALED(state))
        return dg_fail(err, DG_ERR_DEVICE, "%s crashed (signal %d); %s", task->who,
                       WTERMSIG(state), task->instead);
    if (!code)
        return DG_OK;
    if (code == DG_CHILD_CANNOT)
        return dg_fail(err, DG_ERR_DEVICE, "%s cannot %s", task->who, task->cannot);
    return dg_fail(err, DG_ERR_DEVICE, "%s failed (exit %d)", task->who, code);
}

static enum dg_status run_apart(struct dg_writer *out, const struct dg_child_task *task,
                                const struct dg_child_limits *limits,
                                struct dg_error *err)
{
    struct child child;
    enum dg_status status = start(&child, task, limits, err);
    enum answer answer;
    int state = 0;

    if (status)
        return status;
    clock_gettime(CLOCK_MONOTONIC, &child.deadline);
    child.deadline.tv_sec += limits->seconds;
    answer = receive(out, &child);
    close(child.from);
    if (answer != WHOLE)
        kill(child.pid, SIGKILL);
    while (waitpid(child.pid, &state, 0) < 0 && errno == EINTR)
        ;
    return explain(state, answer, task, limits, err);
}

#ifdef __SANITIZE_ADDRESS__
/* The allocator of AddressSanitizer does not survive a fork beside other threads: the
 * child may wait for ever for what one of them had locked. Its builds do the work here
 * then. */
static bool has_threads(void)
{
    DIR *threads = opendir("/proc/self/task");
    size_t n = 0;

    while (threads && readdir(threads))
        n++;
    if (threads)
        closedir(threads);
    return n > 3; /* ., .. and this one */
}

static enum dg_status run_here(struct dg_writer *out, const struct dg_child_task *task,
                               const struct dg_child_limits *limits,
                               struct dg_error *err)
{
    char part[65536];
    FILE *answer = tmpfile();
    ssize_t n;
    int code;

    if (!answer)
        return dg_fail(err, DG_ERR_IO, "cannot make a file: %s", strerror(errno));
    code = task->work(task->state, fileno(answer));
    lseek(fileno(answer), 0, SEEK_SET);
    while ((n = read(fileno(answer), part, sizeof(part))) > 0)
        dg_write(out, part, (size_t)n);
    fclose(answer);
    return explain(W_EXITCODE(code, 0), WHOLE, task, limits, err);
}
#else
#define has_threads() false
#define run_here run_apart
#endif

enum dg_status dg_child_run(struct dg_writer *out, const struct dg_child_task *task,
                            const struct dg_child_limits *limits, struct dg_error *err)
{
    struct dg_child_limits used = limits ? *limits : (struct dg_child_limits){0};
    size_t before = out->size;
    enum dg_status status;

    used.seconds = used.seconds ? used.seconds : DG_CHILD_SECONDS;
    used.megabytes = used.megabytes ? used.megabytes : DEFAULT_MEGABYTES;
    status = has_threads() ? run_here(out, task, &used, err)
                           : run_apart(out, task, &used, err);
    if (status && !task->partial)
        out->size = before;
    return status;
}
