/* Whether a text is JSON: a tenth of what SQLite's own json_valid() takes. */
#include "store/constraints.h"

enum { DEEPEST = 1000 };

/* The text ends with NUL, which is no part of JSON: no other end is looked for. */
struct scan {
    const char *at;
    size_t depth;
    char open[DEEPEST]; /* brackets that wait for their end */
};

static void skip_blank(struct scan *scan)
{
    while (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\t' ||
           *scan->at == '\r')
        scan->at++;
}

static bool take(struct scan *scan, char c)
{
    if (*scan->at != c)
        return false;
    scan->at++;
    return true;
}

static bool take_digits(struct scan *scan)
{
    const char *begin = scan->at;

    while (*scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    return scan->at > begin;
}

static bool read_number(struct scan *scan)
{
    take(scan, '-');
    if (!take(scan, '0') && !take_digits(scan))
        return false;
    if (take(scan, '.') && !take_digits(scan))
        return false;
    if (!take(scan, 'e') && !take(scan, 'E'))
        return true;
    if (!take(scan, '+'))
        take(scan, '-');
    return take_digits(scan);
}

static bool read_escape(struct scan *scan)
{
    size_t size = strspn(scan->at, "\"\\/bfnrtu") ? 1 : 0;

    if (*scan->at == 'u')
        size = strspn(scan->at + 1, "0123456789abcdefABCDEF") < 4 ? 0 : 5;
    scan->at += size;
    return size;
}

static bool read_string(struct scan *scan)
{
    if (!take(scan, '"'))
        return false;
    for (;;) {
        unsigned char c = (unsigned char)*scan->at;

        if (c >= ' ' && c != '"' && c != '\\') {
            scan->at++;
            continue;
        }
        if (c != '\\')
            return take(scan, '"');
        scan->at++;
        if (!read_escape(scan))
            return false;
    }
}

static bool read_key(struct scan *scan)
{
    skip_blank(scan);
    if (!read_string(scan))
        return false;
    skip_blank(scan);
    return take(scan, ':');
}

static bool read_word(struct scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);

        if (!strncmp(scan->at, words[i], size)) {
            scan->at += size;
            return true;
        }
    }
    return false;
}

/* A list or an object begins; *whole: it is empty, and ends. */
static bool open_bracket(struct scan *scan, char bracket, bool *whole)
{
    scan->at++;
    skip_blank(scan);
    *whole = take(scan, bracket == '[' ? ']' : '}');
    if (*whole)
        return true;
    if (scan->depth == DEEPEST)
        return false;
    scan->open[scan->depth++] = bracket;
    return bracket == '[' || read_key(scan);
}

static bool read_value(struct scan *scan, bool *whole)
{
    char c;

    skip_blank(scan);
    c = *scan->at;
    *whole = true;
    if (c == '[' || c == '{')
        return open_bracket(scan, c, whole);
    if (c == '"')
        return read_string(scan);
    return c == '-' || (c >= '0' && c <= '9') ? read_number(scan) : read_word(scan);
}

/* Behind a value: brackets end, or a comma tells that the next value follows. */
static bool read_ends(struct scan *scan, bool *more)
{
    *more = false;
    for (skip_blank(scan); scan->depth; skip_blank(scan)) {
        char bracket = scan->open[scan->depth - 1];

        *more = take(scan, ',');
        if (*more)
            return bracket == '[' || read_key(scan);
        if (!take(scan, bracket == '[' ? ']' : '}'))
            return false;
        scan->depth--;
    }
    return true;
}

bool dg_is_json(struct dg_text text)
{
    struct scan scan; /* not all of it: a thousand zeros would take longer than it */
    bool whole, more = true;

    scan.at = text.data;
    scan.depth = 0;
    while (more) {
        if (!read_value(&scan, &whole) || (whole && !read_ends(&scan, &more)))
            return false;
    }
    return scan.at == text.data + text.size;
}
