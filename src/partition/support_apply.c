/* The verdict of a list on every call of a graph. */
#include "partition/support_parts.h"

#include <limits.h>
#include <stdlib.h>

#include "base/text_set.h"

/* What rules there are for calls of one operator. */
struct op {
    const struct dg_support_rule **rules;
    size_t n_rules;
    bool args;
};

/* Operators of a graph. */
struct ops {
    struct dg_text_set names;
    struct op *items;
    size_t n_items;
};

static void find_rules(struct op *op, const struct dg_support *support,
                       struct dg_text name)
{
    for (size_t i = 0; i < support->n_rules; i++) {
        const struct dg_support_rule *rule = &support->rules[i];

        if (dg_wildcard_any(rule->match.ops, rule->match.n_ops, name))
            *DG_APPEND(op->rules, op->n_rules) = rule;
    }
    op->args = dg_wildcard_any(support->arg_ops, support->n_arg_ops, name);
}

static struct op *op_of(struct ops *ops, const struct dg_support *support,
                        struct dg_text name)
{
    uint32_t number = dg_text_set_add(&ops->names, name);

    if (number == ops->n_items)
        find_rules(DG_APPEND(ops->items, ops->n_items), support, name);
    return &ops->items[number];
}

static void clear_ops(struct ops *ops)
{
    for (size_t i = 0; i < ops->n_items; i++)
        free(ops->items[i].rules);
    free(ops->items);
    dg_text_set_clear(&ops->names);
}

/* One application of a list to a graph. */
struct run {
    const struct dg_support *support;
    struct dg_nodes *nodes;
    struct ops ops;
    struct dg_support_facts facts;
    struct dg_support_matcher matcher;
    bool *waits; /* calls whose verdict hangs on that of later ones */
};

static bool is_call(const struct run *run, uint32_t node)
{
    return run->nodes->marks[node] & DG_MARK_CALL;
}

/* The first rule that holds decides. */
static bool is_supported(struct run *run, uint32_t node)
{
    const struct op *op = op_of(&run->ops, run->support, dg_nodes_op(run->nodes, node));

    run->matcher.node = node;
    for (size_t i = 0; i < op->n_rules; i++) {
        if (dg_support_holds(&run->matcher, &op->rules[i]->match, node))
            return !op->rules[i]->refuse;
    }
    return false;
}

static void set(struct run *run, uint32_t node, bool supported)
{
    uint16_t *mark = &run->nodes->marks[node];

    *mark =
        (uint16_t)(supported ? *mark | DG_MARK_SUPPORTED : *mark & ~DG_MARK_SUPPORTED);
}

/* Forwards what does not hang on users; the rest backwards, and then once more
 * forwards, as some of it hangs on what made its inputs. */
static void decide(struct run *run)
{
    uint32_t n = run->nodes->graph.n_nodes;

    run->matcher.blind = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_call(run, i))
            continue;
        run->matcher.waits = false;
        set(run, i, is_supported(run, i));
        run->waits[i] = run->matcher.waits;
    }
    run->matcher.blind = false;
    for (uint32_t i = n; i-- > 0;) {
        if (run->waits[i])
            set(run, i, is_supported(run, i));
    }
    for (uint32_t i = 0; i < n; i++) {
        if (run->waits[i])
            set(run, i, is_supported(run, i));
    }
}

static unsigned count_reasons(struct run *run, const struct dg_support_rule *rule,
                              uint32_t node, bool tell, dg_refused_fn *told)
{
    struct dg_support_matcher *matcher = &run->matcher;

    matcher->node = node;
    matcher->n_reasons = 0;
    matcher->all = true;
    matcher->told = tell ? told : NULL;
    matcher->rule = rule->name;
    dg_support_holds(matcher, &rule->match, node);
    matcher->all = false;
    matcher->told = NULL;
    return matcher->n_reasons;
}

static void tell_operator(struct run *run, uint32_t node,
                          const struct dg_support_rule *refusing, dg_refused_fn *told)
{
    struct dg_text op = dg_nodes_op(run->nodes, node), list = run->support->name;

    run->matcher.node = node;
    run->matcher.told = told;
    run->matcher.rule = (struct dg_text){0};
    if (refusing && refusing->why.data)
        dg_support_refuse(&run->matcher, "op", "%.*s", (int)refusing->why.size,
                          refusing->why.data);
    else
        dg_support_refuse(&run->matcher, "op", "%.*s does not take %.*s",
                          (int)list.size, list.data, (int)op.size,
                          op.data ? op.data : "");
    run->matcher.told = NULL;
}

/* All reasons of the rule that lacks least: what would have to change. */
static void explain(struct run *run, uint32_t node, dg_refused_fn *told)
{
    const struct op *op = op_of(&run->ops, run->support, dg_nodes_op(run->nodes, node));
    const struct dg_support_rule *nearest = NULL;
    unsigned least = UINT_MAX, n;

    run->matcher.node = node;
    for (size_t i = 0; i < op->n_rules; i++) {
        const struct dg_support_rule *rule = op->rules[i];

        if (rule->refuse && dg_support_holds(&run->matcher, &rule->match, node)) {
            tell_operator(run, node, rule, told);
            return;
        }
        n = rule->refuse ? UINT_MAX : count_reasons(run, rule, node, false, told);
        if (n < least) {
            least = n;
            nearest = rule;
        }
    }
    if (nearest)
        count_reasons(run, nearest, node, true, told);
    else
        tell_operator(run, node, NULL, told);
}

static enum dg_status tell(struct run *run, dg_refused_fn *told, void *context)
{
    const uint16_t *marks = run->nodes->marks;

    run->matcher.context = context;
    for (uint32_t i = 0; i < run->nodes->graph.n_nodes && !run->matcher.status; i++) {
        if (marks[i] & DG_MARK_CALL && !(marks[i] & DG_MARK_SUPPORTED))
            explain(run, i, told);
    }
    return run->matcher.status;
}

static enum dg_status read_facts(struct run *run, struct dg_store *store,
                                 struct dg_error *err)
{
    const struct dg_support *support = run->support;
    uint32_t n = run->nodes->graph.n_nodes;
    bool *wanted = support->n_arg_ops ? dg_alloc(&run->facts.memory, n, 1) : NULL;

    for (uint32_t i = 0; i < n && wanted; i++)
        wanted[i] = is_call(run, i) &&
                    op_of(&run->ops, support, dg_nodes_op(run->nodes, i))->args;
    return dg_support_read(&run->facts, support, run->nodes, wanted, store, err);
}

static void support_all(struct dg_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->graph.n_nodes; i++) {
        if (nodes->marks[i] & DG_MARK_CALL)
            nodes->marks[i] |= DG_MARK_SUPPORTED;
    }
}

enum dg_status dg_support_apply(const struct dg_support *support,
                                struct dg_nodes *nodes, struct dg_store *store,
                                dg_refused_fn *told, void *context,
                                struct dg_groups *groups, struct dg_error *err)
{
    struct run run = {.support = support, .nodes = nodes};
    enum dg_status status;

    if (!support) {
        support_all(nodes);
        return DG_OK;
    }
    if (support->skip_unused)
        dg_nodes_skip_unused(nodes);
    status = read_facts(&run, store, err);
    run.matcher = (struct dg_support_matcher){
        .support = support, .nodes = nodes, .facts = &run.facts, .err = err};
    run.matcher.known =
        dg_alloc(&run.facts.memory, DG_SUPPORT_KNOWN, sizeof(*run.matcher.known));
    run.matcher.open = run.waits = dg_alloc(&run.facts.memory, nodes->graph.n_nodes, 1);
    if (!status)
        decide(&run);
    if (!status && groups)
        status = dg_support_find_groups(groups, &nodes->memory, &run.matcher);
    if (!status && told)
        status = tell(&run, told, context);
    clear_ops(&run.ops);
    dg_writer_clear(&run.matcher.text);
    dg_support_facts_clear(&run.facts);
    return status;
}
