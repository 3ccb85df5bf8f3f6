/* What holds for each program, and which line of the policy says so. */
#include "cli/explain_config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/artifact_option.h"
#include "formats/input.h"
#include "gate/policy_apply.h"

struct explain {
    const struct dg_gate *gate;
    struct dg_writer out;
    struct dg_arena memory;
};

static void explain(struct explain *explain, const char *store, const char *program)
{
    const struct dg_policy_option *option = &explain->gate->policy;
    const struct dg_policy *policy = &option->policy;

    dg_print(&explain->out, "--- # ");
    dg_write_plain(&explain->out, dg_text(store ? store : program));
    if (store) {
        dg_print(&explain->out, ": ");
        dg_write_plain(&explain->out, dg_text(program));
    }
    dg_print(&explain->out, "\n");
    dg_policy_explain(&explain->out, policy,
                      policy->path ? dg_policy_name(policy, program, &explain->memory)
                                   : program,
                      &option->given);
}

/* They go by the names that they had. */
static enum dg_status explain_stored(struct explain *all, const char *path,
                                     struct dg_error *err)
{
    struct dg_input input = {.path = path};
    struct dg_rows rows;
    enum dg_status status = dg_store_open(&input.store, path, err);

    if (!status)
        status = dg_artifact_choose(&input, all->gate->artifact, err);
    if (!status) {
        rows = dg_rows_all(
            input.store,
            "SELECT path FROM artifact WHERE companion_of IS NULL ORDER BY id", err);
        while (dg_rows_next(&rows))
            explain(all, path, dg_rows_keep(&all->memory, &rows, 0).data);
        status = dg_rows_close(&rows, DG_OK, err);
    }
    dg_store_close(input.store);
    return status;
}

static const char *folder_of(const char *path, struct dg_arena *memory)
{
    const char *slash = strrchr(path, '/');

    return slash ? dg_copy(memory, (struct dg_text){path, (size_t)(slash - path) + 1})
                 : "./";
}

/* Paths are printed as seen from here; globs stay as they were written, since no other
 * glob means the same programs from elsewhere. */
static void say_where(struct explain *all)
{
    const struct dg_policy *policy = &all->gate->policy.policy;
    char *here = policy->path ? realpath(".", NULL) : NULL;

    if (here && strcmp(here, policy->folder) != 0) {
        dg_print(&all->out, "# paths are seen from here, globs from ");
        dg_write_plain(&all->out, dg_text(folder_of(policy->path, &all->memory)));
        dg_print(&all->out, ": to save it, print it there\n");
    }
    free(here);
}

int dg_explain_config(const struct dg_gate *gate, const struct dg_file_words *words,
                      const char *output)
{
    const struct dg_policy *policy = &gate->policy.policy;
    struct explain all = {.gate = gate};
    struct dg_error err = {0};
    const char *path = NULL;
    enum dg_status status = DG_OK;

    dg_print(&all.out, "# ");
    dg_write_plain(&all.out,
                   dg_text(policy->path ? policy->path : "no delegraph.yaml"));
    dg_print(&all.out, "\n");
    if (!words->n_paths) {
        say_where(&all);
        dg_policy_explain(&all.out, policy, NULL, &gate->policy.given);
    }
    for (size_t i = 0; i < words->n_paths && !status; i++) {
        path = words->paths[i];
        if (dg_artifact_in_store(path))
            status = explain_stored(&all, path, &err);
        else
            explain(&all, NULL, path);
    }
    dg_arena_clear(&all.memory);
    if (!status)
        return dg_deliver(output, &all.out, DG_EXIT_FINE);
    dg_writer_clear(&all.out);
    return dg_complain_about(path, &err);
}
