/* The program: find the command, and stop cleanly whatever stops it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/output.h"
#include "base/watch.h"
#include "cli/answer.h"
#include "cli/options.h"
#include "formats/input.h"

static void on_signal(int number)
{
    dg_output_abandon();
    signal(number, SIG_DFL);
    raise(number);
}

/* In a signal handler: what a terminal could take for a command is left out. */
static void tell(const char *path, const char *what)
{
    static const char name[] = "delegraph: ";
    ssize_t written = write(STDERR_FILENO, name, sizeof(name) - 1);

    for (; *path; path++)
        written = write(STDERR_FILENO, *path >= ' ' && *path < 0x7f ? path : "?", 1);
    written = write(STDERR_FILENO, what, strlen(what));
    (void)written;
}

/* A mapped file that is cut has pages without bytes. Any other cause is a bug. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    const char *path = info->si_code == BUS_ADRERR ? dg_input_at(info->si_addr) : NULL;

    if (!path) {
        on_signal(number);
        return;
    }
    dg_output_abandon();
    tell(path, ": cut or unreadable while it was read\n");
    _exit(DG_EXIT_INPUT);
}

static void on_no_memory(void)
{
    static const char message[] = "delegraph: out of memory\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);

    (void)written;
    dg_output_abandon();
    _exit(DG_EXIT_INTERNAL);
}

static void on_overdue(const char *words)
{
    tell(words, "\n");
    dg_output_abandon();
    _exit(DG_EXIT_CAPABILITY);
}

static void prepare(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction bus = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++) {
        struct sigaction inherited;

        /* nohup ignores SIGHUP, and a background job may ignore SIGINT. */
        if (!sigaction(stops[i], NULL, &inherited) && inherited.sa_handler != SIG_IGN)
            sigaction(stops[i], &action, NULL);
    }
    sigemptyset(&bus.sa_mask);
    sigaction(SIGBUS, &bus, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* a failed write, which has words */
    dg_out_of_memory = on_no_memory;
    dg_overdue = on_overdue;
}

static const struct dg_command *find(const char *name)
{
    for (const struct dg_command *const *command = dg_commands; *command; command++) {
        if (!strcmp((*command)->name, name))
            return *command;
    }
    return NULL;
}

static int refuse(const char *wrong)
{
    struct dg_error err = {0};
    const char *names[64], *near;
    struct stat file;
    size_t n = 0;

    while (n < 64 && dg_commands[n]) {
        names[n] = dg_commands[n]->name;
        n++;
    }
    near = dg_nearest(wrong, names, n);
    if (!stat(wrong, &file) || (!near && strpbrk(wrong, "./")))
        dg_fail(&err, DG_ERR_USAGE, "no command; did you mean `delegraph info %.300s`?",
                wrong);
    else if (near)
        dg_fail(&err, DG_ERR_USAGE, "unknown command \"%.80s\"; did you mean %s?",
                wrong, near);
    else
        dg_fail(&err, DG_ERR_USAGE, "unknown command \"%.80s\"; see delegraph help",
                wrong);
    return dg_complain(&err);
}

static int help(char *verb)
{
    char name[] = "help";
    char *argv[] = {name, verb, NULL};

    return dg_command_help.run(verb ? 2 : 1, argv);
}

static int version(void)
{
    char name[] = "version";
    char *argv[] = {name, NULL};

    return dg_command_version.run(1, argv);
}

static bool is(const char *word, const char *letter, const char *name)
{
    return !strcmp(word, letter) || !strcmp(word, name);
}

/* -v: what the run took. */
static void print_usage(const char *command, double seconds)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    fprintf(stderr, "delegraph: %s took %.3f s and %.1f MB\n", command, seconds,
            (double)used.ru_maxrss / 1000);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int run(const struct dg_command *command, int argc, char **argv)
{
    double begun = now();
    int exit_code;

    if (command != &dg_command_query)
        dg_stores_without_sandbox();
    exit_code = command->run(argc, argv);

    if (dg_verbosity.verbose)
        print_usage(command->name, now() - begun);
    return exit_code;
}

static bool asks_for_help(char **argv)
{
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        if (is(*argv, "-h", "--help"))
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    const struct dg_command *command;

    prepare();
    for (; argc > 1 && dg_options_common(argv[1]); argc--)
        argv++;
    if (argc < 2 && dg_verbosity.verbose)
        return version();
    if (argc < 2) {
        fputs("delegraph: no command; see delegraph help\n", stderr);
        return DG_EXIT_USAGE;
    }
    if (is(argv[1], "-h", "--help"))
        return help(NULL);
    if (is(argv[1], "-V", "--version"))
        return version();
    command = find(argv[1]);
    if (!command)
        return refuse(argv[1]);
    if (asks_for_help(argv + 2))
        return help(argv[1]);
    return run(command, argc - 1, argv + 1);
}
