/* check: the rules over programs; the gate of a build. */
#include <stdlib.h>
#include <string.h>

#include "cli/check_file.h"
#include "cli/options.h"
#include "formats/input.h"

struct given {
    const char *format, *output;
    struct dg_gate gate;
    int64_t jobs;
    bool exit_zero, timing;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "fail-on", 0, "error|warning|note|never",
     offsetof(struct given, gate.fail_on),
     "exit with 1 from this severity on; default error"},
    DG_FINDING_OPTIONS(struct given, gate),
    DG_ARTIFACT_OPTION(struct given, gate),
    {DG_OPTION_FLAG, "exit-zero", 0, NULL, offsetof(struct given, exit_zero),
     "exit with 0 whatever is found; unreadable input still fails"},
    {DG_OPTION_FLAG, "timing", 0, NULL, offsetof(struct given, timing),
     "tell how long each rule took"},
    {DG_OPTION_COUNT, "jobs", 'j', "N", offsetof(struct given, jobs),
     "files at a time; default 0: as many as there are processors"},
    {DG_OPTION_CHOICE, "format", 0, "text|json", offsetof(struct given, format),
     "text for people (default), json for programs"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

/* A program and the .ptd files behind it are checked as one. */
static int n_together(char **paths, int n_paths)
{
    int n = 1;

    if (dg_input_is_data(paths[0]))
        return n;
    while (n < n_paths && dg_input_is_data(paths[n]))
        n++;
    return n;
}

struct sum {
    int n_artifacts;
    int64_t totals[DG_N_SEVERITIES];
};

/* In the order in which they were given, whichever was done first. */
static int gather(struct sum *sum, struct dg_writer *text, struct dg_check_file *files,
                  size_t n_files, bool json)
{
    int exit_code = DG_EXIT_FINE;

    for (struct dg_check_file *file = files; file < files + n_files; file++) {
        if (file->err.status)
            exit_code =
                dg_worse_exit(exit_code, dg_complain_about(file->paths[0], &file->err));
        if (json && sum->n_artifacts && file->n_artifacts)
            dg_print(text, ",\n");
        dg_write(text, file->text.data, file->text.size);
        dg_writer_clear(&file->text);
        sum->n_artifacts += file->n_artifacts;
        for (int i = 0; i < DG_N_SEVERITIES; i++)
            sum->totals[i] += file->totals[i];
    }
    return exit_code;
}

static void wrap(struct dg_writer *out, const struct dg_writer *text,
                 const struct sum *sum, bool json)
{
    bool several = json && sum->n_artifacts != 1;

    if (several)
        dg_print(out, "{\"schema_version\":1,\"artifacts\":[\n");
    dg_write(out, text->data, text->size);
    if (several)
        dg_print(out,
                 "\n],\"summary\":{\"error\":%lld,\"warning\":%lld,\"note\":%lld}}",
                 (long long)sum->totals[0], (long long)sum->totals[1],
                 (long long)sum->totals[2]);
    if (json)
        dg_print(out, "\n");
}

static int check(const struct given *given, const struct dg_check_how *how,
                 char **paths, int n_paths)
{
    struct dg_check_file *files = NULL;
    struct dg_writer text = {0}, out = {0};
    struct sum sum = {0};
    size_t n_files = 0;
    int exit_code;

    for (int i = 0, n; i < n_paths; i += n) {
        n = n_together(paths + i, n_paths - i);
        *DG_APPEND(files, n_files) =
            (struct dg_check_file){.paths = paths + i, .n_paths = (size_t)n};
    }
    dg_check_files(how, files, n_files, given->jobs);
    exit_code = gather(&sum, &text, files, n_files, how->json);
    if (sum.n_artifacts) {
        wrap(&out, &text, &sum, how->json);
        if (dg_gate_fails(&given->gate, sum.totals) && !given->exit_zero)
            exit_code = dg_worse_exit(exit_code, DG_EXIT_POLICY);
        exit_code = dg_deliver(given->output, &out, exit_code);
    }
    dg_writer_clear(&text);
    free(files);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    struct dg_check_how how = {.gate = &given.gate};
    struct dg_arena memory = {0};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_check, &argc, argv, &err);
    int exit_code;

    if (!status)
        status = dg_gate_prepare(&given.gate, "check", &memory, &err);
    how.json = !strcmp(given.format, "json");
    how.timing = given.timing;
    how.color = dg_wants_color(given.output);
    exit_code = status ? dg_complain(&err) : check(&given, &how, argv + 1, argc - 1);
    dg_arena_clear(&memory);
    return exit_code;
}

const struct dg_command dg_command_check = {
    .name = "check",
    .synopsis = "FILE...",
    .summary = "what is wrong with it: exit 1 when an error is found",
    .help = "Examples:\n"
            "  delegraph check model.pte\n"
            "  delegraph check build/*.pte --fail-on warning --ignore format\n"
            "  delegraph check model.pte --select memory,graph/acyclic --format json\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = -1,
    .files = -1,
};
