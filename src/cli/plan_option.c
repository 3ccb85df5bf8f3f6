/* --plan FILE and --force: a plan from a file takes the place of the program's own. */
#include "cli/plan_option.h"

#include <string.h>

#include "partition/plan_file.h"

enum dg_status dg_plan_option_apply(const struct dg_plan_option *option,
                                    const struct dg_input *input, struct dg_error *err)
{
    struct dg_plan_source source = {option->path, input->file, input->mapped,
                                    option->force};
    int64_t count, artifact;
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
    if (!status)
        status = dg_store_int(input->store, "SELECT min(id) FROM artifact", 0,
                              &artifact, err);
    if (status)
        return status;
    if (count != 1)
        return dg_fail(err, DG_ERR_USAGE, "%s holds %lld programs; --plan is for one",
                       input->path, (long long)count);
    if (dg_store_recognises(input->file))
        source.program = (struct dg_bytes){0};
    return dg_plan_file_read(&source, input->store, artifact, err);
}
