/* partition: which nodes of a program go to which delegate. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/answer.h"
#include "cli/artifact_option.h"
#include "cli/partition_print.h"
#include "cli/partitioner_options.h"
#include "partition/plan_file.h"

struct given {
    struct dg_partitioner_options run;
    const char *format, *plan, *plan_version, *artifact;
    bool as_torch;
};

static const struct dg_option options[] = {
    DG_PARTITIONER_OPTIONS(struct given, run, "torch|aoti|single|group|min|multi"),
    {DG_OPTION_FILE, "repair", 0, "PLAN", offsetof(struct given, run.repair),
     "split what keeps this plan from being lowered, instead of making one"},
    {DG_OPTION_TEXT, "method", 0, "NAME", offsetof(struct given, run.method),
     "only this method"},
    DG_ARTIFACT_OPTION(struct given, artifact),
    {DG_OPTION_FLAG, "lower", 0, NULL, offsetof(struct given, run.lower),
     "tell which constants lowering duplicates"},
    {DG_OPTION_FLAG, "as-torch", 0, NULL, offsetof(struct given, as_torch),
     "write a result with cycles as it is, not the valid one"},
    {DG_OPTION_FLAG, "force", 0, NULL, offsetof(struct given, run.force),
     "take prior plans for another program, too"},
    {DG_OPTION_CHOICE, "format", 0, "text|json", offsetof(struct given, format),
     "text for people (default), json for programs"},
    {DG_OPTION_CHOICE, "plan-version", 0, "1|2", offsetof(struct given, plan_version),
     "of the plan that -o writes: 2 (default) has operator and position of each node"},
    {DG_OPTION_OUTPUT, "output", 'o', "PLAN", offsetof(struct given, plan),
     "write the plan there; - is standard output, instead of the answer"},
    {0},
};

static enum dg_status program_sha256(struct dg_text *out, struct dg_arena *memory,
                                     const struct dg_input *input, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status;

    *out = (struct dg_text){0};
    if (!dg_store_recognises(input->file)) {
        *out = dg_sha256_of_file(input->file, input->mapped, memory);
        return DG_OK;
    }
    status = dg_rows_open(&rows, input->store, "SELECT sha256 FROM artifact", err);
    if (status)
        return status;
    if (dg_rows_next(&rows) && !dg_rows_null(&rows, 0))
        *out = dg_text(dg_copy(memory, dg_rows_slice(&rows, 0)));
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status write_plan(struct dg_writer *out, struct dg_run *run,
                                 const struct given *given,
                                 const struct dg_input *input, struct dg_error *err)
{
    int version = given->plan_version ? atoi(given->plan_version) : DG_PLAN_VERSION;
    struct dg_arena memory = {0};
    struct dg_text sha256;
    enum dg_status status = dg_run_store(run, input->store, err);

    if (!status)
        status = program_sha256(&sha256, &memory, input, err);
    if (!status)
        status =
            dg_plan_file_write(out, input->store, run->part_run, version, sha256, err);
    dg_arena_clear(&memory);
    return status;
}

static bool is_acyclic(const struct dg_run *run)
{
    for (size_t i = 0; i < run->n_graphs; i++) {
        if (!run->graphs[i].acyclic)
            return false;
    }
    return true;
}

/* Rules look at the program as it is, not at what plans before this one make of it. */
static enum dg_status judge_plan(struct dg_plan_errors *errors,
                                 const struct given *given,
                                 const struct dg_input *input, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (given->plan && !given->run.priors.n_items)
        status = dg_plan_errors_find(errors, input->store, err);
    if (!status)
        dg_plan_errors_warn(errors, input->path);
    return status;
}

static bool names_backends(const struct dg_run *run)
{
    for (size_t g = 0; g < run->n_graphs; g++) {
        const struct dg_run_plan *plan = dg_run_chosen(run, &run->graphs[g]);

        for (uint32_t i = 0; i < plan->partitions.n_parts; i++) {
            if (!plan->parts[i].backend.data)
                return false;
        }
    }
    return true;
}

static void note_plan(struct dg_writer *text, const struct dg_run *run,
                      const struct given *given)
{
    if (!is_acyclic(run) && !given->as_torch && !given->run.repair)
        dg_print(text, "note: the plan that was written is the valid one; --as-torch "
                       "writes the partitioner's\n");
    if (!names_backends(run))
        dg_print(text, "note: the plan names no backend%s\n",
                 given->run.repair ? "" : "; --backend-id NAME does");
}

static enum dg_status print(struct dg_writer *text, struct dg_run *run,
                            const struct given *given, const struct dg_input *input,
                            const struct dg_plan_errors *errors, struct dg_error *err)
{
    struct dg_explanation explanation = {0};
    enum dg_status status;

    if (!strcmp(given->format, "json")) {
        dg_partition_json(text, run, given->plan ? errors : NULL);
        return DG_OK;
    }
    status = dg_explain_run(&explanation, run, input->store, err);
    if (!status)
        dg_partition_text(text, run, &explanation);
    if (!status && given->plan)
        note_plan(text, run, given);
    dg_explanation_clear(&explanation);
    return status;
}

static enum dg_status answer(struct dg_writer *text, struct dg_writer *plan,
                             bool *acyclic, const struct given *given,
                             const struct dg_input *input, struct dg_error *err)
{
    struct dg_run_setup setup;
    struct dg_run run = {0};
    struct dg_plan_errors errors = {0};
    enum dg_status status = dg_run_setup(&setup, &given->run, input, err);

    setup.request.as_torch = given->as_torch;
    if (!status)
        status = dg_run_notes(&given->run, &setup.request, input, err);
    if (!status)
        status = dg_run(&run, &setup.request, input->store, err);
    if (!status && given->plan)
        status = write_plan(plan, &run, given, input, err);
    if (!status)
        status = judge_plan(&errors, given, input, err);
    if (!status) {
        *acyclic = is_acyclic(&run);
        status = print(text, &run, given, input, &errors, err);
    }
    dg_plan_errors_clear(&errors);
    dg_run_clear(&run);
    dg_run_setup_clear(&setup);
    return status;
}

static int deliver(const struct given *given, struct dg_writer *text,
                   struct dg_writer *plan, int exit_code)
{
    if (given->plan)
        exit_code = dg_deliver(given->plan, plan, exit_code);
    if (exit_code <= DG_EXIT_POLICY && !(given->plan && !strcmp(given->plan, "-")))
        return dg_deliver(NULL, text, exit_code);
    dg_writer_clear(text);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    struct dg_input input = {0};
    struct dg_writer text = {0}, plan = {0};
    struct dg_error err = {0};
    bool acyclic = true;
    enum dg_status status;

    if (dg_options_parse(&given, &dg_command_partition, &argc, argv, &err))
        return dg_complain(&err);
    if ((given.as_torch || given.plan_version) && !given.plan)
        return dg_complain(&(struct dg_error){
            DG_ERR_USAGE, "partition: --as-torch and --plan-version are about the plan "
                          "that -o PLAN writes"});
    if (given.run.force && !given.run.priors.n_items && !given.run.repair)
        return dg_complain(&(struct dg_error){
            DG_ERR_USAGE,
            "partition: --force is about the plan of --prior or --repair"});
    if (given.as_torch && given.run.repair)
        return dg_complain(&(struct dg_error){
            DG_ERR_USAGE,
            "partition: --as-torch would write the plan that --repair is to mend"});
    status = dg_input_open(&input, argv[1], DG_HASH_NONE, &err);
    if (!status)
        status = dg_artifact_choose(&input, given.artifact, &err);
    if (!status)
        status = answer(&text, &plan, &acyclic, &given, &input, &err);
    if (!status) {
        int exit_code = acyclic || given.run.repair ? DG_EXIT_FINE : DG_EXIT_POLICY;

        dg_input_close(&input);
        return deliver(&given, &text, &plan, exit_code);
    }
    dg_input_close(&input);
    dg_writer_clear(&text);
    dg_writer_clear(&plan);
    return dg_complain_about(argv[1], &err);
}

const struct dg_command dg_command_partition = {
    .name = "partition",
    .synopsis = "FILE",
    .summary = "which nodes go to which delegate, exactly as the real partitioners say",
    .help =
        "Modes: torch is CapabilityBasedPartitioner, aoti ExecuTorch's CUDA "
        "partitioner,"
        "\nsingle one tag for all, group ExecuTorch's GroupBasedPartitioner. Exits "
        "with 1"
        "\nwhere the partitioner's result has a cycle and cannot be lowered. min is "
        "none "
        "of these:\nas few partitions as there can be, with few values on their "
        "borders; nor is multi:\nseveral backends in one pass, each operator to one "
        "that "
        "takes it.\n"
        "\n"
        "Examples:\n"
        "  delegraph partition model.pt2 --backend xnnpack\n"
        "  delegraph partition model.pt2 --unsupported-ops aten::softmax.int\n"
        "  delegraph partition model.pt2 --backend xnnpack --mode min --weight bytes\n"
        "  delegraph partition model.pt2 --mode aoti -o model.plan.json\n"
        "  delegraph partition model.pt2 --mode aoti --prior xnnpack.plan.json\n"
        "  delegraph partition model.pt2 --mode multi --backend xnnpack,vulkan\n"
        "  delegraph partition model.pt2 --repair cyclic.plan.json -o "
        "model.plan.json\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 1,
    .files = 1,
};
