/* completion: scripts for shells, made from the table of commands. */
#include <string.h>

#include "cli/completion_words.h"
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
    for (const struct dg_option *o = dg_common_options; o->type; o++)
        dg_print(out, "--%s ", o->name);
    dg_print(out, "--help");
}

/* "text|json" as words. */
static void list_choices(struct dg_writer *out, const char *choices)
{
    for (; *choices; choices++)
        dg_write(out, *choices == '|' ? " " : choices, 1);
}

/* "    check,--select) several=1 words='...' ;;" */
static void bash_values(struct dg_writer *out, const struct dg_command *command)
{
    for (const struct dg_option *o = command->options; o && o->type; o++) {
        const struct dg_completion_words *words =
            dg_completion_words(command->name, o->name);

        if (o->type != DG_OPTION_CHOICE && !words)
            continue;
        dg_print(out, "    %s,--%s", command->name, o->name);
        if (o->letter)
            dg_print(out, "|%s,-%c", command->name, o->letter);
        dg_print(out, ") %swords='", words && words->several ? "several=1 " : "");
        if (words)
            words->write(out);
        else
            list_choices(out, o->argument);
        dg_print(out, "' ;;\n");
    }
}

/* What options and arguments there are, by command. */
static void bash_words(struct dg_writer *out)
{
    dg_print(out, "    if [ -z \"$words\" ] && [ \"${word#-}\" != \"$word\" ]; then\n"
                  "        case $verb in\n");
    for (const struct dg_command *const *c = dg_commands; *c; c++) {
        dg_print(out, "        %s) words='", (*c)->name);
        list_options(out, *c);
        dg_print(out, "' ;;\n");
    }
    dg_print(out, "        esac\n    elif [ -z \"$words\" ]; then\n"
                  "        case $verb in\n");
    for (const struct dg_command *const *c = dg_commands; *c; c++) {
        const struct dg_completion_words *words = dg_completion_words((*c)->name, NULL);

        if (!words)
            continue;
        dg_print(out, "        %s) words='", (*c)->name);
        words->write(out);
        dg_print(out, "' ;;\n");
    }
    dg_print(out,
             "        completion) words='bash zsh fish' ;;\n        help) words='");
    list_commands(out);
    dg_print(out, "' ;;\n        esac\n    fi\n");
}

/* bash takes "=" and "@" for words of their own; a query comes after its file. */
static const char bash_begin[] =
    "# bash completion for delegraph\n"
    "_delegraph() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local verb=${COMP_WORDS[1]} words= several= prefix=\n"
    "    if [ \"$word\" = = ]; then\n"
    "        word=\n"
    "    elif [ \"$before\" = = ]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        verb= words='";

static const char bash_end[] =
    "    if [ \"$verb\" = query ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
    "        words=\n"
    "    elif [ \"$word\" = @ ] || [ \"$before\" = @ ]; then\n"
    "        word=${word#@} words=${words//@/}\n"
    "    elif [ \"$several\" ] && [ \"${word%,*}\" != \"$word\" ]; then\n"
    "        prefix=${word%,*}, word=${word##*,}\n"
    "    fi\n"
    "    if [ \"$words\" ]; then\n"
    "        COMPREPLY=($(compgen -P \"$prefix\" -W \"$words\" -- \"$word\"))\n"
    "        [ \"${COMPREPLY[0]%=}\" = \"${COMPREPLY[0]}\" ] || compopt -o nospace "
    "2>&-\n"
    "    fi\n}\n"
    "complete -o default -o bashdefault -F _delegraph delegraph\n";

static void write_bash(struct dg_writer *out)
{
    dg_print(out, "%s", bash_begin);
    list_commands(out);
    dg_print(out, "'\n    fi\n    case $verb,$before in\n");
    for (const struct dg_command *const *c = dg_commands; *c; c++)
        bash_values(out, *c);
    dg_print(out, "    esac\n");
    bash_words(out);
    dg_print(out, "%s", bash_end);
}

/* Inside single quotes of zsh's _arguments and of fish. */
static void write_quoted(struct dg_writer *out, const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'')
            dg_print(out, "'\\");
        else if (strchr(escaped, *text))
            dg_print(out, "\\");
        dg_write(out, text, 1);
        if (*text == '\'')
            dg_print(out, "'");
    }
}

static void zsh_option(struct dg_writer *out, const char *command,
                       const struct dg_option *option)
{
    const struct dg_completion_words *words =
        dg_completion_words(command, option->name);

    dg_print(out, " '--%s%s[", option->name, option->argument ? "=" : "");
    write_quoted(out, option->help, "[]:");
    dg_print(out, "]");
    if (option->type == DG_OPTION_CHOICE) {
        dg_print(out, ":value:(");
        list_choices(out, option->argument);
        dg_print(out, ")");
    } else if (words) {
        dg_print(out, words->several ? ":value:_sequence compadd - " : ":value:(");
        words->write(out);
        dg_print(out, words->several ? "" : ")");
    } else if (option->argument) {
        dg_print(out, ":value:_files");
    }
    dg_print(out, "'");
}

/* The one argument that is no file: of `rules` the first, of `query` the second. */
static void zsh_arguments(struct dg_writer *out, const char *command)
{
    const struct dg_completion_words *words = dg_completion_words(command, NULL);

    if (words) {
        dg_print(out, strcmp(command, "rules") ? " '1:file:_files' '2:value:("
                                               : " '1:value:(");
        words->write(out);
        dg_print(out, ")' ;;\n");
    } else {
        dg_print(out, " '*:file:_files' ;;\n");
    }
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
            zsh_option(out, (*c)->name, o);
        for (const struct dg_option *o = dg_common_options; o->type; o++)
            zsh_option(out, (*c)->name, o);
        zsh_arguments(out, (*c)->name);
    }
    dg_print(out, "esac\n");
}

static void fish_option(struct dg_writer *out, const char *command,
                        const struct dg_option *option)
{
    const struct dg_completion_words *words =
        dg_completion_words(command, option->name);

    dg_print(out, "complete -c delegraph -n '__fish_seen_subcommand_from %s' -l %s",
             command, option->name);
    if (option->letter)
        dg_print(out, " -s %c", option->letter);
    if (option->type == DG_OPTION_CHOICE) {
        dg_print(out, " -x -a '");
        list_choices(out, option->argument);
        dg_print(out, "'");
    } else if (words) {
        dg_print(out, words->several ? " -x -a '(__fish_append , " : " -x -a '");
        words->write(out);
        dg_print(out, words->several ? ")'" : "'");
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
        const struct dg_completion_words *words = dg_completion_words((*c)->name, NULL);

        for (const struct dg_option *o = (*c)->options; o && o->type; o++)
            fish_option(out, (*c)->name, o);
        for (const struct dg_option *o = dg_common_options; o->type; o++)
            fish_option(out, (*c)->name, o);
        if (!words)
            continue;
        dg_print(out, "complete -c delegraph -n '__fish_seen_subcommand_from %s' -a '",
                 (*c)->name);
        words->write(out);
        dg_print(out, "'\n");
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
