/* Two programs side by side. */
#include "cli/compare.h"

#include <string.h>

/* What a store holds; "" for nothing. */
static enum dg_status read_kind(char *kind, size_t room, const struct dg_input *input,
                                struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        input->store, "SELECT kind FROM artifact WHERE companion_of IS NULL", err);
    size_t n = 0;
    enum dg_status status;

    kind[0] = 0;
    for (; dg_rows_next(&rows); n++) {
        strncpy(kind, dg_rows_text(&rows, 0), room - 1);
        kind[room - 1] = 0;
    }
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status && n != 1)
        status = dg_fail(err, DG_ERR_USAGE,
                         "%.200s: the store holds %zu programs; diff compares two, "
                         "each in a file or store of its own",
                         input->path, n);
    return status;
}

static enum dg_status check_kinds(const struct dg_input *const inputs[2],
                                  struct dg_error *err)
{
    char kinds[2][16];

    for (int s = 0; s < 2; s++) {
        enum dg_status status = read_kind(kinds[s], sizeof(kinds[s]), inputs[s], err);

        if (status)
            return status;
    }
    if (!strcmp(kinds[0], kinds[1]))
        return DG_OK;
    return dg_fail(err, DG_ERR_USAGE,
                   "a .%s and a .%s have other nodes and names; whether a .pte "
                   "was made from a .pt2 says delegraph check FILE.pte --program "
                   "FILE.pt2",
                   kinds[0], kinds[1]);
}

enum dg_status dg_compare(struct dg_diff *diff, const struct dg_input *old,
                          const struct dg_input *new, struct dg_error *err)
{
    const struct dg_input *const inputs[2] = {old, new};
    struct dg_diff_program programs[2];
    enum dg_status status = check_kinds(inputs, err);

    for (int s = 0; s < 2; s++) {
        programs[s] = (struct dg_diff_program){inputs[s]->store, inputs[s]->file,
                                               inputs[s]->path};
        if (dg_store_recognises(inputs[s]->file))
            programs[s].file = (struct dg_bytes){0};
    }
    return status ? status : dg_diff_make(diff, programs, err);
}

static enum dg_status keep(struct dg_input *old, struct dg_input *new, bool findings,
                           struct dg_error *err)
{
    struct dg_diff diff = {.ignored = findings ? 0 : DG_DIFF_FINDINGS};
    enum dg_status status = dg_compare(&diff, old, new, err);

    if (!status)
        status = dg_diff_keep(&diff, new->store, old->path, err);
    dg_diff_clear(&diff);
    return status;
}

enum dg_status dg_compare_against(struct dg_input *new, const char *path,
                                  const struct dg_selection *selection,
                                  struct dg_error *err)
{
    struct dg_input old = {0};
    struct dg_error why = {0};
    enum dg_status status = dg_input_open(&old, path, DG_HASH_QUICK, &why);

    if (!status && selection)
        status = dg_verify(old.store, selection, NULL, NULL, &why);
    if (status)
        dg_fail(err, status, "--against: %.400s", why.text);
    else
        status = keep(&old, new, selection != NULL, err);
    dg_input_close(&old);
    return status;
}
