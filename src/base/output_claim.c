/* Which files a command will write, so that it writes none twice and none that it
 * reads.
 */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/output.h"

/* A file that is there is known by its inode; one that is not, by its folder's and its
 * name. */
static struct claim {
    dev_t device;
    ino_t inode;
    char name[256]; /* "": the file is there */
} * claims;
static size_t n_claims;

static bool same(const struct claim *a, const struct claim *b)
{
    return a->device == b->device && a->inode == b->inode && !strcmp(a->name, b->name);
}

static bool is_claimed(const struct claim *wanted)
{
    for (size_t i = 0; i < n_claims; i++) {
        if (same(&claims[i], wanted))
            return true;
    }
    return false;
}

/* Whether it has a claim: what is no file of its own, a pipe or device, has none, nor
 * what cannot be written anyway. */
static bool identify(struct claim *claim, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct stat state;
    char *copy;
    bool found;

    *claim = (struct claim){0};
    if (!stat(path, &state)) {
        claim->device = state.st_dev;
        claim->inode = state.st_ino;
        return S_ISREG(state.st_mode);
    }
    if (strlen(name) >= sizeof(claim->name))
        return false;
    copy = strdup(path);
    if (!copy)
        dg_out_of_memory();
    found = !stat(dirname(copy), &state);
    free(copy);
    claim->device = state.st_dev;
    claim->inode = state.st_ino;
    strcpy(claim->name, name);
    return found;
}

void dg_output_claim_none(void)
{
    free(claims);
    claims = NULL;
    n_claims = 0;
}

enum dg_status dg_output_claim(const char *path, bool forward, struct dg_error *err)
{
    enum dg_status status = dg_output_check(path, forward, err);
    struct claim claim;

    if (status || !identify(&claim, path))
        return status;
    if (is_claimed(&claim))
        return dg_fail(err, DG_ERR_USAGE,
                       "%s: two outputs would go there; expected a file for each",
                       path);
    *DG_APPEND(claims, n_claims) = claim;
    return DG_OK;
}

enum dg_status dg_output_spare(const char *path, const struct stat *state,
                               struct dg_error *err)
{
    struct claim claim = {.device = state->st_dev, .inode = state->st_ino};

    return is_claimed(&claim)
               ? dg_fail(err, DG_ERR_USAGE,
                         "%s: both an input and the output, which would replace it; "
                         "expected another name for the output",
                         path)
               : DG_OK;
}
