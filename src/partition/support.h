/* Which calls a backend takes, and why it refuses the others. */
#ifndef DG_PARTITION_SUPPORT_H
#define DG_PARTITION_SUPPORT_H

#include "base/error.h"
#include "partition/nodes.h"
#include "partition/partition.h"

struct dg_support;

/* Calls of these operators ("a,b,c"); with `except`, calls of all others. Names may be
 * spelt aten::linear, aten.linear.default or torch.ops.aten.linear.default; without an
 * overload `.default` is meant. On success the caller frees *out. */
enum dg_status dg_support_from_list(struct dg_support **out, const char *names,
                                    bool except, struct dg_error *err);

/* Rules from a file of the format of doc/support.md; `path` is also used in messages.
 */
enum dg_status dg_support_from_file(struct dg_support **out, const char *path,
                                    struct dg_error *err);

/* The backends that lists are shipped for, in turn; NULL behind the last. */
const char *dg_support_backend(size_t i);

/* Backends as delegates name them, and the list that is shipped for each; ends with
 * NULLs. The first backend of a list is whom it is made for. */
extern const struct dg_listed_backend {
    const char *backend, *list; /* "XnnpackBackend", "xnnpack" */
} dg_listed_backends[];

/* The list for a backend in any case, or as its device is called ("cuda"); NULL: none.
 */
const char *dg_support_of_delegate(const char *name);

/* Whom a list that is shipped is made for; NULL: there is no such list. */
const char *dg_backend_of_support(const char *list);

/* What messages call a list. */
struct dg_text dg_support_name(const struct dg_support *support);

/* A list that is shipped: xnnpack, vulkan, aoti. */
enum dg_status dg_support_from_backend(struct dg_support **out, const char *name,
                                       struct dg_error *err);
void dg_support_free(struct dg_support *support);

/* Told for each call that is refused, once per reason; `text` lives until it returns.
 */
typedef enum dg_status dg_refused_fn(void *context, uint32_t node, const char *reason,
                                     struct dg_text text, struct dg_error *err);

/* Set or clear DG_MARK_SUPPORTED of every call of `nodes`. Marks of other nodes stay.
 * `support` NULL: every call is supported. `told` may be NULL. What backends take they
 * are asked before a program is saved: dg_nodes_skip_unused() goes first. `groups`, if
 * not NULL, becomes what the list keeps together, in the memory of `nodes`. */
enum dg_status dg_support_apply(const struct dg_support *support,
                                struct dg_nodes *nodes, struct dg_store *store,
                                dg_refused_fn *told, void *context,
                                struct dg_groups *groups, struct dg_error *err);

/* Whether the list says which nodes go to one delegate. */
bool dg_support_has_groups(const struct dg_support *support);

/* A user's name of an operator as the store spells it ("aten::linear.default",
 * "_operator.getitem"), in `memory`. */
struct dg_text dg_op_spelling(struct dg_arena *memory, struct dg_text name);

#endif
