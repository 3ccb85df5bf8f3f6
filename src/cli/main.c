/* The program: find the command, and stop cleanly whatever stops it. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/output.h"
#include "cli/answer.h"
#include "cli/command.h"

static void on_signal(int number)
{
    dg_output_abandon();
    signal(number, SIG_DFL);
    raise(number);
}

static void on_no_memory(void)
{
    static const char message[] = "delegraph: out of memory\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);

    (void)written;
    dg_output_abandon();
    _exit(DG_EXIT_INTERNAL);
}

static void prepare(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++) {
        struct sigaction inherited;

        /* nohup ignores SIGHUP, and a background job may ignore SIGINT. */
        if (!sigaction(stops[i], NULL, &inherited) && inherited.sa_handler != SIG_IGN)
            sigaction(stops[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_DFL);
    dg_out_of_memory = on_no_memory;
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
    struct dg_writer out = {0};

    dg_print(&out, "delegraph %s\n", PACKAGE_VERSION);
    return dg_deliver(NULL, &out, DG_EXIT_FINE);
}

static bool asks_for_help(char **argv)
{
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        if (!strcmp(*argv, "--help") || !strcmp(*argv, "-h"))
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    const struct dg_command *command;

    prepare();
    if (argc < 2) {
        fputs("delegraph: no command; see delegraph help\n", stderr);
        return DG_EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return help(NULL);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
        return version();
    command = find(argv[1]);
    if (!command)
        return refuse(argv[1]);
    if (asks_for_help(argv + 2))
        return help(argv[1]);
    return command->run(argc - 1, argv + 1);
}
