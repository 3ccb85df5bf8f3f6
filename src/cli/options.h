/* Options of a command: one table, from which parsing, --help and completion follow.
 *
 *     struct given { const char *method; int64_t hops; bool hash; };
 *     static const struct dg_option options[] = {
 *         {DG_OPTION_TEXT, "method", 0, "NAME", offsetof(struct given, method),
 *          "only this method"},
 *         {0},
 *     };
 *     static int run(int argc, char **argv)
 *     {
 *         struct given given = {.hops = 1};
 *         struct dg_error err = {0};
 *
 *         if (dg_options_parse(&given, &dg_command_dot, &argc, argv, &err))
 *             return dg_complain(&err);
 *         ... argv[1] to argv[argc - 1] are the words that are no options
 */
#ifndef DG_CLI_OPTIONS_H
#define DG_CLI_OPTIONS_H

#include <stddef.h>

#include "base/error.h"
#include "cli/answer.h"
#include "cli/command.h"

enum dg_option_type {
    DG_OPTION_END,
    DG_OPTION_FLAG,    /* bool: set to true */
    DG_OPTION_OFF,     /* bool: set to false; for --no-x */
    DG_OPTION_TEXT,    /* const char * */
    DG_OPTION_CHOICE,  /* const char *: one of `argument`, which is "text|json" */
    DG_OPTION_COUNT,   /* int64_t, not negative */
    DG_OPTION_NUMBER,  /* int64_t, at least 1: 0 is that it was not given */
    DG_OPTION_SECONDS, /* double, not negative */
    DG_OPTION_REAL,    /* the same */
    DG_OPTION_BYTES,   /* int64_t: 4096, 64KiB, 2G */
    DG_OPTION_LIST,    /* struct dg_list: may be given several times */
    DG_OPTION_FILE,    /* const char *: a file that is read */
    DG_OPTION_FILES,   /* struct dg_list: the same, several times */
    DG_OPTION_OUTPUT,  /* const char *: a file that is written; "-": standard output */
    DG_OPTION_REPORTS, /* struct dg_list: FORMAT=FILE, each written likewise */
    DG_OPTION_STREAM,  /* the same without "-" */
    DG_OPTION_STORE,   /* the same without pipes and devices */
    DG_OPTION_ADD_TO,  /* the same; the command asks what builds it would lose */
};

struct dg_option {
    enum dg_option_type type;
    const char *name;     /* without "--" */
    char letter;          /* of the short form, or 0 */
    const char *argument; /* "FILE", "text|json"; NULL for a flag */
    size_t offset;        /* of the field that takes the value */
    const char *help;     /* one line */
};

enum { DG_LIST_MOST = 64 };

struct dg_list {
    const char *items[DG_LIST_MOST];
    size_t n_items;
};

/* What every command takes, too; they fill dg_verbosity. */
extern const struct dg_option dg_common_options[];

/* Whether `word` is one of them; if so, it is taken. */
bool dg_options_common(const char *word);

static inline bool dg_option_writes(enum dg_option_type type)
{
    return type == DG_OPTION_OUTPUT || type == DG_OPTION_STREAM ||
           type == DG_OPTION_STORE || type == DG_OPTION_ADD_TO;
}

/* Fill *given from argv and move the words that are no options to argv[1]...; *argc
 * becomes their number + 1. Options may stand anywhere before "--"; their forms are
 * --name value, --name=value, -x value, -xvalue; but for lists and flags, each may
 * stand once. Checks the number of words, and that outputs can be written:
 * dg_option_files_check().
 */
enum dg_status dg_options_parse(void *given, const struct dg_command *command,
                                int *argc, char **argv, struct dg_error *err);

/* DG_ERR_USAGE where two words NAME=VALUE of the option have one name: one of them
 * would be lost. */
enum dg_status dg_option_once(const struct dg_list *words, const char *option,
                              struct dg_error *err);

/* Threads that `-j given` means; 0: one for each processor. */
size_t dg_option_threads(int64_t given);

/* " --name value" of each option of the table that is set in *given, quoted for a
 * shell; outputs apart: where a command writes does not matter to what. */
void dg_options_write(struct dg_writer *out, const void *given,
                      const struct dg_option *options);

/* Whether each output can be written, to a file of its own that is no input. */
enum dg_status dg_option_files_check(const void *given,
                                     const struct dg_command *command,
                                     char *const *words, int n_words,
                                     struct dg_error *err);

#endif
