/* The rules about constants of plans that are written in C. */
#ifndef DG_VERIFIERS_CONSTANT_PARTS_H
#define DG_VERIFIERS_CONSTANT_PARTS_H

#include "verifiers/planned.h"

/* A tagged constant with a user that has not its tag. Lowering leaves the original to
 * the first user, gives each other one a copy, and lets a placeholder whose users agree
 * take their tag. It puts no copy into lists: users that take the constant in one stay
 * with the original. */
struct dg_share {
    uint32_t constant;
    uint32_t n_users, first_user;
    bool agree;         /* all users have one tag */
    bool first_in_list; /* the first user takes it in a list */
    uint32_t in_list;   /* the first other user that does; DG_UNTAGGED: none */
    bool empty_tag;     /* no call has the tag of the constant */
    uint32_t stuck_at;  /* the user at which lowering fails; DG_UNTAGGED: none */
};

struct dg_shares {
    struct dg_share *items; /* by constant */
    size_t n_items;
    struct dg_arena memory;
};

/* Clear *shares whether or not this succeeds. O(nodes + edges + arguments of the
 * users). */
enum dg_status dg_shares_find(struct dg_shares *shares,
                              const struct dg_partitioned_graph *tagged,
                              struct dg_store *store, struct dg_error *err);
void dg_shares_clear(struct dg_shares *shares);

enum dg_status dg_check_users_share_tag(const struct dg_findings *found,
                                        struct dg_error *err);
enum dg_status dg_check_will_duplicate(const struct dg_findings *found,
                                       struct dg_error *err);
enum dg_status dg_check_list_arg_user(const struct dg_findings *found,
                                      struct dg_error *err);
enum dg_status dg_check_tag_is_min(const struct dg_findings *found,
                                   struct dg_error *err);
enum dg_status dg_check_unused_untagged(const struct dg_findings *found,
                                        struct dg_error *err);
enum dg_status dg_check_prior_delegate_only(const struct dg_findings *found,
                                            struct dg_error *err);
enum dg_status dg_check_mutable_as_constant(const struct dg_findings *found,
                                            struct dg_error *err);
enum dg_status dg_check_mutable_shared(const struct dg_findings *found,
                                       struct dg_error *err);
enum dg_status dg_check_mutation_also_output(const struct dg_findings *found,
                                             struct dg_error *err);

#endif
