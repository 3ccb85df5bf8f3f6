/* Lowering one tag: its nodes become one call, and the graph is sorted anew as torch's
 * legalize_graph() does. */
#include <stdlib.h>

#include "base/sorted.h"
#include "partition/lowering_parts.h"

/* Working memory of one step; the arrays have one item per vertex. */
struct step {
    struct dg_lowering *lowering;
    uint32_t tag, call; /* call: the vertex that stands for the tag */
    uint32_t *outputs;  /* vertices of the tag with users outside */
    uint32_t n_outputs;
    uint32_t *replacement; /* of each output: what its users read now */
    bool *seen;
    uint32_t *user_of, *users, *waiting;
    uint32_t *list; /* vertices in the order before sorting */
    uint32_t n_list;
    struct dg_arena memory;
};

static const struct dg_lowering_vertex *vertex(const struct step *step, uint32_t i)
{
    return &step->lowering->vertices[i];
}

static bool is_inside(const struct step *step, uint32_t i)
{
    return vertex(step, i)->tag == step->tag && !vertex(step, i)->gone;
}

static enum dg_status check_members(struct step *step, struct dg_error *err)
{
    const struct dg_lowering *lowering = step->lowering;

    for (uint32_t i = 0; i < lowering->n_order; i++) {
        const struct dg_lowering_vertex *at = vertex(step, lowering->order[i]);
        bool user_input =
            at->marks & DG_MARK_PLACEHOLDER && !(at->marks & DG_MARK_CONSTANT);

        if (at->tag == step->tag && (at->marks & DG_MARK_OUTPUT || user_input))
            return dg_fail(err, DG_ERR_FORMAT,
                           "tag \"%.60s\" is on \"%.80s\", %s; expected calls, "
                           "get_attr nodes and constants",
                           lowering->tags[step->tag].data, at->name.data,
                           user_input ? "an input of the user" : "the output node");
    }
    return DG_OK;
}

/* In the order of nodes: torch's orig_outputs. */
static void find_outputs(struct step *step)
{
    const struct dg_lowering *lowering = step->lowering;

    step->outputs = dg_alloc(&step->memory, lowering->n_order, sizeof(uint32_t));
    for (uint32_t i = 0; i < lowering->n_order; i++) {
        const struct dg_lowering_vertex *user = vertex(step, lowering->order[i]);

        for (uint32_t k = 0; k < user->n_inputs && user->tag != step->tag; k++) {
            uint32_t input = lowering->inputs[user->input + k];

            step->seen[input] = step->seen[input] || is_inside(step, input);
        }
    }
    for (uint32_t i = 0; i < lowering->n_order; i++) {
        if (step->seen[lowering->order[i]])
            step->outputs[step->n_outputs++] = lowering->order[i];
        step->seen[lowering->order[i]] = false;
    }
}

#define TEXT(string)                                                                   \
    {                                                                                  \
        string, sizeof(string) - 1                                                     \
    }

/* The call of a delegate, and what takes one of its results. */
static const struct dg_text call_op = TEXT("higher_order::executorch_call_delegate");
static const struct dg_text item_op = TEXT("_operator.getitem");

/* In the order of first use: torch's orig_inputs. */
static void add_call(struct step *step)
{
    struct dg_lowering *lowering = step->lowering;
    struct dg_lowering_vertex call = {
        .tag = DG_NO_PART,
        .marks = DG_MARK_CALL | DG_MARK_DELEGATE,
        .op = &call_op,
    };

    call.name = dg_format(&lowering->memory, "executorch_call_delegate(%s)",
                          lowering->tags[step->tag].data);
    step->call = dg_lowering_add(lowering, call);
    for (uint32_t i = 0; i < lowering->n_order; i++) {
        struct dg_lowering_vertex at = *vertex(step, lowering->order[i]);

        for (uint32_t k = 0; k < at.n_inputs && at.tag == step->tag; k++) {
            uint32_t input = lowering->inputs[at.input + k];

            if (!is_inside(step, input) && !step->seen[input])
                dg_lowering_add_input(lowering, input);
            step->seen[input] = true;
        }
    }
}

static bool is_tuple(const struct step *step, uint32_t output)
{
    const struct dg_lowering *lowering = step->lowering;

    for (uint32_t i = 0; i < lowering->n_order; i++) {
        const struct dg_lowering_vertex *user = vertex(step, lowering->order[i]);

        if (user->marks & DG_MARK_GETITEM && user->n_inputs &&
            lowering->inputs[user->input] == output)
            return true;
    }
    return false;
}

static void add_items(struct step *step)
{
    struct dg_lowering *lowering = step->lowering;
    struct dg_lowering_vertex item = {
        .tag = DG_NO_PART,
        .marks = DG_MARK_CALL | DG_MARK_GETITEM | DG_MARK_TRANSPARENT |
                 DG_MARK_DELEGATE_ITEM,
        .op = &item_op,
    };
    int64_t total = 0;

    step->replacement =
        dg_alloc(&step->memory, lowering->n_vertices, sizeof(*step->replacement));
    for (uint32_t i = 0; i < step->n_outputs; i++) {
        uint32_t output = step->outputs[i];
        int64_t nbytes = vertex(step, output)->nbytes;

        step->replacement[output] = step->call;
        total =
            total < 0 || nbytes < 0 || nbytes > INT64_MAX - total ? -1 : total + nbytes;
        if (step->n_outputs == 1 && is_tuple(step, output))
            break;
        item.nbytes = nbytes;
        item.name = dg_format(&lowering->memory, "getitem(%s, %u)",
                              lowering->tags[step->tag].data, i);
        step->replacement[output] = dg_lowering_add(lowering, item);
        dg_lowering_add_input(lowering, step->call);
    }
    lowering->vertices[step->call].nbytes = total;
}

/* The call stands behind the last output, its items behind it. */
static void list_vertices(struct step *step)
{
    const struct dg_lowering *lowering = step->lowering;
    uint32_t last = step->outputs[step->n_outputs - 1];

    step->list = dg_alloc(&step->memory, lowering->n_vertices, sizeof(*step->list));
    for (uint32_t i = 0; i < lowering->n_order; i++) {
        if (!is_inside(step, lowering->order[i]))
            step->list[step->n_list++] = lowering->order[i];
        if (lowering->order[i] != last)
            continue;
        for (uint32_t k = step->call; k < lowering->n_vertices; k++)
            step->list[step->n_list++] = k;
    }
}

/* Users of the outputs, which read something else from now on. */
struct pair {
    uint32_t touch, output, user;
};

static int by_touch(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    return a->touch < b->touch ? -1 : a->touch > b->touch;
}

/* Of each output in turn; whatever of its users was redirected before for another one
 * stands behind the others, as its arguments were set anew. */
static void redirect_users(struct step *step, struct pair *pairs, size_t n)
{
    struct dg_lowering *lowering = step->lowering;

    for (size_t i = 0; i < n; i++)
        pairs[i].touch = vertex(step, pairs[i].user)->touch;
    dg_sort(pairs, n, sizeof(*pairs), by_touch);
    for (size_t i = 0; i < n; i++) {
        struct dg_lowering_vertex *user = &lowering->vertices[pairs[i].user];
        uint32_t now = step->replacement[pairs[i].output];

        user->touch = lowering->clock++;
        for (uint32_t k = 0; k < user->n_inputs; k++) {
            if (lowering->inputs[user->input + k] == pairs[i].output)
                lowering->inputs[user->input + k] = now;
        }
        if (now == step->call && user->marks & DG_MARK_GETITEM) {
            user->marks |= DG_MARK_DELEGATE_ITEM;
            user->marks &= (uint16_t)~DG_MARK_SUPPORTED;
        }
    }
}

/* Pairs of each output: pairs[begins[i]] to pairs[begins[i + 1] - 1]. */
static struct pair *find_pairs(struct step *step, uint32_t *begins)
{
    const struct dg_lowering *lowering = step->lowering;
    uint32_t *number = dg_alloc(&step->memory, lowering->n_vertices, sizeof(*number));
    struct pair *pairs;

    for (uint32_t i = 0; i < step->n_outputs; i++)
        number[step->outputs[i]] = i + 1;
    for (uint32_t i = 0; i < lowering->n_order; i++) {
        const struct dg_lowering_vertex *at = vertex(step, lowering->order[i]);

        for (uint32_t k = 0; k < at->n_inputs && at->tag != step->tag; k++)
            begins[number[lowering->inputs[at->input + k]] + 1]++;
    }
    begins[1] = 0;
    for (uint32_t i = 0; i < step->n_outputs; i++)
        begins[i + 2] += begins[i + 1];
    pairs = dg_alloc(&step->memory, begins[step->n_outputs + 1], sizeof(*pairs));
    for (uint32_t i = 0; i < lowering->n_order; i++) {
        const struct dg_lowering_vertex *at = vertex(step, lowering->order[i]);

        for (uint32_t k = 0; k < at->n_inputs && at->tag != step->tag; k++) {
            uint32_t output = lowering->inputs[at->input + k];

            if (number[output])
                pairs[begins[number[output]]++] =
                    (struct pair){0, output, lowering->order[i]};
        }
    }
    return pairs;
}

static void redirect(struct step *step)
{
    struct dg_lowering *lowering = step->lowering;
    uint32_t *ends =
        dg_alloc(&step->memory, (size_t)step->n_outputs + 2, sizeof(*ends));
    struct pair *pairs = find_pairs(step, ends);

    for (uint32_t i = 0; i < step->n_outputs; i++)
        redirect_users(step, pairs + ends[i], ends[i + 1] - ends[i]);
    for (uint32_t i = 0; i < lowering->n_order; i++) {
        struct dg_lowering_vertex *at = &lowering->vertices[lowering->order[i]];

        at->gone = at->gone || at->tag == step->tag;
    }
}

static void count_edges(struct step *step)
{
    const struct dg_lowering *lowering = step->lowering;
    uint32_t n = (uint32_t)lowering->n_vertices, n_edges = 0;

    step->user_of = dg_alloc(&step->memory, n + 2, sizeof(*step->user_of));
    step->waiting = dg_alloc(&step->memory, n, sizeof(*step->waiting));
    for (uint32_t i = 0; i < step->n_list; i++) {
        const struct dg_lowering_vertex *at = vertex(step, step->list[i]);

        step->waiting[step->list[i]] = at->n_inputs;
        n_edges += at->n_inputs;
        for (uint32_t k = 0; k < at->n_inputs; k++)
            step->user_of[lowering->inputs[at->input + k] + 2]++;
    }
    step->users = dg_alloc(&step->memory, n_edges, sizeof(*step->users));
    for (uint32_t i = 0; i < n; i++)
        step->user_of[i + 2] += step->user_of[i + 1];
}

/* Users stand in the order in which their arguments were set. */
static void find_users(struct step *step)
{
    const struct dg_lowering *lowering = step->lowering;
    struct pair *all = dg_alloc(&step->memory, step->n_list, sizeof(*all));

    count_edges(step);
    for (uint32_t i = 0; i < step->n_list; i++)
        all[i] = (struct pair){vertex(step, step->list[i])->touch, 0, step->list[i]};
    dg_sort(all, step->n_list, sizeof(*all), by_touch);
    for (uint32_t i = 0; i < step->n_list; i++) {
        const struct dg_lowering_vertex *at = vertex(step, all[i].user);

        for (uint32_t k = 0; k < at->n_inputs; k++)
            step->users[step->user_of[lowering->inputs[at->input + k] + 1]++] =
                all[i].user;
    }
}

/* Assertions and arithmetic of sizes jump the queue. */
static bool is_hasty(const struct dg_text *op)
{
    static const char *const names[] = {
        "_operator.add",
        "_operator.mul",
        "_operator.sub",
        "_operator.floordiv",
        "_operator.truediv",
        "_operator.mod",
        "_operator.le",
        "_operator.lt",
        "_operator.ge",
        "_operator.gt",
        "_operator.eq",
        "_operator.ne",
        "aten::sym_constrain_range",
        "aten::sym_constrain_range.default",
        "aten::sym_constrain_range_for_size",
        "aten::sym_constrain_range_for_size.default",
        "aten::_assert_async.msg",
        "aten::_assert_scalar",
        "aten::_assert_scalar.default",
    };

    for (size_t i = 0; op && i < sizeof(names) / sizeof(*names); i++) {
        if (dg_text_is(*op, names[i]))
            return true;
    }
    return false;
}

/* A queue that also takes new items at its head: room for all on either side. */
static bool sort(struct step *step)
{
    struct dg_lowering *lowering = step->lowering;
    uint32_t n = step->n_list, head = n, tail = n;
    uint32_t *queue = dg_alloc(&step->memory, 2 * (size_t)n + 1, sizeof(*queue));

    lowering->order = realloc(lowering->order, ((size_t)n + 1) * sizeof(*queue));
    if (!lowering->order)
        dg_out_of_memory();
    lowering->n_order = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!step->waiting[step->list[i]])
            queue[tail++] = step->list[i];
    }
    while (head < tail) {
        uint32_t node = queue[head++];

        lowering->vertices[node].touch = lowering->n_order;
        lowering->order[lowering->n_order++] = node;
        for (uint32_t k = step->user_of[node]; k < step->user_of[node + 1]; k++) {
            uint32_t user = step->users[k];

            if (--step->waiting[user])
                continue;
            if (is_hasty(vertex(step, user)->op))
                queue[--head] = user;
            else
                queue[tail++] = user;
        }
    }
    lowering->clock = n;
    return lowering->n_order == n;
}

enum dg_status dg_lower_tag(struct dg_lowering *lowering, uint32_t tag,
                            struct dg_error *err)
{
    struct step step = {.lowering = lowering, .tag = tag};
    enum dg_status status;

    step.seen = dg_alloc(&step.memory, lowering->n_vertices, sizeof(*step.seen));
    status = check_members(&step, err);
    if (!status)
        find_outputs(&step);
    if (!status && !step.n_outputs)
        status =
            dg_fail(err, DG_ERR_FORMAT,
                    "nothing reads what tag \"%.80s\" computes; lowering fails on it",
                    lowering->tags[tag].data);
    if (!status) {
        add_call(&step);
        add_items(&step);
        list_vertices(&step);
        redirect(&step);
        find_users(&step);
        if (!sort(&step))
            status = dg_fail(err, DG_ERR_FORMAT,
                             "tag \"%.80s\" closes a cycle and cannot be lowered; "
                             "delegraph check --plan tells which",
                             lowering->tags[tag].data);
    }
    dg_arena_clear(&step.memory);
    return status;
}
