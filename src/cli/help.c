/* help: what there is, and how to use one command. */
#include <string.h>

#include "cli/options.h"

static void print_option(struct dg_writer *out, const struct dg_option *option,
                         int width)
{
    struct dg_writer form = {0};

    if (option->letter)
        dg_print(&form, "-%c, ", option->letter);
    dg_print(&form, "--%s%s%s", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    if ((int)form.size > width)
        dg_print(out, "  %s\n  %*s  %s\n", form.data, width, "", option->help);
    else
        dg_print(out, "  %-*s  %s\n", width, form.data, option->help);
    dg_writer_clear(&form);
}

static void print_command(struct dg_writer *out, const struct dg_command *command)
{
    dg_print(out, "usage: delegraph %s [OPTIONS]%s%s\n\n%s\n", command->name,
             *command->synopsis ? " " : "", command->synopsis, command->summary);
    dg_print(out, "\nOptions:\n");
    for (const struct dg_option *o = command->options; o && o->type; o++)
        print_option(out, o, 24);
    for (const struct dg_option *o = dg_common_options; o->type; o++)
        print_option(out, o, 24);
    if (command->help)
        dg_print(out, "\n%s", command->help);
}

static void print_all(struct dg_writer *out)
{
    dg_print(out, "usage: delegraph COMMAND [OPTIONS] ARGUMENTS\n\n"
                  "Analysis of lowered PyTorch programs: .pte, .pt2, .ptd.\n"
                  "A FILE is a program, a store that `load` made, or - for standard "
                  "input.\n\nCommands:\n");
    for (const struct dg_command *const *c = dg_commands; *c; c++)
        dg_print(out, "  %-11s %s\n", (*c)->name, (*c)->summary);
    dg_print(
        out,
        "\ndelegraph help COMMAND tells more of one; -q says less, -v says more.\n\n"
        "Exit codes: 0 done, 1 check found something, 2 wrong usage,\n"
        "3 unreadable input, 4 not possible on this machine, 5 internal error.\n");
}

static const struct dg_command *find(const char *name, struct dg_error *err)
{
    const char *names[64], *near;
    size_t n = 0;

    for (; n < 64 && dg_commands[n]; n++) {
        names[n] = dg_commands[n]->name;
        if (!strcmp(names[n], name))
            return dg_commands[n];
    }
    near = dg_nearest(name, names, n);
    dg_fail(err, DG_ERR_USAGE, "help: unknown command \"%.80s\"%s%s%s", name,
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

static int run(int argc, char **argv)
{
    const struct dg_command *command = NULL;
    struct dg_writer out = {0};
    struct dg_error err = {0};

    if (dg_options_parse(NULL, &dg_command_help, &argc, argv, &err))
        return dg_complain(&err);
    if (argc > 1) {
        command = find(argv[1], &err);
        if (!command)
            return dg_complain(&err);
        print_command(&out, command);
    } else {
        print_all(&out);
    }
    return dg_deliver(NULL, &out, DG_EXIT_FINE);
}

const struct dg_command dg_command_help = {
    .name = "help",
    .synopsis = "[COMMAND]",
    .summary = "what there is, and how to use one command",
    .run = run,
    .most = 1,
};
