/* Options: parsing a command's arguments by its table, and the complaints about them.
 */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/numeral.h"
#include "base/text.h"

const struct dg_option dg_common_options[] = {
    {DG_OPTION_FLAG, "quiet", 'q', NULL, offsetof(struct dg_verbosity, quiet),
     "only what was asked for: no hints, no summary"},
    {DG_OPTION_FLAG, "verbose", 'v', NULL, offsetof(struct dg_verbosity, verbose),
     "more: what was left out and why, time and memory"},
    {0},
};

enum { MOST_OPTIONS = 64 };

struct parse {
    const struct dg_command *command;
    char *given; /* the caller's struct */
    char **argv;
    int argc, at; /* at: the argument to read next */
    int n_words;
    const struct dg_option *set[MOST_OPTIONS]; /* those that are given */
    size_t n_set;
    struct dg_error *err;
};

static const struct dg_option *find_in(const struct dg_option *options,
                                       const char *name, size_t length)
{
    for (; options && options->type; options++) {
        if (strlen(options->name) == length && !memcmp(options->name, name, length))
            return options;
        if (length == 1 && options->letter == *name)
            return options;
    }
    return NULL;
}

bool dg_options_common(const char *word)
{
    for (const struct dg_option *o = dg_common_options; o->type; o++) {
        const char letter[] = {'-', o->letter, '\0'};

        if (strcmp(word, letter) &&
            (strncmp(word, "--", 2) || strcmp(word + 2, o->name)))
            continue;
        *(bool *)((char *)&dg_verbosity + o->offset) = true;
        return true;
    }
    return false;
}

/* The option of that name or letter; NULL if there is none. */
static const struct dg_option *find_option(const struct dg_command *command,
                                           const char *name, size_t length)
{
    const struct dg_option *own = find_in(command->options, name, length);

    return own ? own : find_in(dg_common_options, name, length);
}

/* Not one that all commands take. */
static bool is_own(const struct parse *parse, const struct dg_option *option)
{
    return find_in(parse->command->options, option->name, strlen(option->name));
}

static bool is_choice(const char *choices, const char *value)
{
    size_t size = strlen(value);

    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strcspn(at, "|") == size && !memcmp(at, value, size))
            return true;
    }
    return false;
}

static enum dg_status refuse_value(struct parse *parse, const struct dg_option *option,
                                   const char *value)
{
    return dg_fail(parse->err, DG_ERR_USAGE, "%s: --%s is \"%.80s\", expected %s",
                   parse->command->name, option->name, value, option->argument);
}

static enum dg_status refuse_number(struct parse *parse, const struct dg_option *option,
                                    const char *value)
{
    return dg_fail(parse->err, DG_ERR_USAGE, "%s: --%s is \"%.80s\", expected %s",
                   parse->command->name, option->name, value,
                   option->type == DG_OPTION_COUNT    ? "a whole number, 0 or more"
                   : option->type == DG_OPTION_NUMBER ? "a whole number, 1 or more"
                                                      : "a number, 0 or more");
}

static bool read_number(const struct dg_option *option, void *field, const char *value)
{
    switch (option->type) {
    case DG_OPTION_COUNT:
        return dg_read_count(field, value);
    case DG_OPTION_NUMBER:
        return dg_read_count(field, value) && *(int64_t *)field > 0;
    default:
        return dg_read_real(field, value);
    }
}

static enum dg_status set_number(struct parse *parse, const struct dg_option *option,
                                 const char *value)
{
    return read_number(option, parse->given + option->offset, value)
               ? DG_OK
               : refuse_number(parse, option, value);
}

/* Units are powers of 1024: k, K, KiB, KB are the same. */
static enum dg_status set_bytes(struct parse *parse, const struct dg_option *option,
                                const char *value)
{
    static const char units[] = "kmgt";
    size_t digits = strspn(value, "0123456789");
    const char *end = value + digits, *unit = *end ? strchr(units, *end | 0x20) : NULL;
    char number[32] = "";
    int64_t size = 0;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;

    if (digits < sizeof(number))
        memcpy(number, value, digits);
    end += unit != NULL;
    if (unit && !strncmp(end, "iB", 2))
        end += 2;
    else if (*end == 'B')
        end++;
    if (*end || !dg_read_count(&size, number) || size > INT64_MAX >> shift)
        return dg_fail(parse->err, DG_ERR_USAGE,
                       "%s: --%s is \"%.80s\", expected a size, for instance 64MiB",
                       parse->command->name, option->name, value);
    *(int64_t *)(void *)(parse->given + option->offset) = size << shift;
    return DG_OK;
}

static enum dg_status add_item(struct parse *parse, const struct dg_option *option,
                               const char *value)
{
    struct dg_list *list = (void *)(parse->given + option->offset);

    if (list->n_items == DG_LIST_MOST)
        return dg_fail(parse->err, DG_ERR_USAGE, "%s: more than %d times --%s",
                       parse->command->name, DG_LIST_MOST, option->name);
    list->items[list->n_items++] = value;
    return DG_OK;
}

static enum dg_status set_value(struct parse *parse, const struct dg_option *option,
                                const char *value)
{
    switch (option->type) {
    case DG_OPTION_COUNT:
    case DG_OPTION_NUMBER:
    case DG_OPTION_SECONDS:
    case DG_OPTION_REAL:
        return set_number(parse, option, value);
    case DG_OPTION_BYTES:
        return set_bytes(parse, option, value);
    case DG_OPTION_LIST:
    case DG_OPTION_FILES:
    case DG_OPTION_REPORTS:
        return add_item(parse, option, value);
    case DG_OPTION_CHOICE:
        if (!is_choice(option->argument, value))
            return refuse_value(parse, option, value);
        break;
    default:
        break;
    }
    *(const char **)(parse->given + option->offset) = value;
    return DG_OK;
}

static bool repeats(const struct dg_option *option)
{
    return option->type == DG_OPTION_LIST || option->type == DG_OPTION_FILES ||
           option->type == DG_OPTION_REPORTS;
}

/* Which of two values is meant, nobody knows; a flag says the same again. */
static enum dg_status remember(struct parse *parse, const struct dg_option *option)
{
    for (size_t i = 0; i < parse->n_set; i++) {
        const struct dg_option *set = parse->set[i];

        if (set == option && option->type == DG_OPTION_FLAG)
            return DG_OK;
        if (set == option)
            return dg_fail(parse->err, DG_ERR_USAGE, "%s: --%s is given twice",
                           parse->command->name, option->name);
        if (set->offset == option->offset && is_own(parse, set) &&
            is_own(parse, option))
            return dg_fail(parse->err, DG_ERR_USAGE,
                           "%s: --%s and --%s exclude each other", parse->command->name,
                           set->name, option->name);
    }
    if (!repeats(option) && parse->n_set < MOST_OPTIONS)
        parse->set[parse->n_set++] = option;
    return DG_OK;
}

static bool is_flag(const struct dg_option *option)
{
    return option->type == DG_OPTION_FLAG || option->type == DG_OPTION_OFF;
}

/* `value` is what stood behind "=" or the letter; NULL if nothing did. */
static enum dg_status apply(struct parse *parse, const struct dg_option *option,
                            const char *value)
{
    bool flag = is_flag(option);

    if (remember(parse, option))
        return DG_ERR_USAGE;
    if (flag && value)
        return dg_fail(parse->err, DG_ERR_USAGE, "%s: --%s takes no value",
                       parse->command->name, option->name);
    if (flag) {
        char *fields = is_own(parse, option) ? parse->given : (char *)&dg_verbosity;

        *(bool *)(fields + option->offset) = option->type == DG_OPTION_FLAG;
        return DG_OK;
    }
    if (!value && parse->at == parse->argc)
        return dg_fail(parse->err, DG_ERR_USAGE, "%s: --%s needs a value: %s",
                       parse->command->name, option->name, option->argument);
    if (!value)
        value = parse->argv[parse->at++];
    return set_value(parse, option, value);
}

static enum dg_status refuse_option(struct parse *parse, const char *wrong)
{
    const char *names[64], *near;
    size_t n = 0;

    for (const struct dg_option *o = parse->command->options; o && o->type && n < 61;)
        names[n++] = o++->name;
    for (const struct dg_option *o = dg_common_options; o->type;)
        names[n++] = o++->name;
    names[n++] = "help";
    near = dg_nearest(wrong, names, n);
    return dg_fail(parse->err, DG_ERR_USAGE, "%s: unknown option --%.60s%s%s%s",
                   parse->command->name, wrong, near ? "; did you mean --" : "",
                   near ? near : "", near ? "?" : "");
}

static enum dg_status parse_long(struct parse *parse, const char *text)
{
    size_t length = strcspn(text, "=");
    const struct dg_option *option =
        length > 1 ? find_option(parse->command, text, length) : NULL;
    char wrong[64];

    if (option)
        return apply(parse, option, text[length] ? text + length + 1 : NULL);
    snprintf(wrong, sizeof(wrong), "%.*s", (int)(length < 60 ? length : 60), text);
    return refuse_option(parse, wrong);
}

/* Flags may stand together: -qv. */
static enum dg_status parse_short(struct parse *parse, const char *text)
{
    enum dg_status status = DG_OK;

    for (; *text && !status; text++) {
        const struct dg_option *option = find_option(parse->command, text, 1);

        if (!option)
            return dg_fail(parse->err, DG_ERR_USAGE, "%s: unknown option -%c",
                           parse->command->name, *text);
        if (!is_flag(option))
            return apply(parse, option, text[1] ? text + 1 : NULL);
        status = apply(parse, option, NULL);
    }
    return status;
}

static enum dg_status parse_all(struct parse *parse)
{
    enum dg_status status = DG_OK;
    bool only_words = false;

    while (!status && parse->at < parse->argc) {
        char *text = parse->argv[parse->at++];

        if (only_words || text[0] != '-' || !text[1])
            parse->argv[++parse->n_words] = text;
        else if (!strcmp(text, "--"))
            only_words = true;
        else if (text[1] == '-')
            status = parse_long(parse, text + 2);
        else
            status = parse_short(parse, text + 1);
    }
    return status;
}

enum dg_status dg_options_parse(void *given, const struct dg_command *command,
                                int *argc, char **argv, struct dg_error *err)
{
    struct parse parse = {command, given, argv, *argc, 1, 0, {0}, 0, err};
    enum dg_status status = parse_all(&parse);

    if (status)
        return status;
    if (parse.n_words < command->least ||
        (command->most >= 0 && parse.n_words > command->most))
        return dg_fail(err, DG_ERR_USAGE,
                       "%s: too %s arguments; usage: delegraph %s%s%s", command->name,
                       parse.n_words < command->least ? "few" : "many", command->name,
                       *command->synopsis ? " " : "", command->synopsis);
    *argc = parse.n_words + 1;
    return dg_option_files_check(given, command, argv + 1, parse.n_words, err);
}

enum dg_status dg_option_once(const struct dg_list *words, const char *option,
                              struct dg_error *err)
{
    for (size_t i = 0; i < words->n_items; i++) {
        size_t size = strcspn(words->items[i], "=");

        for (size_t k = 0; k < i; k++) {
            if (strcspn(words->items[k], "=") == size &&
                !memcmp(words->items[k], words->items[i], size))
                return dg_fail(err, DG_ERR_USAGE, "--%s \"%.*s\": given twice", option,
                               (int)size, words->items[i]);
        }
    }
    return DG_OK;
}

size_t dg_option_threads(int64_t given)
{
    long n_processors = sysconf(_SC_NPROCESSORS_ONLN);

    return given ? (size_t)given : n_processors > 0 ? (size_t)n_processors : 1;
}
