/* --plan FILE and --force: a plan from a file takes the place of the program's own. */
#include "cli/plan_option.h"

#include <string.h>

#include "cli/answer.h"
#include "partition/plan_file.h"

static enum dg_status judge(const struct dg_plan_option *option,
                            enum dg_plan_doubt doubt, const struct dg_input *input,
                            int64_t last_remark, struct dg_error *err)
{
    struct dg_error line = {0};
    struct dg_rows rows =
        dg_rows_of(input->store,
                   "SELECT text, count(*) OVER () - 1 FROM remark"
                   " WHERE id > ?1 AND rule GLOB 'partition/*' ORDER BY id LIMIT 1",
                   last_remark, err);
    enum dg_status status = DG_OK;

    if (dg_rows_next(&rows)) {
        long long others = dg_rows_int(&rows, 1);

        if (doubt == DG_PLAN_FAILS)
            status = dg_fail(err, DG_ERR_FORMAT, "%s: %s", option->path,
                             dg_rows_text(&rows, 0));
        else
            dg_fail(&line, DG_OK,
                    others ? "warning: %s: %s; and %lld more, see"
                             " delegraph check"
                           : "warning: %s: %s",
                    option->path, dg_rows_text(&rows, 0), others);
    }
    if (*line.text)
        dg_complain_about(input->path, &line);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status read_plan(const struct dg_plan_option *option,
                                enum dg_plan_doubt doubt, const struct dg_input *input,
                                struct dg_error *err)
{
    struct dg_plan_source source = {option->path, input->file, input->mapped,
                                    option->force};
    int64_t artifact, last_remark;
    enum dg_status status =
        dg_store_int(input->store, "SELECT min(id) FROM artifact", 0, &artifact, err);

    if (!status)
        status = dg_store_int(input->store, "SELECT max(id) FROM remark", 0,
                              &last_remark, err);
    if (dg_store_recognises(input->file))
        source.program = (struct dg_bytes){0};
    if (!status)
        status = dg_plan_file_read(&source, input->store, artifact, err);
    return status || doubt == DG_PLAN_CHECKED
               ? status
               : judge(option, doubt, input, last_remark, err);
}

enum dg_status dg_plan_option_apply(const struct dg_plan_option *option,
                                    enum dg_plan_doubt doubt,
                                    const struct dg_input *input, struct dg_error *err)
{
    int64_t count;
    enum dg_status status;

    if (!option->path)
        return option->force
                   ? dg_fail(err, DG_ERR_USAGE, "--force is about the plan of --plan")
                   : DG_OK;
    if (!strcmp(option->path, "-") && !strcmp(input->path, "-"))
        return dg_fail(err, DG_ERR_USAGE,
                       "the program and its plan cannot both be standard input");
    status = dg_store_int(input->store,
                          "SELECT count(*) FROM artifact WHERE companion_of IS NULL", 0,
                          &count, err);
    if (status)
        return status;
    if (count != 1)
        return dg_fail(err, DG_ERR_USAGE, "%s holds %lld programs; --plan is for one",
                       input->path, (long long)count);
    return read_plan(option, doubt, input, err);
}
