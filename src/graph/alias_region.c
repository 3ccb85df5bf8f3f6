/* Parts of one memory that surely do not touch: other rows, other columns. */
#include "graph/alias_parts.h"

/* As many steps over an array cost what asking the store does. */
enum { MAX_RANK = 16, PER_LOOKUP = 64 };

/* First and last element, if they were all in a row. */
static void ends_of(const struct dg_region *region, int64_t least, int64_t *first,
                    int64_t *last)
{
    *first = *last = region->offset;
    for (size_t i = 0; i < region->rank; i++) {
        if (region->strides[i] < least)
            *last += (region->sizes[i] - 1) * region->strides[i];
    }
}

/* Whether all strides from `stride` on are multiples of it, and the elements between
 * two of its steps are at [*first, *last] of each. */
static bool falls_into_steps(const struct dg_region *region, int64_t stride,
                             int64_t *first, int64_t *last)
{
    for (size_t i = 0; i < region->rank; i++) {
        if (region->strides[i] >= stride && region->strides[i] % stride)
            return false;
    }
    ends_of(region, stride, first, last);
    *last -= *first - *first % stride;
    *first %= stride;
    return *last < stride;
}

static bool apart_by_steps(const struct dg_region *a, const struct dg_region *b,
                           int64_t stride)
{
    int64_t first[2], last[2];

    return stride > 1 && falls_into_steps(a, stride, &first[0], &last[0]) &&
           falls_into_steps(b, stride, &first[1], &last[1]) &&
           (last[0] < first[1] || last[1] < first[0]);
}

/* Whether they have surely no element in common. */
static bool are_apart(const struct dg_region *a, const struct dg_region *b)
{
    int64_t first[2], last[2];
    bool apart;

    if (!a->known || !b->known)
        return false;
    ends_of(a, INT64_MAX, &first[0], &last[0]);
    ends_of(b, INT64_MAX, &first[1], &last[1]);
    apart = last[0] < first[1] || last[1] < first[0];
    for (size_t i = 0; i < a->rank && !apart; i++)
        apart = apart_by_steps(a, b, a->strides[i]);
    for (size_t i = 0; i < b->rank && !apart; i++)
        apart = apart_by_steps(a, b, b->strides[i]);
    return apart;
}

/* The numbers of a JSON list; MAX_RANK + 1: it holds something else, or too many. */
static size_t read_numbers(int64_t *numbers, struct dg_text list)
{
    size_t n = 0;

    for (size_t i = 1; i + 1 < list.size; i++) {
        int64_t number = 0;

        if (n == MAX_RANK || list.data[i] < '0' || list.data[i] > '9')
            return MAX_RANK + 1;
        for (; i + 1 < list.size && list.data[i] != ','; i++) {
            if (list.data[i] < '0' || list.data[i] > '9' || number > INT32_MAX)
                return MAX_RANK + 1;
            number = number * 10 + (list.data[i] - '0');
        }
        numbers[n++] = number;
    }
    return n;
}

static const char place_sql[] = "SELECT shape, strides, storage_offset FROM node"
                                " JOIN value ON value.id = value_id WHERE node.id = ?1";

/* Sizes are below 2^31, and so few that no sum of products exceeds an int64_t. */
static void read_region(struct dg_region *region, const struct dg_rows *row)
{
    size_t rank = read_numbers(region->sizes, dg_rows_slice(row, 0));

    region->rank = rank;
    region->offset = dg_rows_int_or(row, 2, -1);
    region->known = rank <= MAX_RANK && dg_rows_type(row, 2) == 'i' &&
                    region->offset < INT64_MAX / 2 &&
                    read_numbers(region->strides, dg_rows_slice(row, 1)) == rank;
    for (size_t i = 0; region->known && i < rank; i++)
        region->known = region->sizes[i] > 0 && region->sizes[i] < INT32_MAX &&
                        region->strides[i] < INT32_MAX / 16;
}

static enum dg_status find_region(struct dg_region *region, struct dg_rows *rows,
                                  const struct dg_alias *alias, uint32_t node)
{
    struct dg_error ignored;

    region->known = false;
    dg_rows_bind_int(rows, 1, alias->graph.first_id + node);
    if (dg_rows_next(rows))
        read_region(region, rows);
    return dg_rows_again(rows, &ignored);
}

/* An integer argument by name, or by position where it has none. */
static const char argument_sql[] =
    "SELECT argument.value ->> 'int', json_type(argument.value, '$.none') FROM node,"
    "  json_each(CASE WHEN json_valid(args) THEN args END) AS argument"
    " WHERE node.id = ?1 AND iif(argument.value ->> 'name' = '', argument.key = ?3,"
    "  argument.value ->> 'name' = ?2)";

static bool find_argument(int64_t *value, struct dg_view_judge *judge, uint32_t node,
                          const char *name, int64_t position)
{
    struct dg_error ignored;
    struct dg_rows rows;
    bool known = true;

    if (dg_rows_open(&rows, judge->store, argument_sql, &ignored))
        return false;
    dg_rows_bind_int(&rows, 1, judge->alias->graph.first_id + node);
    dg_rows_bind_text(&rows, 2, dg_text(name));
    dg_rows_bind_int(&rows, 3, position);
    if (dg_rows_next(&rows) && dg_rows_null(&rows, 1)) {
        known = dg_rows_type(&rows, 0) == 'i';
        *value = known ? dg_rows_int(&rows, 0) : 0;
    }
    return !dg_rows_close(&rows, DG_OK, &ignored) && known;
}

/* Counted from the end where it is negative; at most `size`. */
static int64_t wrapped(int64_t index, int64_t size)
{
    if (index < 0)
        index += size;
    return index < 0 ? 0 : index > size ? size : index;
}

/* Rows `begin` to `end` of dimension `dim`, or all where there are no such. */
static void cut(struct dg_region *region, int64_t dim, int64_t begin, int64_t end,
                int64_t step)
{
    dim += dim < 0 ? (int64_t)region->rank : 0;
    if (dim < 0 || dim >= (int64_t)region->rank || step < 1 || step > INT32_MAX)
        return;
    begin = wrapped(begin, region->sizes[dim]);
    end = wrapped(end, region->sizes[dim]);
    if (begin >= end)
        return;
    region->offset += begin * region->strides[dim];
    region->sizes[dim] = (end - begin + step - 1) / step;
    region->strides[dim] *= step;
}

static struct dg_text op_of(const struct dg_view_judge *judge, uint32_t node)
{
    uint32_t op = judge->alias->ops[node];

    return op == DG_NOBODY ? dg_text("") : judge->alias->op_names[op];
}

static bool scatters(struct dg_text op)
{
    return dg_text_is(op, "aten::slice_scatter.default") ||
           dg_text_is(op, "aten::select_scatter.default");
}

/* Narrow what was the base to what slice or select take of it, or to what their scatter
 * writes; all else has no more than its base. */
static void narrow(struct dg_region *region, struct dg_view_judge *judge, uint32_t node)
{
    struct dg_text op = op_of(judge, node);
    bool slices = dg_text_is(op, "aten::slice_copy.Tensor") ||
                  dg_text_is(op, "aten::slice_scatter.default");
    int64_t dim = 0, begin = 0, end = INT64_MAX, step = 1, at = scatters(op) ? 2 : 1;

    if (!slices && !scatters(op) && !dg_text_is(op, "aten::select_copy.int"))
        return;
    if (!region->known || !find_argument(&dim, judge, node, "dim", at) ||
        !find_argument(&begin, judge, node, slices ? "start" : "index", at + 1) ||
        (slices && (!find_argument(&end, judge, node, "end", at + 2) ||
                    !find_argument(&step, judge, node, "step", at + 3))))
        return;
    if (!slices)
        end = begin == -1 ? INT64_MAX : begin + 1;
    cut(region, dim, begin, end, step);
}

/* Narrow it to the rows that an item of split_copy has. */
static void narrow_item(struct dg_region *region, struct dg_view_judge *judge,
                        uint32_t split, uint32_t item)
{
    int64_t rows = 0, dim = 0, number = -1;

    if (!region->known || !dg_text_is(op_of(judge, split), "aten::split_copy.Tensor") ||
        !find_argument(&rows, judge, split, "split_size", 1) ||
        !find_argument(&dim, judge, split, "dim", 2) ||
        !find_argument(&number, judge, item, "", 1) || rows < 1 || rows > INT32_MAX ||
        number < 0 || number > INT32_MAX)
        return;
    cut(region, dim, number * rows, (number + 1) * rows, 1);
}

/* Whether there is patience left for `n` lookups in the store; it is spent. */
static bool has_patience(struct dg_view_judge *judge, size_t n)
{
    if (judge->patience < (int64_t)n) {
        judge->patience = 0;
        return false;
    }
    judge->patience -= (int64_t)n;
    return true;
}

/* Which accesses of the base collide with a view of it that is written first at
 * `written`, and read last at `read`. */
static bool may_collide(const struct dg_class_access *access,
                        const struct dg_class *result)
{
    return access->writes ? access->time <= result->read
                          : access->time >= result->written;
}

static bool all_apart(struct dg_view_judge *judge, const struct dg_region *view,
                      const struct dg_class *base, const struct dg_class *result,
                      struct dg_rows *rows)
{
    struct dg_region other;

    for (uint32_t i = base->accesses; i != DG_NOBODY; i = judge->accesses[i].next) {
        if (!has_patience(judge, 1))
            return false;
        if (!may_collide(&judge->accesses[i], result))
            continue;
        if (find_region(&other, rows, judge->alias, judge->accesses[i].node) ||
            !are_apart(view, &other))
            return false;
    }
    return true;
}

/* The caller sees, and the next run writes, everything. */
static bool is_seen_outside(struct dg_view_judge *judge, const struct dg_class *base,
                            const struct dg_class *result)
{
    return base->outer &&
           ((base->ever_written && result->read == dg_next_call(judge)) ||
            (base->read == dg_at_exit(judge) && result->written != DG_NEVER_WRITTEN));
}

/* Whether the update leaves the view as it was: its value is the state with other rows
 * written. */
static bool is_spared(struct dg_view_judge *judge, const struct dg_alias_update *update,
                      const struct dg_region *view, struct dg_rows *rows)
{
    const struct dg_graph *graph = &judge->alias->graph;
    struct dg_region part;

    for (uint32_t node = update->value; node != update->state;
         node = graph->inputs[graph->input_of[node]]) {
        if (!scatters(op_of(judge, node)) || !has_patience(judge, 1) ||
            graph->input_of[node] == graph->input_of[node + 1] ||
            find_region(&part, rows, judge->alias, update->state))
            return false;
        narrow(&part, judge, node);
        if (!are_apart(view, &part))
            return false;
    }
    return true;
}

/* The same of all updates of what the view shows a part of. */
static bool all_spare(struct dg_view_judge *judge, const struct dg_region *view,
                      const struct dg_class *base, struct dg_rows *rows)
{
    if (!has_patience(judge, judge->alias->n_updates / PER_LOOKUP + 1))
        return false;
    for (size_t i = 0; i < judge->alias->n_updates; i++) {
        const struct dg_alias_update *update = &judge->alias->updates[i];

        if (dg_is_member(judge, update->value) && dg_is_member(judge, update->state) &&
            dg_class_of(judge, DG_SURE, update->state) == base &&
            !is_spared(judge, update, view, rows))
            return false;
    }
    return true;
}

/* The same of a write by `link->node`; copy_ may be an update in the middle. */
static bool is_spared_by(struct dg_view_judge *judge, const struct dg_alias_link *link,
                         const struct dg_region *view, struct dg_rows *rows)
{
    const struct dg_graph *graph = &judge->alias->graph;
    uint32_t first = graph->input_of[link->node];
    struct dg_region part;

    if (!link->writes || !has_patience(judge, 1) ||
        find_region(&part, rows, judge->alias, link->source))
        return false;
    if (are_apart(view, &part))
        return true;
    return dg_text_is(op_of(judge, link->node), "aten::copy_.default") &&
           graph->input_of[link->node + 1] == first + 2 &&
           is_spared(judge,
                     &(struct dg_alias_update){graph->inputs[first + 1], link->source},
                     view, rows);
}

/* The same of all writes within the scope, whenever they happen. */
static bool all_writes_spare(struct dg_view_judge *judge, const struct dg_region *view,
                             uint32_t base, struct dg_rows *rows)
{
    const struct dg_alias *alias = judge->alias;
    uint32_t n_links = alias->link_of[alias->graph.n_nodes];

    if (!has_patience(judge, n_links / PER_LOOKUP + 1))
        return false;
    for (uint32_t i = 0; i < n_links; i++) {
        const struct dg_alias_link *link = &alias->links[i];

        if (dg_is_member(judge, link->node) &&
            (link->writes || alias->effects[link->node] & DG_EFFECT_OPAQUE) &&
            dg_class_of(judge, DG_MAYBE, link->source) ==
                dg_class_of(judge, DG_MAYBE, base) &&
            !is_spared_by(judge, link, view, rows))
            return false;
    }
    return true;
}

static bool part_is_apart(struct dg_view_judge *judge, const struct dg_region *view,
                          uint32_t base, const struct dg_class *result,
                          struct dg_rows *rows)
{
    const struct dg_class *class = dg_class_of(judge, DG_SURE, base);

    if (is_seen_outside(judge, class, result))
        return all_spare(judge, view, class, rows) &&
               all_writes_spare(judge, view, base, rows);
    return all_apart(judge, view, class, result, rows);
}

static bool is_accessed(const struct dg_class *part)
{
    return part->read != DG_NEVER_READ || part->written != DG_NEVER_WRITTEN;
}

/* The parts of a list are looked at one by one. */
static bool parts_are_apart(struct dg_view_judge *judge,
                            const struct dg_view_copy *copy,
                            const struct dg_class *result, struct dg_rows *rows)
{
    const struct dg_graph *graph = &judge->alias->graph;
    struct dg_region whole, view;
    bool apart = true, items = false;

    if (find_region(&whole, rows, judge->alias, copy->base))
        return false;
    for (uint32_t i = graph->user_of[copy->node];
         i < graph->user_of[copy->node + 1] && apart; i++) {
        uint32_t item = graph->users[i];

        if (!dg_is_member(judge, item) ||
            !(judge->alias->effects[item] & DG_EFFECT_ITEM))
            continue;
        items = true;
        view = whole;
        narrow_item(&view, judge, copy->node, item);
        if (is_accessed(dg_class_of(judge, DG_SURE, item)))
            apart = part_is_apart(judge, &view, copy->base, result, rows);
    }
    narrow(&whole, judge, copy->node);
    return items ? apart : part_is_apart(judge, &whole, copy->base, result, rows);
}

bool dg_view_stands_apart(struct dg_view_judge *judge, const struct dg_view_copy *copy,
                          const struct dg_class *result)
{
    const struct dg_class *base = dg_class_of(judge, DG_SURE, copy->base);
    struct dg_error ignored;
    struct dg_rows rows;
    bool apart;

    if (base->merged || judge->patience <= 0 ||
        (is_seen_outside(judge, base, result) && result->written != DG_NEVER_WRITTEN) ||
        dg_rows_open(&rows, judge->store, place_sql, &ignored))
        return false;
    apart = parts_are_apart(judge, copy, result, &rows);
    return !dg_rows_close(&rows, DG_OK, &ignored) && apart;
}
