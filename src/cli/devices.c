/* devices: where ExecuTorch will put the tensors of a lowered program. */
#include "cli/devices_print.h"

#include <string.h>

#include "cli/artifact_option.h"
#include "cli/options.h"
#include "formats/input.h"

struct given {
    struct dg_device_options options;
    const char *against, *artifact, *method, *format, *output;
};

static const struct dg_option options[] = {
    {DG_OPTION_FLAG, "skip-h2d-inputs", 0, NULL,
     offsetof(struct given, options.skip_inputs),
     "inputs of delegates come on their device (skip_h2d_for_method_inputs)"},
    {DG_OPTION_FLAG, "skip-d2h-outputs", 0, NULL,
     offsetof(struct given, options.skip_outputs),
     "outputs of delegates stay on their device (skip_d2h_for_method_outputs)"},
    {DG_OPTION_FLAG, "no-device-planning", 0, NULL,
     offsetof(struct given, options.no_planning),
     "enable_non_cpu_memory_planning is off: no copies, tensors are only marked"},
    {DG_OPTION_FILE, "against", 0, "FILE.pte", offsetof(struct given, against),
     "compare with what was emitted; exit 1 if it differs"},
    DG_ARTIFACT_OPTION(struct given, artifact),
    {DG_OPTION_TEXT, "method", 0, "NAME", offsetof(struct given, method),
     "only this method"},
    {DG_OPTION_CHOICE, "format", 0, "text|json", offsetof(struct given, format),
     "text for people (default), json for programs"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

struct answer {
    const struct given *given;
    struct dg_writer *out;
    struct dg_store *store, *emitted;
    int n_methods;
    int exit_code;
};

static enum dg_status compare(struct answer *answer, struct dg_devices_report *report,
                              struct dg_device_differences *differences,
                              struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status;

    if (!answer->emitted || report->devices->failure.data)
        return DG_OK;
    status = dg_rows_open(&rows, answer->emitted,
                          "SELECT 1 FROM method WHERE name = ?1 AND ir = 'pte'", err);
    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, report->method);
    if (!dg_rows_next(&rows))
        status = dg_fail(err, DG_ERR_USAGE,
                         "--against %.200s: no .pte with method \"%.80s\"",
                         answer->given->against, report->method.data);
    status = dg_rows_close(&rows, status, err);
    if (!status)
        status = dg_devices_compare(differences, report->devices, answer->store,
                                    answer->emitted, report->method, err);
    report->differences = differences;
    return status;
}

static enum dg_status add_method(struct answer *answer, int64_t graph,
                                 struct dg_text method, struct dg_error *err)
{
    struct dg_devices devices = {0};
    struct dg_device_differences differences = {0};
    struct dg_devices_report report = {.devices = &devices, .method = method};
    bool json = !strcmp(answer->given->format, "json");
    enum dg_status status =
        dg_devices_find(&devices, answer->store, graph, &answer->given->options, err);

    if (!status)
        status = compare(answer, &report, &differences, err);
    if (!status) {
        if (answer->n_methods++)
            dg_print(answer->out, json ? "," : "\n");
        (json ? dg_write_devices_json : dg_write_devices_text)(answer->out, &report);
        if (devices.failure.data || differences.n_items)
            answer->exit_code = DG_EXIT_POLICY;
    }
    dg_device_differences_clear(&differences);
    dg_devices_clear(&devices);
    return status;
}

static enum dg_status add_methods(struct answer *answer, struct dg_error *err)
{
    const char *only = answer->given->method;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, answer->store,
                     "SELECT g.id, method.name, ir FROM method JOIN \"graph\" AS g"
                     "  ON g.method_id = method.id AND g.path = ''"
                     "  JOIN artifact ON artifact.id = artifact_id"
                     "   AND companion_of IS NULL"
                     " WHERE ?1 IS NULL OR method.name = ?1 ORDER BY method.id",
                     err);

    if (status)
        return status;
    if (only)
        dg_rows_bind_text(&rows, 1, dg_text(only));
    while (!status && dg_rows_next(&rows)) {
        if (!strcmp(dg_rows_text(&rows, 2), "pte"))
            status = dg_fail(err, DG_ERR_USAGE,
                             "a .pte has its devices; expected a lowered .pt2 (see "
                             "delegraph query FILE @device-crossings)");
        else
            status =
                add_method(answer, dg_rows_int(&rows, 0), dg_rows_slice(&rows, 1), err);
    }
    status = dg_rows_close(&rows, status, err);
    if (!status && !answer->n_methods)
        status = only ? dg_fail(err, DG_ERR_USAGE, "no method \"%.80s\"", only)
                      : dg_fail(err, DG_ERR_USAGE,
                                "has no methods; expected a lowered .pt2");
    return status;
}

static enum dg_status write_answer(struct answer *answer, const char *path,
                                   struct dg_error *err)
{
    bool json = !strcmp(answer->given->format, "json");
    enum dg_status status;

    if (json) {
        dg_print(answer->out, "{\"schema_version\":1,\"path\":");
        dg_write_json(answer->out, dg_text(path));
        dg_print(answer->out, ",\"methods\":[");
    }
    status = add_methods(answer, err);
    if (json)
        dg_print(answer->out, "]}\n");
    return status;
}

static enum dg_status check_options(const struct given *given, struct dg_error *err)
{
    const struct dg_device_options *wanted = &given->options;

    if (!wanted->no_planning || (!wanted->skip_inputs && !wanted->skip_outputs))
        return DG_OK;
    return dg_fail(err, DG_ERR_USAGE,
                   "--%s needs device planning: ExecuTorch refuses it together with "
                   "--no-device-planning",
                   wanted->skip_inputs ? "skip-h2d-inputs" : "skip-d2h-outputs");
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    struct dg_input input = {0}, emitted = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    struct answer answer = {.given = &given, .out = &out};
    const char *path = argv[0];
    enum dg_status status;

    if (dg_options_parse(&given, &dg_command_devices, &argc, argv, &err) ||
        check_options(&given, &err))
        return dg_complain(&err);
    if (given.against) {
        path = given.against;
        status = dg_input_open(&emitted, path, DG_HASH_NONE, &err);
        answer.emitted = emitted.store;
    } else {
        status = DG_OK;
    }
    if (!status) {
        path = argv[1];
        status = dg_input_open(&input, path, DG_HASH_NONE, &err);
    }
    if (!status)
        status = dg_artifact_choose(&input, given.artifact, &err);
    answer.store = input.store;
    if (!status)
        status = write_answer(&answer, path, &err);
    dg_input_close(&input);
    dg_input_close(&emitted);
    if (!status)
        return dg_deliver(given.output, &out, answer.exit_code);
    dg_writer_clear(&out);
    return dg_complain_about(path, &err);
}

const struct dg_command dg_command_devices = {
    .name = "devices",
    .synopsis = "FILE",
    .summary = "where ExecuTorch will put tensors, and what it will copy between them",
    .help =
        "Of a lowered program (.pt2 of exir.save) whose delegates have a compile\n"
        "spec target_device. Predicts what PropagateDevicePass of executorch 1.5.1\n"
        "does. Exit 1: the pass would fail, or --against differs.\n"
        "\n"
        "Examples:\n"
        "  delegraph devices lowered.pt2\n"
        "  delegraph devices lowered.pt2 --skip-h2d-inputs --against model.pte\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 1,
    .files = 1,
};
