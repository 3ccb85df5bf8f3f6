/* Where check writes what it found: any number of files, in a format each. */
#include "cli/check_outputs.h"

#include <stdio.h>
#include <string.h>

static bool is_stdout(const struct dg_check_output *output)
{
    return !output->path || !strcmp(output->path, "-");
}

static enum dg_status refuse_format(const char *wrong, size_t size,
                                    struct dg_error *err)
{
    const char *names[16], *near;
    struct dg_writer all = {0};
    char word[40];
    size_t n = 0;

    for (; dg_gate_formats[n]; n++) {
        names[n] = dg_gate_formats[n]->name;
        dg_print(&all, "%s%s", n ? ", " : "", names[n]);
    }
    snprintf(word, sizeof(word), "%.*s", (int)(size < 32 ? size : 32), wrong);
    near = dg_nearest(word, names, n);
    dg_fail(err, DG_ERR_USAGE,
            "--report: no format \"%s\"%s%s; expected FORMAT=FILE with "
            "one of %s",
            word, near ? "; did you mean " : "", near ? near : "", all.data);
    dg_writer_clear(&all);
    return err->status;
}

static enum dg_status add(struct dg_check_outputs *outputs, const char *report,
                          struct dg_error *err)
{
    size_t name = strcspn(report, "=");
    const struct dg_gate_format *format =
        dg_gate_format_find((struct dg_text){report, name});

    if (!format)
        return refuse_format(report, name, err);
    if (!report[name] || !report[name + 1])
        return dg_fail(err, DG_ERR_USAGE,
                       "--report %.80s: expected FORMAT=FILE, for "
                       "instance %s=findings.%s",
                       report, format->name, format->name);
    outputs->items[outputs->n_items++] =
        (struct dg_check_output){format, report + name + 1, true};
    return DG_OK;
}

static enum dg_status check_stdout(const struct dg_check_outputs *outputs,
                                   struct dg_error *err)
{
    const struct dg_gate_format *first = NULL;

    for (size_t i = 0; i < outputs->n_items; i++) {
        if (!is_stdout(&outputs->items[i]))
            continue;
        if (first)
            return dg_fail(err, DG_ERR_USAGE,
                           "check: both %s and %s go to standard output; give one of "
                           "them a file",
                           first->name, outputs->items[i].format->name);
        first = outputs->items[i].format;
    }
    return DG_OK;
}

enum dg_status dg_check_outputs_read(struct dg_check_outputs *outputs,
                                     const struct dg_list *reports, const char *format,
                                     const char *output, struct dg_error *err)
{
    enum dg_status status = DG_OK;
    bool to_stdout = false;

    for (size_t i = 0; i < reports->n_items && !status; i++)
        status = add(outputs, reports->items[i], err);
    for (size_t i = 0; i < outputs->n_items; i++)
        to_stdout = to_stdout || is_stdout(&outputs->items[i]);
    if (!status && (format || output || !to_stdout))
        outputs->items[outputs->n_items++] = (struct dg_check_output){
            dg_gate_format_find(dg_text(format ? format : "text")), output, false};
    return status ? status : check_stdout(outputs, err);
}

bool dg_check_outputs_lines(const struct dg_check_outputs *outputs)
{
    bool lines = false;

    for (size_t i = 0; i < outputs->n_items; i++)
        lines = lines || outputs->items[i].format->lines;
    return lines;
}

bool dg_check_outputs_has(const struct dg_check_outputs *outputs, const char *format)
{
    bool has = false;

    for (size_t i = 0; i < outputs->n_items; i++)
        has = has || !strcmp(outputs->items[i].format->name, format);
    return has;
}

static bool is_worth_writing(const struct dg_check_output *output,
                             const struct dg_gate_report *report)
{
    for (size_t i = 0; i < report->n_outcomes; i++) {
        if (!report->outcomes[i].trouble)
            return true;
    }
    return output->asked || output->format->always;
}

int dg_check_outputs_write(const struct dg_check_outputs *outputs,
                           struct dg_gate_report *report, int exit_code)
{
    for (size_t i = 0; i < outputs->n_items; i++) {
        const struct dg_check_output *output = &outputs->items[i];
        struct dg_writer out = {0};

        if (!is_worth_writing(output, report))
            continue;
        report->color = dg_wants_color(output->path);
        output->format->write(&out, report);
        exit_code = dg_deliver(output->path, &out, exit_code);
    }
    return exit_code;
}
