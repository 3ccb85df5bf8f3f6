/* --against OLD, a folder, held to all programs together. */
#include "cli/against_folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_set.h"
#include "cli/against.h"
#include "cli/file_words.h"
#include "cli/limits.h"

struct judge {
    const struct dg_gate *gate;
    struct dg_text_set olds; /* that something was compared with... */
    const char **with;       /* ...and what that was */
    size_t n_with;
    struct dg_arena memory;
};

static void find_fault(struct dg_check_file *file, const char *old, const char *other)
{
    struct dg_writer message = {0};

    dg_print(&message, "compared with ");
    dg_write_plain(&message, dg_text(old));
    dg_print(&message, ", as ");
    dg_write_plain(&message, dg_text(other));
    dg_outcome_add_fault(&file->outcomes[0], "budget/same-old", dg_text(""),
                         dg_keep(&file->memory, &message), &file->memory);
    dg_outcome_count(&file->outcomes[0]);
}

/* Of two programs with one older one, it is not known which was which. */
static void compare(struct judge *judge, struct dg_check_file *file, const char *old)
{
    uint32_t n = judge->olds.n_texts;
    uint32_t number =
        dg_text_set_add(&judge->olds, dg_file_identity(old, &judge->memory));

    if (number == n)
        *DG_APPEND(judge->with, judge->n_with) = file->paths[0];
    else if (!dg_text_equal(dg_file_identity(judge->with[number], &judge->memory),
                            dg_file_identity(file->paths[0], &judge->memory)))
        find_fault(file, old, judge->with[number]);
}

static enum dg_status judge_file(struct judge *judge, struct dg_check_file *file,
                                 struct dg_error *err)
{
    struct dg_gate gate = *judge->gate;
    const char *old;
    enum dg_status status;

    if (!file->n_outcomes || file->outcomes[0].trouble)
        return DG_OK;
    status = dg_gate_fit(&gate, file->outcomes[0].path, &judge->memory, err);
    if (status || !dg_limits_growing(&gate.target.limits) ||
        !dg_against_is_folder(&gate.target) ||
        !dg_selects(&gate.selection, "budget/same-old"))
        return status;
    old = dg_against_old(&gate.target, gate.program, &judge->memory);
    if (old)
        compare(judge, file, old);
    return DG_OK;
}

enum dg_status dg_against_folder_judge(const struct dg_gate *gate,
                                       struct dg_check_file *files, size_t n_files,
                                       struct dg_error *err)
{
    struct judge judge = {.gate = gate};
    enum dg_status status = DG_OK;

    if (!dg_against_grows(gate))
        return DG_OK;
    for (size_t i = 0; i < n_files && !status; i++)
        status = judge_file(&judge, &files[i], err);
    dg_text_set_clear(&judge.olds);
    free(judge.with);
    dg_arena_clear(&judge.memory);
    return status;
}
