/* What the harness counted: by kind of file, verb, format and exit code. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "fuzz/harness.h"

enum { MOST_ROWS = MOST_KINDS * MOST_COMMANDS };

struct row {
    char kind[16], verb[16], format[16];
    uint64_t exits[EXIT_CODES], microseconds;
};

static struct row rows[MOST_ROWS];
static size_t n_rows;

static struct row *row_of(const char *kind, const char *verb, const char *format)
{
    struct row *row = rows;

    for (; row < rows + n_rows; row++) {
        if (!strcmp(row->kind, kind) && !strcmp(row->verb, verb) &&
            !strcmp(row->format, format))
            return row;
    }
    n_rows++;
    snprintf(row->kind, sizeof(row->kind), "%s", kind);
    snprintf(row->verb, sizeof(row->verb), "%s", verb);
    snprintf(row->format, sizeof(row->format), "%s", format);
    return row;
}

static void word_behind(const char *command, const char *option, char *word)
{
    const char *at = strstr(command, option);

    if (at)
        sscanf(at + strlen(option), "%15s", word);
}

static void count(size_t kind, size_t command)
{
    const char *line = mutant_kinds[kind].commands[command];
    char verb[16] = "", format[16] = "default";
    struct row *row;

    sscanf(line, "%15s", verb);
    word_behind(line, "--format ", format);
    word_behind(line, "-T ", format);
    row = row_of(mutant_kinds[kind].name, verb, format);
    row->microseconds += harness.shared->microseconds[kind][command];
    for (size_t i = 0; i < EXIT_CODES; i++)
        row->exits[i] += harness.shared->exits[kind][command][i];
}

static uint64_t print_row(const struct row *row)
{
    uint64_t all = 0;

    for (size_t i = 0; i < EXIT_CODES; i++)
        all += row->exits[i];
    printf("%-8s %-10s %-8s %9" PRIu64, row->kind, row->verb, row->format, all);
    for (size_t i = 0; i < EXIT_CODES; i++)
        printf(" %8" PRIu64, row->exits[i]);
    printf(" %8.1f\n", all ? (double)row->microseconds / 1000.0 / (double)all : 0.0);
    return all;
}

uint64_t harness_report(double seconds)
{
    uint64_t all = 0;

    for (size_t kind = 0; mutant_kinds[kind].name; kind++)
        for (size_t i = 0; mutant_kinds[kind].commands[i]; i++)
            count(kind, i);
    printf("%-8s %-10s %-8s %9s %8s %8s %8s %8s %8s %8s %8s\n", "file", "verb",
           "format", "runs", "exit 0", "1", "2", "3", "4", "5", "ms");
    for (size_t i = 0; i < n_rows; i++)
        all += print_row(&rows[i]);
    printf("%" PRIu64 " executions, %" PRIu64 " failures, seed %" PRIu64 ", %.0f s\n",
           all, harness.shared->failures, harness.seed, seconds);
    return harness.shared->failures;
}

/* But for ends of lines, which are CR LF in CSV, and tabs between columns. */
static bool is_raw(uint32_t point, struct dg_text behind)
{
    if (point == '\r')
        return !behind.size || *behind.data != '\n';
    return point != '\n' && point != '\t' && dg_is_control(point);
}

bool harness_finds_control(int file)
{
    static char buffer[1 << 20];
    ssize_t n = pread(file, buffer, sizeof(buffer), 0);
    struct dg_text text = {buffer, n > 0 ? (size_t)n : 0};

    while (text.size) {
        uint32_t point = ' ';
        size_t size = dg_character(text, &point);

        size = size ? size : 1;
        text = (struct dg_text){text.data + size, text.size - size};
        if (is_raw(point, text))
            return true;
    }
    return false;
}
