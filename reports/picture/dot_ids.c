/* Ids of Graphviz objects in the order they are made. */
#include "reports/picture/dot_ids.h"

#include "base/arena.h"

#include <stdlib.h>

/* Graphviz asks of its strings whether they are HTML, and so reads in front of them:
 * names must be strings of the graph, which frees them. */
struct names {
    Agraph_t *graph;
    char **items; /* by id - 1; NULL: without a name */
    size_t n_items;
};

static void *open_ids(Agraph_t *graph, Agdisc_t *disc)
{
    struct names *names = dg_zeroed(1, sizeof(*names));

    names->graph = graph;
    return names;
}

static long map_id(void *state, int type, char *name, IDTYPE *id, int create)
{
    struct names *names = state;

    if (!create)
        return 0;
    *DG_APPEND(names->items, names->n_items) =
        name ? agstrdup(names->graph, name) : NULL;
    *id = names->n_items;
    return 1;
}

static long alloc_id(void *state, int type, IDTYPE id)
{
    return 0;
}

static void free_id(void *state, int type, IDTYPE id)
{
}

static char *print_id(void *state, int type, IDTYPE id)
{
    const struct names *names = state;

    return id && id <= names->n_items ? names->items[id - 1] : NULL;
}

static void close_ids(void *state)
{
    struct names *names = state;

    free(names->items);
    free(names);
}

static void register_id(void *state, int type, void *object)
{
}

Agiddisc_t dg_dot_ids = {open_ids, map_id,    alloc_id,   free_id,
                         print_id, close_ids, register_id};
