/* Mutants of JSON texts: values are replaced, swapped, doubled, nested or left out. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/mutate.h"

enum { MOST_VALUES = 1 << 16, DEPTH = 256 };

struct span {
    size_t begin, end;
};

struct spans {
    struct span *all;
    size_t n;
};

static size_t end_of_string(const struct dg_writer *file, size_t at)
{
    for (at++; at < file->size && file->data[at] != '"'; at++)
        at += file->data[at] == '\\';
    return at < file->size ? at + 1 : file->size;
}

static size_t end_of_word(const struct dg_writer *file, size_t at)
{
    while (at < file->size && !strchr(",:]}[{\" \n\r\t", file->data[at]))
        at++;
    return at;
}

/* Strings, words and containers of what need not be JSON; keys are values, too. */
static void find_spans(const struct dg_writer *file, struct spans *spans)
{
    size_t open[DEPTH], depth = 0;

    for (size_t at = 0; at < file->size && spans->n < MOST_VALUES;) {
        size_t begin = at;
        char c = file->data[at];

        if (strchr(",: \n\r\t", c)) {
            at++;
            continue;
        }
        if (c == '[' || c == '{') {
            if (depth < DEPTH)
                open[depth++] = at;
            at++;
            continue;
        }
        if (c == ']' || c == '}') {
            begin = depth ? open[--depth] : at;
            at++;
        } else {
            at = c == '"' ? end_of_string(file, at) : end_of_word(file, at);
        }
        spans->all[spans->n++] = (struct span){begin, at > begin ? at : begin + 1};
    }
}

static void print_value(struct mutation *m, struct dg_writer *out)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "[]",
                                         "{}",
                                         "-1",
                                         "1e308",
                                         "NaN",
                                         "1.5",
                                         "[[[]]]",
                                         "\"\"",
                                         "{\"a\":1}",
                                         "[1,2,3]",
                                         "{\"as_int\":0}",
                                         "{\"as_none\":true}"};

    switch (mutate_random(m, 4)) {
    case 0:
        dg_write_json(out, dg_text(mutate_text(m)));
        break;
    case 1:
        dg_print(out, "%s", values[mutate_random(m, sizeof(values) / sizeof(*values))]);
        break;
    default:
        dg_print(out, "%lld", (long long)mutate_number(m, mutate_random(m, 100)));
    }
}

/* With the comma behind or before it. */
static void leave_out(struct dg_writer *file, struct span span)
{
    if (span.end < file->size && file->data[span.end] == ',')
        span.end++;
    else if (span.begin && file->data[span.begin - 1] == ',')
        span.begin--;
    mutate_splice(file, span.begin, span.end - span.begin, (struct dg_text){0});
}

static void nest(struct mutation *m, struct dg_writer *file, struct span span)
{
    struct dg_writer out = {0};
    uint64_t depth = 1ull << mutate_random(m, 9);

    for (uint64_t i = 0; i < depth; i++)
        dg_print(&out, "[");
    dg_write(&out, file->data + span.begin, span.end - span.begin);
    for (uint64_t i = 0; i < depth; i++)
        dg_print(&out, "]");
    mutate_splice(file, span.begin, span.end - span.begin, dg_written(&out));
    dg_writer_clear(&out);
}

/* Another value of the file takes its place; `twice`: or stands beside it. */
static void copy_over(struct dg_writer *file, struct span span, struct span other,
                      bool twice)
{
    struct dg_writer out = {0};

    dg_write(&out, file->data + other.begin, other.end - other.begin);
    if (twice)
        dg_print(&out, ",");
    mutate_splice(file, span.begin, twice ? 0 : span.end - span.begin,
                  dg_written(&out));
    dg_writer_clear(&out);
}

/* What begins alike is of one type: strings, numbers, lists. */
static char type_of(const struct dg_writer *file, struct span span)
{
    char c = file->data[span.begin];

    return c == '-' || (c >= '0' && c <= '9') ? '0' : c;
}

static struct span find_alike(struct mutation *m, const struct dg_writer *file,
                              const struct spans *spans, struct span span)
{
    struct span other = span;

    for (size_t tries = 0; tries < 32; tries++) {
        other = spans->all[mutate_random(m, spans->n)];
        if (type_of(file, other) == type_of(file, span) && other.begin != span.begin)
            break;
    }
    return other;
}

static void change_number(struct mutation *m, struct dg_writer *file, struct span span)
{
    struct dg_writer out = {0};
    uint64_t old = strtoull(file->data + span.begin, NULL, 10);

    dg_print(&out, "%lld", (long long)mutate_number(m, old));
    mutate_splice(file, span.begin, span.end - span.begin, dg_written(&out));
    dg_writer_clear(&out);
}

static void change_alike(struct mutation *m, struct dg_writer *file,
                         const struct spans *spans, struct span span)
{
    if (type_of(file, span) == '0' && mutate_random(m, 2))
        change_number(m, file, span);
    else
        copy_over(file, span, find_alike(m, file, spans, span), false);
}

static void change(struct mutation *m, struct dg_writer *file,
                   const struct spans *spans)
{
    struct span span = spans->all[mutate_random(m, spans->n)];
    struct span other = spans->all[mutate_random(m, spans->n)];
    struct dg_writer out = {0};

    if (mutate_random(m, 2)) {
        change_alike(m, file, spans, span);
        return;
    }
    switch (mutate_random(m, 12)) {
    case 0:
        leave_out(file, span);
        break;
    case 1:
        nest(m, file, span);
        break;
    case 2:
    case 3:
    case 4:
        copy_over(file, span, other, false);
        break;
    case 5:
        copy_over(file, span, mutate_random(m, 2) ? span : other, true);
        break;
    default:
        print_value(m, &out);
        mutate_splice(file, span.begin, span.end - span.begin, dg_written(&out));
        dg_writer_clear(&out);
    }
}

bool mutate_json(struct mutation *m, struct dg_writer *file)
{
    struct spans spans = {calloc(MOST_VALUES, sizeof(*spans.all)), 0};

    find_spans(file, &spans);
    if (spans.n)
        change(m, file, &spans);
    free(spans.all);
    return spans.n != 0;
}
