/* Names of copies that lowering makes of constants, and nodes that have them already.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "verifiers/constant_parts.h"
#include "verifiers/naming_parts.h"

static int compare(struct dg_text a, struct dg_text b)
{
    size_t shorter = a.size < b.size ? a.size : b.size;
    int order = shorter ? memcmp(a.data, b.data, shorter) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* A constant that is copied for its users after the first. */
struct copied {
    struct dg_text name;
    const struct dg_share *share;
};

static int compare_copied(const void *left, const void *right)
{
    return compare(((const struct copied *)left)->name,
                   ((const struct copied *)right)->name);
}

/* Whether `name` is "<base>_copy_<number>", as lowering spells it. */
static bool is_copy(struct dg_text name, struct dg_text *base, uint64_t *number)
{
    static const char infix[] = "_copy_";
    size_t digits = 0, rest;

    while (digits < name.size && digits < 10 &&
           name.data[name.size - digits - 1] >= '0' &&
           name.data[name.size - digits - 1] <= '9')
        digits++;
    rest = name.size - digits;
    if (!digits || rest <= strlen(infix) ||
        memcmp(name.data + rest - strlen(infix), infix, strlen(infix)) ||
        (digits > 1 && name.data[rest] == '0'))
        return false;
    *base = (struct dg_text){name.data, rest - strlen(infix)};
    *number = 0;
    for (; rest < name.size; rest++)
        *number = *number * 10 + (uint64_t)(name.data[rest] - '0');
    return true;
}

static enum dg_status look_at_node(const struct dg_findings *found,
                                   const struct dg_partitioned_graph *tagged,
                                   uint32_t node, const struct copied *copied,
                                   size_t n_copied, struct dg_error *err)
{
    struct copied wanted = {0};
    const struct copied *constant;
    uint64_t number;

    if (!is_copy(tagged->nodes.names[node], &wanted.name, &number))
        return DG_OK;
    constant = dg_search(&wanted, copied, n_copied, sizeof(*copied), compare_copied);
    if (!constant || number + 1 >= constant->share->n_users)
        return DG_OK;
    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){.node = node,
                             .witness = (uint32_t[]){constant->share->constant, node},
                             .n_witness = 2},
        err, "%.*s is copied %u time%s, and %.*s is there already",
        DG_SHOWN(constant->name), constant->share->n_users - 1,
        constant->share->n_users == 2 ? "" : "s", DG_SHOWN(tagged->nodes.names[node]));
}

static size_t list_copied(struct copied *copied, const struct dg_shares *shares,
                          const struct dg_partitioned_graph *tagged)
{
    size_t n = 0;

    for (size_t i = 0; i < shares->n_items; i++) {
        if (shares->items[i].n_users > 1)
            copied[n++] = (struct copied){
                tagged->nodes.names[shares->items[i].constant], &shares->items[i]};
    }
    dg_sort(copied, n, sizeof(*copied), compare_copied);
    return n;
}

static enum dg_status look_at_graph(const struct dg_findings *found,
                                    const struct dg_partitioned_graph *tagged,
                                    struct dg_error *err)
{
    struct dg_shares shares;
    enum dg_status status = dg_shares_find(&shares, tagged, found->store, err);
    struct copied *copied = dg_alloc(&shares.memory, shares.n_items, sizeof(*copied));
    size_t n = status ? 0 : list_copied(copied, &shares, tagged);

    for (uint32_t i = 0; n && i < tagged->nodes.graph.n_nodes && !status; i++)
        status = look_at_node(found, tagged, i, copied, n, err);
    dg_shares_clear(&shares);
    return status;
}

enum dg_status dg_check_placeholder_collision(const struct dg_findings *found,
                                              struct dg_error *err)
{
    return dg_each_planned(found, look_at_graph, err);
}
