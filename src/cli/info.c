/* info: what a file holds. */
#include <string.h>

#include "cli/artifact_option.h"
#include "cli/options.h"
#include "cli/plan_option.h"
#include "cli/target_options.h"
#include "exec/runnable.h"
#include "formats/input.h"
#include "graph/asked.h"
#include "graph/call_sums.h"
#include "graph/lifetime.h"
#include "reports/report.h"
#include "verifiers/verifier.h"

struct given {
    const char *format, *output, *artifact;
    struct dg_plan_option plan;
    struct dg_list programs, etdumps;
    bool hash, memory;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "format", 0, "text|json", offsetof(struct given, format),
     "text for people (default), json for programs"},
    {DG_OPTION_FLAG, "hash", 0, NULL, offsetof(struct given, hash),
     "compute SHA-256 of the file and of delegates"},
    {DG_OPTION_FLAG, "memory", 0, NULL, offsetof(struct given, memory),
     "of a .pte, where each arena is fullest, and with what"},
    DG_PROGRAM_OPTION(struct given, programs, "for the share that delegates run"),
    DG_ETDUMP_OPTION(struct given, etdumps),
    DG_ARTIFACT_OPTION(struct given, artifact),
    DG_PLAN_OPTION(struct given, plan),
    DG_FORCE_OPTION(struct given, plan),
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

/* What says that a .pte was not made from the program that was given. */
static const char *const pair_names[] = {"signature/user-io-stable",
                                         "signature/mutation-written-back",
                                         "constant/program-data"};
static const struct dg_selection pair_rules = {
    .select = pair_names, .n_select = sizeof(pair_names) / sizeof(*pair_names)};

struct answer {
    struct dg_writer text;
    bool json;
    const char *output;
    int n_artifacts;
};

static enum dg_status add_artifact(struct answer *answer, struct dg_store *store,
                                   int64_t artifact, struct dg_error *err)
{
    const struct dg_report *report =
        dg_report_find(answer->json ? "info-json" : "info-text");
    struct dg_report_options wanted = {.artifact = artifact,
                                       .color = dg_wants_color(answer->output),
                                       .ascii = dg_wants_ascii(answer->output),
                                       .width = dg_terminal_width(answer->output)};

    if (answer->n_artifacts++)
        dg_print(&answer->text, answer->json ? ",\n" : "\n");
    return report->write(&answer->text, store, &wanted, err);
}

static enum dg_status add_store(struct answer *answer, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        store, "SELECT id FROM artifact WHERE role IS NOT 'program' ORDER BY id", err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = add_artifact(answer, store, dg_rows_int(&rows, 0), err);
    return dg_rows_close(&rows, status, err);
}

/* How much delegates run needs costs, which take time: only where there are any. */
static enum dg_status add_costs(struct dg_store *store, struct dg_error *err)
{
    int64_t wanted;
    enum dg_status status = dg_store_int(
        store,
        "SELECT EXISTS (SELECT 1 FROM delegate) OR EXISTS (SELECT 1 FROM part_run)", 0,
        &wanted, err);

    return status || !wanted ? status : dg_call_sums_store(store, err);
}

static int add_file(struct answer *answer, const char *path, const struct given *given)
{
    struct dg_input input = {0};
    struct dg_error err = {0};
    struct answer before = *answer;
    enum dg_status status = dg_input_open(&input, path,
                                          given->hash               ? DG_HASH_ALL
                                          : given->programs.n_items ? DG_HASH_QUICK
                                                                    : DG_HASH_NONE,
                                          &err);

    if (!status)
        status = dg_artifact_choose(&input, given->artifact, &err);
    if (!status)
        status =
            dg_join_companions(&input, given->programs.items, given->programs.n_items,
                               "program", DG_HASH_QUICK, &err);
    if (!status)
        status =
            dg_join_companions(&input, given->etdumps.items, given->etdumps.n_items,
                               "profile", DG_HASH_NONE, &err);
    if (!status && given->etdumps.n_items)
        status = dg_note_misfits(input.store, &err);
    if (!status)
        status =
            dg_asked_measured(&(bool){false}, input.store, &err); /* lines ask views */
    if (!status)
        status = dg_plan_option_apply(&given->plan, DG_PLAN_WARNS, &input, &err);
    if (!status)
        status = add_costs(input.store, &err);
    if (!status && given->programs.n_items)
        status = dg_verify(input.store, &pair_rules, NULL, NULL, &err);
    if (!status && given->memory)
        status = dg_lifetimes_store(input.store, &err);
    if (!status)
        status = dg_runnable_store(input.store, &err);
    if (!status)
        status = add_store(answer, input.store, &err);
    dg_input_close(&input);
    if (!status)
        return DG_EXIT_FINE;
    answer->text.size = before.text.size;
    answer->n_artifacts = before.n_artifacts;
    return dg_complain_about(path, &err);
}

static int deliver(struct answer *answer, const struct given *given, int exit_code)
{
    struct dg_writer whole = {0};
    bool several = answer->json && answer->n_artifacts != 1;

    if (!answer->n_artifacts) {
        dg_writer_clear(&answer->text);
        return exit_code;
    }
    dg_print(&whole, "%s", several ? "{\"schema_version\":1,\"artifacts\":[\n" : "");
    dg_write(&whole, answer->text.data, answer->text.size);
    dg_print(&whole, "%s%s", several ? "\n]}" : "", answer->json ? "\n" : "");
    dg_writer_clear(&answer->text);
    return dg_deliver(given->output, &whole, exit_code);
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    struct answer answer = {0};
    struct dg_error err = {0};
    int exit_code = DG_EXIT_FINE;

    if (dg_options_parse(&given, &dg_command_info, &argc, argv, &err))
        return dg_complain(&err);
    answer.output = given.output;
    answer.json = !strcmp(given.format, "json");
    for (int i = 1; i < argc; i++)
        exit_code = dg_worse_exit(exit_code, add_file(&answer, argv[i], &given));
    return deliver(&answer, &given, exit_code);
}

const struct dg_command dg_command_info = {
    .name = "info",
    .synopsis = "FILE...",
    .summary = "what is in it: methods, signatures, operators, delegates, memory",
    .help = "Example: delegraph info model.pte\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = -1,
    .files = -1,
};
