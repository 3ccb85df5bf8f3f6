/* Parts of one memory that surely do not touch: other rows, other columns. */
#include "graph/alias_parts.h"

enum { MAX_RANK = 16 };

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

/* Narrow what was the base to what slice or select take of it; all else shows no more
 * than its base. */
static void narrow(struct dg_region *region, struct dg_view_judge *judge, uint32_t node)
{
    struct dg_text op = judge->alias->op_names[judge->alias->ops[node]];
    bool slices = dg_text_is(op, "aten::slice_copy.Tensor");
    int64_t dim = 0, begin = 0, end = INT64_MAX, step = 1, size;

    if (!slices && !dg_text_is(op, "aten::select_copy.int"))
        return;
    if (!region->known || !find_argument(&dim, judge, node, "dim", 1) ||
        !find_argument(&begin, judge, node, slices ? "start" : "index", 2) ||
        (slices && (!find_argument(&end, judge, node, "end", 3) ||
                    !find_argument(&step, judge, node, "step", 4))))
        return;
    dim += dim < 0 ? (int64_t)region->rank : 0;
    if (dim < 0 || dim >= (int64_t)region->rank || step < 1 || step > INT32_MAX)
        return;
    size = region->sizes[dim];
    begin = wrapped(begin, size);
    end = slices ? wrapped(end, size) : begin + 1;
    if (begin >= end)
        return;
    region->offset += begin * region->strides[dim];
    region->sizes[dim] = (end - begin + step - 1) / step;
    region->strides[dim] *= step;
}

/* Which accesses of the base collide with a view of it that is written first at
 * `written`, and read last at `read`. */
static bool may_collide(const struct dg_access *access, const struct dg_class *result)
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
        if (judge->patience-- <= 0)
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
           ((base->ever_written && result->read == dg_later(judge)) ||
            (base->read == dg_world(judge) && result->written != DG_NEVER_WRITTEN));
}

bool dg_view_stands_apart(struct dg_view_judge *judge, const struct dg_view_copy *copy,
                          const struct dg_class *result)
{
    const struct dg_class *base = dg_class_of(judge, DG_SURE, copy->base);
    struct dg_error ignored;
    struct dg_region view;
    struct dg_rows rows;
    bool apart = false;

    if (base->merged || is_seen_outside(judge, base, result) || judge->patience <= 0 ||
        dg_rows_open(&rows, judge->store, place_sql, &ignored))
        return false;
    if (!find_region(&view, &rows, judge->alias, copy->base)) {
        narrow(&view, judge, copy->node);
        apart = all_apart(judge, &view, base, result, &rows);
    }
    return !dg_rows_close(&rows, DG_OK, &ignored) && apart;
}
