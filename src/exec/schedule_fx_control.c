/* Steps of higher-order operators: branches, loops, inlined graphs. */
#include "exec/schedule_fx.h"

#include <stdlib.h>

#include "base/sorted.h"

static int compare_path(const void *key, const void *row)
{
    return strcmp(key, ((const struct dg_fx_graph *)row)->path);
}

/* The schedule of a graph of the method, which is filled in later; one for each graph.
 */
static struct dg_schedule *schedule_of(struct dg_fx *fx, struct dg_fx_graph *graph)
{
    struct dg_fx_method *method = fx->method;
    struct dg_schedule *root = method->root;

    if (graph && !graph->schedule) {
        graph->schedule = dg_alloc(&root->memory, 1, sizeof(*graph->schedule));
        *DG_APPEND(root->children, root->n_children) = graph->schedule;
        graph->schedule->graph_id = graph->id;
        graph->schedule->number = (uint32_t)root->n_children;
    }
    return graph ? graph->schedule : NULL;
}

static struct dg_schedule *schedule_at(struct dg_fx *fx, const char *attribute)
{
    struct dg_fx_method *method = fx->method;
    const char *path = fx->graph->path, *dot = *path ? "." : "";

    path = dg_format(&fx->scratch, "%s%s%s", path, dot, attribute).data;
    return schedule_of(fx, dg_search(path, method->graphs, method->n_graphs,
                                     sizeof(*method->graphs), compare_path));
}

static struct dg_schedule *schedule_by_id(struct dg_fx *fx, int64_t id)
{
    struct dg_fx_method *method = fx->method;

    for (size_t i = 0; i < method->n_graphs; i++) {
        if (method->graphs[i].id == id)
            return schedule_of(fx, &method->graphs[i]);
    }
    return NULL;
}

/* The arguments of a call without those that name graphs, which become schedules. */
static bool take_graphs(struct dg_fx *fx, const struct dg_fx_node *node,
                        struct dg_step *step)
{
    step->schedules = dg_alloc(&fx->schedule->memory, node->n_items + 1,
                               sizeof(struct dg_schedule *));
    step->n_args = 0;
    for (size_t i = 0; i < node->n_items; i++) {
        const struct dg_fx_arg *item = &node->items[i];

        if (!item->graph) {
            step->args[step->n_args++] = item->operand;
            continue;
        }
        step->schedules[step->n_schedules] = schedule_at(fx, item->graph);
        if (!step->schedules[step->n_schedules++])
            return false;
    }
    return true;
}

static void drop_args(struct dg_step *step, size_t n)
{
    step->args += n;
    step->n_args -= n;
}

/* The items of the list that is the last argument become arguments. */
static void spread_last(struct dg_fx *fx, struct dg_step *step)
{
    struct dg_operand list = step->args[step->n_args - 1];
    struct dg_operand *args;

    if (list.kind != DG_OPERAND_LIST)
        return;
    args = dg_alloc(&fx->schedule->memory, step->n_args + list.n_items, sizeof(*args));
    memcpy(args, step->args, (step->n_args - 1) * sizeof(*args));
    if (list.n_items)
        memcpy(args + step->n_args - 1, list.items, list.n_items * sizeof(*args));
    step->args = args;
    step->n_args += list.n_items - 1;
}

/* Whether the first arguments of the step are lists. */
static bool lists(const struct dg_step *step, size_t n)
{
    if (step->n_args != n)
        return false;
    while (n--) {
        if (step->args[n].kind != DG_OPERAND_LIST)
            return false;
    }
    return true;
}

/* "aten::mm" of the argument "torch.ops.aten.mm.default"; NULL: it names none. */
static const char *called_operator(struct dg_fx *fx, const struct dg_fx_node *node)
{
    static const char space[] = "torch.ops.";
    const char *name = NULL, *dot;

    for (size_t i = 0; i < node->n_items && !name; i++) {
        const struct dg_operand *operand = &node->items[i].operand;

        if (operand->literal.kind == DG_ARG_STRING &&
            !strncmp(operand->literal.as.string, space, sizeof(space) - 1))
            name = operand->literal.as.string + sizeof(space) - 1;
    }
    dot = name ? strchr(name, '.') : NULL;
    return dot ? dg_format(&fx->schedule->memory, "%.*s::%s", (int)(dot - name), name,
                           dot + 1)
                     .data
               : NULL;
}

const char *dg_fx_why_no_control(struct dg_fx *fx, const struct dg_fx_node *node)
{
    const char *op = called_operator(fx, node);
    struct dg_resolved resolved = op ? dg_resolve(op) : (struct dg_resolved){0};

    if (!op || resolved.kernel)
        return "no kernel";
    return dg_format(&fx->schedule->memory, "calls %s: %s", op, dg_why_no_kernel(op))
        .data;
}

static bool cond(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    step->kind = DG_STEP_COND;
    if (step->n_schedules != 2 || step->n_args < 1)
        return false;
    if (step->n_args == 2)
        spread_last(fx, step);
    return true;
}

static bool while_loop(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    step->kind = DG_STEP_WHILE;
    return step->n_schedules == 2 && lists(step, 2);
}

static bool scan(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    step->kind = DG_STEP_SCAN;
    return step->n_schedules == 1 && lists(step, 3);
}

static bool associative_scan(struct dg_fx *fx, struct dg_fx_node *node,
                             struct dg_step *step)
{
    step->kind = DG_STEP_ASSOCIATIVE_SCAN;
    return step->n_schedules == 1 && lists(step, 2);
}

static bool while_loop_stack_output(struct dg_fx *fx, struct dg_fx_node *node,
                                    struct dg_step *step)
{
    step->kind = DG_STEP_WHILE_STACKED;
    return step->n_schedules == 2 && lists(step, 2);
}

static bool map(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    step->kind = DG_STEP_MAP;
    return step->n_schedules == 1 && lists(step, 2);
}

static bool inlined(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    step->kind = DG_STEP_INLINE;
    return step->n_schedules == 1;
}

/* (graph, list of operands) */
static bool strict_mode(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    if (!lists(step, 1))
        return false;
    spread_last(fx, step);
    return inlined(fx, node, step);
}

/* (graph, list of operands, {}, hints): the hints are for compilers */
static bool hints_wrapper(struct dg_fx *fx, struct dg_fx_node *node,
                          struct dg_step *step)
{
    if (step->n_args < 2)
        return false;
    step->n_args = 1;
    return strict_mode(fx, node, step);
}

/* It shows values to who watches the program run, and gives none. */
static bool print(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    step->kind = DG_STEP_NOTHING;
    step->n_args = step->n_results = 0;
    return true;
}

/* (operator, dtype, arguments...): arguments and result have that dtype. */
static bool out_dtype(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    struct dg_fx_node inner = *node;
    enum { BEFORE = 2 };

    if (node->n_items < BEFORE || node->items[1].operand.literal.kind != DG_ARG_TYPE)
        return false;
    step->out_type = node->items[1].operand.literal.as.type;
    inner.op_id = 0;
    inner.op = called_operator(fx, node);
    inner.items += BEFORE;
    inner.n_items -= BEFORE;
    if (!inner.op)
        return false;
    dg_fx_call(fx, &inner, step);
    if (step->kernel && step->variant != DG_VARIANT_FUNCTIONAL)
        return false;
    step->variant = DG_VARIANT_OUT_TYPE;
    return true;
}

/* (enabled, graph, operands...) */
static bool set_grad(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    if (step->n_args < 1)
        return false;
    drop_args(step, 1);
    return inlined(fx, node, step);
}

/* (device, dtype, enabled, cache, graph, operands...) */
static bool autocast(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    const struct dg_arg *device, *enabled;

    if (step->n_args < 4)
        return false;
    device = &step->args[0].literal;
    enabled = &step->args[2].literal;
    if (enabled->kind != DG_ARG_BOOL || device->kind != DG_ARG_STRING)
        return false;
    if (enabled->as.integer && strcmp(device->as.string, "cpu")) {
        dg_step_opaque(step, "runs under autocast of another device than cpu");
        return true;
    }
    step->args[3] = enabled->as.integer ? step->args[1] : (struct dg_operand){0};
    drop_args(step, 3);
    step->kind = DG_STEP_AUTOCAST;
    return step->n_schedules == 1;
}

/* (graph, identifier, operands...) */
static bool invoke_subgraph(struct dg_fx *fx, struct dg_fx_node *node,
                            struct dg_step *step)
{
    if (step->n_args < 1)
        return false;
    if (step->args[0].kind == DG_OPERAND_LITERAL)
        drop_args(step, 1);
    return inlined(fx, node, step);
}

static const struct {
    const char *op;
    bool (*make)(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step);
} operators[] = {
    {"higher_order::associative_scan", associative_scan},
    {"higher_order::cond", cond},
    {"higher_order::foreach_map", inlined},
    {"higher_order::hints_wrapper", hints_wrapper},
    {"higher_order::invoke_subgraph", invoke_subgraph},
    {"higher_order::map_impl", map},
    {"higher_order::out_dtype", out_dtype},
    {"higher_order::print", print},
    {"higher_order::scan", scan},
    {"higher_order::strict_mode", strict_mode},
    {"higher_order::wrap_with_autocast", autocast},
    {"higher_order::wrap_with_set_grad_enabled", set_grad},
    {"higher_order::while_loop", while_loop},
    {"higher_order::while_loop_stack_output", while_loop_stack_output},
};

/* The program that a delegate was made from, or unknown results. */
static void delegate(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    struct dg_schedule *schedule = schedule_by_id(fx, node->lowered_graph);

    if (!schedule || step->n_args < 1) {
        dg_step_opaque(step, dg_format(&fx->schedule->memory, "delegate %s",
                                       node->backend ? node->backend : "without a name")
                                 .data);
        return;
    }
    drop_args(step, 1);
    step->kind = DG_STEP_INLINE;
    step->schedules = dg_alloc(&fx->schedule->memory, 1, sizeof(struct dg_schedule *));
    step->schedules[step->n_schedules++] = schedule;
}

bool dg_fx_is_control(const char *op)
{
    bool is =
        !strcmp(op, DG_FX_GETITEM) || !strcmp(op, DG_FX_DELEGATE) || dg_fx_is_vmap(op);

    for (size_t i = 0; !is && i < sizeof(operators) / sizeof(*operators); i++)
        is = !strcmp(op, operators[i].op);
    return is;
}

bool dg_fx_control(struct dg_fx *fx, struct dg_fx_node *node, struct dg_step *step)
{
    if (!strcmp(node->op, DG_FX_DELEGATE)) {
        delegate(fx, node, step);
        return true;
    }
    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
        if (!strcmp(node->op, operators[i].op))
            return take_graphs(fx, node, step) && operators[i].make(fx, node, step);
    }
    return false;
}
