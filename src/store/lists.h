/* Lists of values that calls name: whether looking at each item of each is linear. */
#ifndef DG_STORE_LISTS_H
#define DG_STORE_LISTS_H

#include <stdbool.h>

#include "store/store.h"

/* In SQL: whether all items of all lists, each counted as often as calls name its list,
 * are not much more than what the store holds. Programs that something exported have
 * short lists; where this is false, lists are opaque to whoever goes from call to call.
 */
#define DG_SQL_LISTS_BOUNDED                                                           \
    "iif(EXISTS (SELECT 1 FROM operand), iif(EXISTS"                                   \
    "  (SELECT 1 FROM value WHERE items IS NOT NULL), (WITH list AS MATERIALIZED"      \
    "  (SELECT id, length(items) AS size FROM value WHERE items IS NOT NULL)"          \
    " SELECT total(size) <= 4194304 + 8 * (SELECT total(size) FROM list)"              \
    "   + 64 * (SELECT count(*) FROM operand)"                                         \
    "  FROM list CROSS JOIN operand ON operand.value_id = list.id), 1), 1)"

/* The store keeps the answer. */
enum dg_status dg_store_lists_bounded(bool *few, struct dg_store *store,
                                      struct dg_error *err);

#endif
