/* Answers: data to standard output or a file, words to standard error, an exit code. */
#include "cli/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/command.h"

struct dg_verbosity dg_verbosity;

static int exit_code_of(enum dg_status status)
{
    switch (status) {
    case DG_OK:
        return DG_EXIT_FINE;
    case DG_ERR_USAGE:
        return DG_EXIT_USAGE;
    case DG_ERR_FORMAT:
        return DG_EXIT_INPUT;
    case DG_ERR_DEVICE:
    case DG_ERR_STOPPED:
        return DG_EXIT_CAPABILITY;
    default:
        return DG_EXIT_INTERNAL;
    }
}

int dg_complain(const struct dg_error *err)
{
    struct dg_writer line = {0};

    dg_write_plain(&line, dg_text(err->text));
    fprintf(stderr, "delegraph: %s\n", line.size ? line.data : "failed");
    dg_writer_clear(&line);
    return exit_code_of(err->status);
}

int dg_worse_exit(int a, int b)
{
    static const int rank[] = {
        [DG_EXIT_FINE] = 0,  [DG_EXIT_POLICY] = 1,     [DG_EXIT_USAGE] = 5,
        [DG_EXIT_INPUT] = 3, [DG_EXIT_CAPABILITY] = 2, [DG_EXIT_INTERNAL] = 4};

    return rank[b] > rank[a] ? b : a;
}

int dg_complain_about(const char *path, const struct dg_error *err)
{
    struct dg_error whole = {.status = err->status};

    if (!strncmp(err->text, path, strlen(path)))
        return dg_complain(err);
    snprintf(whole.text, sizeof(whole.text), "%.200s: %.300s", path, err->text);
    return dg_complain(&whole);
}

int dg_deliver(const char *path, struct dg_writer *out, int exit_code)
{
    struct dg_error err = {0};
    struct dg_text text = {out->data, out->size};

    if (dg_output_write(path, text, &err))
        exit_code = dg_worse_exit(exit_code, dg_complain(&err));
    dg_writer_clear(out);
    return exit_code;
}

bool dg_goes_to_terminal(const char *path)
{
    return (!path || !strcmp(path, "-")) && isatty(STDOUT_FILENO);
}

bool dg_wants_color(const char *path)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return dg_goes_to_terminal(path) && !(no_color && *no_color) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

int dg_terminal_width(const char *path)
{
    struct winsize size = {0};

    if (!dg_goes_to_terminal(path) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        return 0;
    return size.ws_col;
}

bool dg_wants_ascii(const char *path)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    static const char *const marks[] = {"UTF-8", "utf-8", "UTF8", "utf8"};
    const char *locale = NULL;
    bool ascii = true;

    for (size_t i = 0; i < 3 && !(locale && *locale); i++)
        locale = getenv(names[i]);
    for (size_t i = 0; i < 4 && locale; i++)
        ascii = ascii && !strstr(locale, marks[i]);
    return ascii && dg_goes_to_terminal(path);
}

static enum dg_status refuse_ending(const char *path, const struct dg_ending *endings,
                                    struct dg_error *err)
{
    struct dg_writer list = {0};

    for (const struct dg_ending *e = endings; e->ending; e++)
        dg_print(&list, "%s.%s",
                 e == endings  ? ""
                 : e[1].ending ? ", "
                               : " or ",
                 e->ending);
    dg_fail(err, DG_ERR_USAGE, "%.200s: expected a name that ends with %s", path,
            list.data);
    dg_writer_clear(&list);
    return DG_ERR_USAGE;
}

enum dg_status dg_format_by_ending(const char **format, const char *path,
                                   const struct dg_ending *endings,
                                   struct dg_error *err)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *dot = path ? strrchr(slash ? slash : path, '.') : NULL;
    struct stat state;

    *format = endings->format;
    if (!dot)
        return DG_OK;
    for (const struct dg_ending *e = endings; e->ending; e++)
        if (!strcasecmp(dot + 1, e->ending)) {
            *format = e->format;
            return DG_OK;
        }
    if (!stat(path, &state) && !S_ISREG(state.st_mode))
        return DG_OK;
    return refuse_ending(path, endings, err);
}
