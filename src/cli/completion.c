/* completion: scripts for shells, made from the table of commands. */
#include <string.h>

#include "cli/options.h"

static void list_commands(struct dg_writer *out)
{
    for (const struct dg_command *const *c = dg_commands; *c; c++)
        dg_print(out, "%s%s", c == dg_commands ? "" : " ", (*c)->name);
}

static void list_options(struct dg_writer *out, const struct dg_command *command)
{
    for (const struct dg_option *o = command->options; o && o->type; o++)
        dg_print(out, "--%s ", o->name);
    dg_print(out, "--help");
}

/* "text|json" as words. */
static void list_choices(struct dg_writer *out, const char *choices)
{
    for (; *choices; choices++)
        dg_write(out, *choices == '|' ? " " : choices, 1);
}

static void bash_values(struct dg_writer *out, const struct dg_command *command)
{
    for (const struct dg_option *o = command->options; o && o->type; o++) {
        if (o->type != DG_OPTION_CHOICE)
            continue;
        dg_print(out, "    %s,--%s) words='", command->name, o->name);
        list_choices(out, o->argument);
        dg_print(out, "' ;;\n");
    }
}

static void write_bash(struct dg_writer *out)
{
    dg_print(out, "# bash completion for delegraph\n"
                  "_delegraph() {\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                  "        COMPREPLY=($(compgen -W '");
    list_commands(out);
    dg_print(out, "' -- \"$word\"))\n        return\n    fi\n"
                  "    case ${COMP_WORDS[1]},${COMP_WORDS[COMP_CWORD - 1]} in\n");
    for (const struct dg_command *const *c = dg_commands; *c; c++)
        bash_values(out, *c);
    dg_print(out, "    completion,*) words='bash zsh fish' ;;\n    help,*) words='");
    list_commands(out);
    dg_print(out, "' ;;\n    esac\n"
                  "    if [ -z \"$words\" ] && [ \"${word#-}\" != \"$word\" ]; then\n"
                  "        case ${COMP_WORDS[1]} in\n");
    for (const struct dg_command *const *c = dg_commands; *c; c++) {
        dg_print(out, "        %s) words='", (*c)->name);
        list_options(out, *c);
        dg_print(out, "' ;;\n");
    }
    dg_print(out, "        esac\n    fi\n"
                  "    if [ -n \"$words\" ]; then\n"
                  "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                  "    fi\n}\n"
                  "complete -o default -o bashdefault -F _delegraph delegraph\n");
}

/* Inside single quotes of zsh's _arguments and of fish. */
static void write_quoted(struct dg_writer *out, const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'')
            dg_print(out, "'\\'");
        else if (strchr(escaped, *text))
            dg_print(out, "\\");
        dg_write(out, text, 1);
        if (*text == '\'')
            dg_print(out, "'");
    }
}

static void zsh_option(struct dg_writer *out, const struct dg_option *option)
{
    dg_print(out, " '--%s%s[", option->name, option->argument ? "=" : "");
    write_quoted(out, option->help, "[]:");
    dg_print(out, "]");
    if (option->type == DG_OPTION_CHOICE) {
        dg_print(out, ":value:(");
        list_choices(out, option->argument);
        dg_print(out, ")");
    } else if (option->argument) {
        dg_print(out, ":value:_files");
    }
    dg_print(out, "'");
}

static void write_zsh(struct dg_writer *out)
{
    dg_print(out, "#compdef delegraph\n"
                  "if (( CURRENT == 2 )); then\n    local -a commands=(\n");
    for (const struct dg_command *const *c = dg_commands; *c; c++) {
        dg_print(out, "        '%s:", (*c)->name);
        write_quoted(out, (*c)->summary, ":");
        dg_print(out, "'\n");
    }
    dg_print(out, "    )\n    _describe command commands\n    return\nfi\n"
                  "local command=$words[2]\nshift words\n(( CURRENT-- ))\n"
                  "case $command in\n");
    for (const struct dg_command *const *c = dg_commands; *c; c++) {
        dg_print(out, "%s) _arguments", (*c)->name);
        for (const struct dg_option *o = (*c)->options; o && o->type; o++)
            zsh_option(out, o);
        dg_print(out, " '*:file:_files' ;;\n");
    }
    dg_print(out, "esac\n");
}

static void fish_option(struct dg_writer *out, const char *command,
                        const struct dg_option *option)
{
    dg_print(out, "complete -c delegraph -n '__fish_seen_subcommand_from %s' -l %s",
             command, option->name);
    if (option->letter)
        dg_print(out, " -s %c", option->letter);
    if (option->type == DG_OPTION_CHOICE) {
        dg_print(out, " -x -a '");
        list_choices(out, option->argument);
        dg_print(out, "'");
    } else if (option->argument) {
        dg_print(out, " -r");
    }
    dg_print(out, " -d '");
    write_quoted(out, option->help, "");
    dg_print(out, "'\n");
}

static void write_fish(struct dg_writer *out)
{
    dg_print(out, "# fish completion for delegraph\n");
    for (const struct dg_command *const *c = dg_commands; *c; c++) {
        dg_print(out, "complete -c delegraph -n __fish_use_subcommand -f -a %s -d '",
                 (*c)->name);
        write_quoted(out, (*c)->summary, "");
        dg_print(out, "'\n");
    }
    for (const struct dg_command *const *c = dg_commands; *c; c++) {
        for (const struct dg_option *o = (*c)->options; o && o->type; o++)
            fish_option(out, (*c)->name, o);
    }
}

static int run(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(struct dg_writer *out);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    struct dg_writer out = {0};
    struct dg_error err = {0};

    if (dg_options_parse(NULL, &dg_command_completion, &argc, argv, &err))
        return dg_complain(&err);
    for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
        if (!strcmp(shells[i].name, argv[1])) {
            shells[i].write(&out);
            return dg_deliver(NULL, &out, DG_EXIT_FINE);
        }
    }
    dg_fail(&err, DG_ERR_USAGE,
            "no completion for \"%.40s\"; expected bash, zsh or fish", argv[1]);
    return dg_complain(&err);
}

const struct dg_command dg_command_completion = {
    .name = "completion",
    .synopsis = "bash|zsh|fish",
    .summary = "a completion script for the shell",
    .help = "Example: eval \"$(delegraph completion bash)\"\n",
    .run = run,
    .least = 1,
    .most = 1,
};
