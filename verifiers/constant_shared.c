/* Constants that several parts of a plan read. */
#include <string.h>

#include "base/text.h"
#include "verifiers/constant_parts.h"

typedef enum dg_status look_fn(const struct dg_findings *found,
                               const struct dg_partitioned_graph *tagged,
                               const struct dg_share *share, struct dg_error *err);

static enum dg_status each_share(const struct dg_findings *found,
                                 const struct dg_partitioned_graph *tagged,
                                 look_fn *look, struct dg_error *err)
{
    struct dg_shares shares;
    enum dg_status status = dg_shares_find(&shares, tagged, found->store, err);

    for (size_t i = 0; i < shares.n_items && !status; i++)
        status = look(found, tagged, &shares.items[i], err);
    dg_shares_clear(&shares);
    return status;
}

static enum dg_status find_stuck(const struct dg_findings *found,
                                 const struct dg_partitioned_graph *tagged,
                                 const struct dg_share *share, struct dg_error *err)
{
    const struct dg_text *names = tagged->nodes.names;
    uint32_t tag = tagged->tag_of[share->constant];
    uint32_t witness[] = {share->constant, share->stuck_at};
    bool returned = tagged->nodes.marks[share->in_list] & DG_MARK_OUTPUT;

    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){.severity = "error",
                             .node = share->constant,
                             .witness = witness,
                             .n_witness = 2},
        err,
        "lowering fails: constant data node (%.*s) is tagged with (%.*s) but has user"
        " (%.*s) which has tag (%.*s); %s%.*s keeps the original, as lowering puts no"
        " copy into %s",
        DG_SHOWN(names[share->constant]), DG_SHOWN(tagged->tags[tag].name),
        DG_SHOWN(names[share->stuck_at]),
        DG_SHOWN(tagged->tag_of[share->stuck_at] == DG_UNTAGGED
                     ? dg_text("None")
                     : dg_tag_in_words(tagged, share->stuck_at)),
        returned ? "the " : "", DG_SHOWN(names[share->in_list]),
        returned ? "the list of outputs" : "its list");
}

static enum dg_status find_stray_copy(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      const struct dg_share *share,
                                      struct dg_error *err)
{
    const struct dg_text *names = tagged->nodes.names;
    uint32_t witness[] = {share->constant, share->in_list};

    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){.severity = "error",
                             .node = share->constant,
                             .witness = witness,
                             .n_witness = 2},
        err,
        "lowering fails: %.*s takes %.*s in its list, so that the copy made for it is"
        " all that is left with tag %.*s: 'Cannot determine insertion point'",
        DG_SHOWN(names[share->in_list]), DG_SHOWN(names[share->constant]),
        DG_SHOWN(dg_tag_in_words(tagged, share->constant)));
}

static enum dg_status look_for_mismatch(const struct dg_findings *found,
                                        const struct dg_partitioned_graph *tagged,
                                        const struct dg_share *share,
                                        struct dg_error *err)
{
    uint32_t tag = tagged->tag_of[share->constant];
    uint32_t witness[] = {share->constant, share->first_user};

    if (share->stuck_at != DG_UNTAGGED)
        return find_stuck(found, tagged, share, err);
    if (share->empty_tag && share->in_list != DG_UNTAGGED)
        return find_stray_copy(found, tagged, share, err);
    if (!share->agree || tagged->nodes.marks[share->first_user] & DG_MARK_DELEGATE)
        return DG_OK;
    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){
            .node = share->constant, .witness = witness, .n_witness = 2},
        err, "%.*s is tagged %.*s, but all that read it (%.*s first) have %s%.*s",
        DG_SHOWN(tagged->nodes.names[share->constant]),
        DG_SHOWN(tagged->tags[tag].name),
        DG_SHOWN(tagged->nodes.names[share->first_user]),
        tagged->tag_of[share->first_user] == DG_UNTAGGED ? "" : "tag ",
        DG_SHOWN(dg_tag_in_words(tagged, share->first_user)));
}

static enum dg_status look_at_tags(const struct dg_findings *found,
                                   const struct dg_partitioned_graph *tagged,
                                   struct dg_error *err)
{
    return each_share(found, tagged, look_for_mismatch, err);
}

enum dg_status dg_check_users_share_tag(const struct dg_findings *found,
                                        struct dg_error *err)
{
    return dg_each_planned(found, look_at_tags, err);
}

enum { NAMED_COPIES = 3 };

/* "mul_1 (tag1), cat (no tag), ..." of users after the first. */
static void write_copies(struct dg_writer *out,
                         const struct dg_partitioned_graph *tagged,
                         const struct dg_share *share)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    uint32_t n = 0, before = share->first_user;

    for (uint32_t i = graph->user_of[share->constant];
         i < graph->user_of[share->constant + 1] && n <= NAMED_COPIES; i++) {
        uint32_t user = graph->users[i];

        if (user == before)
            continue;
        before = user;
        if (++n <= NAMED_COPIES)
            dg_print(out, "%s%.*s (%.*s)", n > 1 ? ", " : "",
                     DG_SHOWN(tagged->nodes.names[user]),
                     DG_SHOWN(dg_tag_in_words(tagged, user)));
    }
    if (n > NAMED_COPIES)
        dg_print(out, ", ...");
}

static void write_bytes(struct dg_writer *out, int64_t nbytes, uint32_t times)
{
    if (nbytes >= 0 && nbytes <= INT64_MAX / times)
        dg_print(out, ", %lld bytes more", (long long)(nbytes * times));
}

static enum dg_status look_for_copies(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      const struct dg_share *share,
                                      struct dg_error *err)
{
    struct dg_writer copies = {0}, bytes = {0};
    uint32_t n = share->n_users - 1, witness[] = {share->constant, share->first_user};
    enum dg_status status;

    if (!n || share->stuck_at != DG_UNTAGGED)
        return DG_OK;
    write_copies(&copies, tagged, share);
    write_bytes(&bytes, tagged->nodes.nbytes[share->constant], n);
    status = dg_find_planned(
        found, tagged,
        &(struct dg_offence){
            .node = share->constant, .witness = witness, .n_witness = 2},
        err, "lowering makes %u cop%s of %.*s%s: for %s", n, n == 1 ? "y" : "ies",
        DG_SHOWN(tagged->nodes.names[share->constant]), bytes.data ? bytes.data : "",
        copies.data);
    dg_writer_clear(&copies);
    dg_writer_clear(&bytes);
    return status;
}

static enum dg_status look_at_copies(const struct dg_findings *found,
                                     const struct dg_partitioned_graph *tagged,
                                     struct dg_error *err)
{
    return each_share(found, tagged, look_for_copies, err);
}

enum dg_status dg_check_will_duplicate(const struct dg_findings *found,
                                       struct dg_error *err)
{
    return dg_each_planned(found, look_at_copies, err);
}

/* Where it is fatal, constant/users-share-tag says so. */
static enum dg_status look_for_list(const struct dg_findings *found,
                                    const struct dg_partitioned_graph *tagged,
                                    const struct dg_share *share, struct dg_error *err)
{
    bool first = share->in_list == DG_UNTAGGED;
    uint32_t user = first ? share->first_user : share->in_list;
    uint32_t witness[] = {share->constant, user};

    if (share->stuck_at != DG_UNTAGGED || share->n_users < 2 ||
        (first && !share->first_in_list))
        return DG_OK;
    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){
            .node = share->constant, .witness = witness, .n_witness = 2},
        err,
        "%.*s takes %.*s in a list, where lowering puts no copy: it works because %s",
        DG_SHOWN(tagged->nodes.names[user]),
        DG_SHOWN(tagged->nodes.names[share->constant]),
        first ? "the first user keeps the original"
              : "it has the tag of the first user, which keeps the original");
}

static enum dg_status look_at_lists(const struct dg_findings *found,
                                    const struct dg_partitioned_graph *tagged,
                                    struct dg_error *err)
{
    return each_share(found, tagged, look_for_list, err);
}

enum dg_status dg_check_list_arg_user(const struct dg_findings *found,
                                      struct dg_error *err)
{
    return dg_each_planned(found, look_at_lists, err);
}
