/* run_cases FILE...: partition the graphs of files of cases and compare the results
 * with those of PyTorch and ExecuTorch that stand in them. A file holds one case per
 * line, or is one document with a member "format". */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cases/case.h"

static enum dg_status read_all(struct dg_writer *text, const char *path,
                               struct dg_error *err)
{
    FILE *file = fopen(path, "rb");
    char buffer[1 << 16];
    size_t size;
    bool failed;

    if (!file)
        return dg_fail(err, DG_ERR_FORMAT, "%s: cannot be opened", path);
    while ((size = fread(buffer, 1, sizeof(buffer), file)) > 0)
        dg_write(text, buffer, size);
    failed = ferror(file);
    fclose(file);
    if (failed)
        return dg_fail(err, DG_ERR_IO, "%s: cannot be read", path);
    return DG_OK;
}

static enum dg_status run_one(struct test_case *test, const struct raw_case *raw,
                              const struct case_source *source,
                              struct case_tally *tally)
{
    enum dg_status status = DG_OK;
    bool same = false;

    if (!dg_text_is(test->mode, "validate"))
        same = case_run(test);
    else if (raw->sets.data)
        status = case_validate(test, raw, source, &same);
    else
        status = dg_fail(source->err, DG_ERR_FORMAT, "%s: expected sets to validate",
                         source->place);
    if (status)
        return status;
    tally->n_run++;
    tally->n_equal += same;
    if (!same)
        printf("%s: %.*s (%.*s) differs\n", source->place, (int)test->name.size,
               test->name.data, (int)test->mode.size, test->mode.data);
    return DG_OK;
}

static enum dg_status run(const struct raw_case *raw, const struct case_source *source,
                          struct case_tally *tally)
{
    struct test_case test = {0};
    enum dg_status status = case_read(&test, raw, source);

    if (!status && raw->cases.data)
        status = case_validate_list(&test, raw->cases, source, tally);
    else if (!status && raw->expected.data)
        status = run_one(&test, raw, source, tally);
    case_clear(&test);
    return status;
}

static enum dg_status run_object(struct dg_text text, const struct case_source *source,
                                 struct case_tally *tally)
{
    struct dg_arena memory = {0};
    struct raw_case raw;
    enum dg_status status = case_split(&raw, text, &memory, source);

    if (!status)
        status = run(&raw, source, tally);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status run_lines(struct dg_text text, const char *path,
                                struct case_tally *tally, struct dg_error *err)
{
    const char *at = text.data, *end = text.data + text.size;
    enum dg_status status = DG_OK;

    for (unsigned line = 1; at < end && !status; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct dg_text one = {at, (size_t)((stop ? stop : end) - at)};
        struct dg_arena memory = {0};
        struct case_source source = {.err = err};

        source.place = dg_format(&memory, "%s:%u", path, line).data;
        if (one.size)
            status = run_object(one, &source, tally);
        at = stop ? stop + 1 : end;
        dg_arena_clear(&memory);
    }
    return status;
}

static unsigned line_of(struct dg_text text, const char *at)
{
    unsigned line = 1;

    for (const char *c = text.data; c < at; c++)
        line += *c == '\n';
    return line;
}

/* The cases of a list. The other lists of the document ask for what no partitioner here
 * answers. */
static enum dg_status run_list(struct dg_json *json, struct dg_text text,
                               struct case_tally *tally)
{
    enum dg_status status = DG_OK;

    dg_json_array(json);
    while (!status && dg_json_item(json)) {
        struct dg_text one = dg_json_skip(json);
        struct dg_arena memory = {0};
        struct case_source source = {.err = json->err};

        if (json->failed)
            break;
        source.place =
            dg_format(&memory, "%s:%u", json->source, line_of(text, one.data)).data;
        status = run_object(one, &source, tally);
        dg_arena_clear(&memory);
    }
    return status;
}

static enum dg_status run_document(struct dg_text text, const char *path,
                                   struct case_tally *tally, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_json json;
    struct dg_text key;
    enum dg_status status = DG_OK;

    dg_json_begin(&json, text, path, &memory, err);
    dg_json_object(&json);
    while (!status && dg_json_key(&json, &key)) {
        if (dg_text_is(key, "partition") || dg_text_is(key, "found") ||
            dg_text_is(key, "validate"))
            status = run_list(&json, text, tally);
        else
            dg_json_skip(&json);
    }
    if (!status)
        status = dg_json_end(&json);
    dg_arena_clear(&memory);
    return status;
}

static bool is_document(struct dg_text text)
{
    struct dg_arena memory = {0};
    struct dg_error err = {0};
    struct dg_json json;
    struct dg_text key = {0};
    bool document;

    dg_json_begin(&json, text, "", &memory, &err);
    dg_json_object(&json);
    document = dg_json_key(&json, &key) && dg_text_is(key, "format");
    dg_arena_clear(&memory);
    return document;
}

static enum dg_status run_file(const char *path, struct case_tally *tally,
                               struct dg_error *err)
{
    struct dg_writer data = {0};
    enum dg_status status = read_all(&data, path, err);
    struct dg_text text = {data.data ? data.data : "", data.size};

    if (!status && is_document(text))
        status = run_document(text, path, tally, err);
    else if (!status)
        status = run_lines(text, path, tally, err);
    dg_writer_clear(&data);
    return status;
}

int main(int argc, char **argv)
{
    struct case_tally tally = {0};
    struct dg_error err = {0};

    if (argc < 2) {
        fputs("usage: run_cases FILE...\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        if (run_file(argv[i], &tally, &err)) {
            fprintf(stderr, "run_cases: %s\n", err.text);
            return 3;
        }
    }
    if (!tally.n_run) {
        fputs("run_cases: there are no cases in these files\n", stderr);
        return 3;
    }
    printf("%u of %u equal\n", tally.n_equal, tally.n_run);
    return tally.n_equal == tally.n_run ? 0 : 1;
}
