/* Graphviz in a child process with limits. */
#include "reports/svg.h"

#include <errno.h>
#include <gvc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_SECONDS = 20,
    DEFAULT_MEGABYTES = 2048,
    EXIT_SYNTAX = 10,
    EXIT_LAYOUT = 11,
    EXIT_RENDER = 12,
    EXIT_WRITE = 13,
    MOST_BYTES = 512 << 20, /* of an image */
};

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SPACE_IS_HUGE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SPACE_IS_HUGE 1
#endif
#endif

static void limit(int what, rlim_t most)
{
    struct rlimit value = {most, most};

    setrlimit(what, &value);
}

static void set_limits(const struct dg_svg_limits *limits)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, limits->seconds + 1);
#ifndef ADDRESS_SPACE_IS_HUGE
    limit(RLIMIT_AS, (rlim_t)limits->megabytes << 20);
#endif
}

static int write_all(int to, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(to, data, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return EXIT_WRITE;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

static int lay_out(struct dg_text dot, const char *format, int to)
{
    GVC_t *context = gvContext();
    Agraph_t *graph = agmemread(dot.data);
    char *image = NULL;
    unsigned size = 0;

    if (!context || !graph)
        return EXIT_SYNTAX;
    if (gvLayout(context, graph, "dot"))
        return EXIT_LAYOUT;
    if (gvRenderData(context, graph, format, &image, &size) || !image)
        return EXIT_RENDER;
    return write_all(to, image, size);
}

struct child {
    pid_t pid;
    int from; /* the image */
    struct timespec deadline;
};

/* Default handlers: a signal that ends the parent's work must not run its clean-up
 * here, too. */
static void become_child(struct dg_text dot, const char *format,
                         const struct dg_svg_limits *limits, const int ends[2])
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGSEGV, SIGABRT};

    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        signal(signals[i], SIG_DFL);
    close(ends[0]);
    if (!freopen("/dev/null", "w", stderr))
        _exit(EXIT_WRITE);
    set_limits(limits);
    _exit(lay_out(dot, format, ends[1]));
}

static enum dg_status start(struct child *child, struct dg_text dot, const char *format,
                            const struct dg_svg_limits *limits, struct dg_error *err)
{
    int ends[2];

    if (pipe(ends))
        return dg_fail(err, DG_ERR_IO, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    child->pid = fork();
    if (!child->pid)
        become_child(dot, format, limits, ends);
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

/* Whether the image came to its end in time. */
static bool receive(struct dg_writer *out, const struct child *child)
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
            return false;
        n = read(child->from, part, sizeof(part));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || out->size - before > MOST_BYTES)
            return n == 0;
        dg_write(out, part, (size_t)n);
    }
}

static enum dg_status explain(int state, bool in_time, const char *format,
                              const struct dg_svg_limits *limits, struct dg_error *err)
{
    int code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;

    if (!in_time || (WIFSIGNALED(state) && WTERMSIG(state) == SIGXCPU))
        return dg_fail(err, DG_ERR_DEVICE,
                       "Graphviz did not finish in %u s; ask for fewer boxes, or take "
                       "the text (-T dot)",
                       limits->seconds);
    if (WIFSIGNALED(state))
        return dg_fail(err, DG_ERR_DEVICE,
                       "Graphviz crashed (signal %d); ask for fewer boxes, or take the "
                       "text (-T dot)",
                       WTERMSIG(state));
    if (!code)
        return DG_OK;
    if (code == EXIT_LAYOUT || code == EXIT_RENDER)
        return dg_fail(err, DG_ERR_DEVICE,
                       "Graphviz cannot %s: is its plugin installed? The text "
                       "(-T dot) needs none",
                       code == EXIT_LAYOUT ? "lay the graph out" : format);
    return dg_fail(err, DG_ERR_DEVICE, "Graphviz failed (exit %d)", code);
}

enum dg_status dg_svg_render(struct dg_writer *out, struct dg_text dot,
                             const char *format, const struct dg_svg_limits *limits,
                             struct dg_error *err)
{
    struct dg_svg_limits used = limits ? *limits : (struct dg_svg_limits){0};
    size_t before = out->size;
    struct child child;
    enum dg_status status;
    bool in_time;
    int state = 0;

    used.seconds = used.seconds ? used.seconds : DEFAULT_SECONDS;
    used.megabytes = used.megabytes ? used.megabytes : DEFAULT_MEGABYTES;
    status = start(&child, dot, format, &used, err);
    if (status)
        return status;
    clock_gettime(CLOCK_MONOTONIC, &child.deadline);
    child.deadline.tv_sec += used.seconds;
    in_time = receive(out, &child);
    close(child.from);
    if (!in_time)
        kill(child.pid, SIGKILL);
    while (waitpid(child.pid, &state, 0) < 0 && errno == EINTR)
        ;
    status = explain(state, in_time, format, &used, err);
    if (status)
        out->size = before;
    return status;
}
