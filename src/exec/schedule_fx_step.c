/* Steps of FX calls: arguments in the order of the kernel's schema. */
#include "exec/schedule_fx.h"

#include <stdlib.h>

struct dg_step *dg_step_opaque(struct dg_step *step, const char *why)
{
    step->kind = DG_STEP_OPAQUE;
    step->kernel = NULL;
    step->op = step->op ? step->op : "no operator";
    step->why = why;
    return step;
}

void dg_fx_adapt(struct dg_arg *value, const char *type)
{
    bool real = !strncmp(type, "float", strlen("float"));

    if (real && (value->kind == DG_ARG_INT || value->kind == DG_ARG_BOOL)) {
        value->as.real = (double)value->as.integer;
        value->kind = DG_ARG_FLOAT;
    }
}

static bool begins(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static struct dg_arg number(const char *text, const char *type)
{
    struct dg_arg value = {.kind = DG_ARG_INT};

    value.as.integer = strtoll(text, NULL, 10);
    if (text[strcspn(text, ".eE")]) {
        value.kind = DG_ARG_FLOAT;
        value.as.real = strtod(text, NULL);
    }
    dg_fx_adapt(&value, type);
    return value;
}

static struct dg_arg numbers(char *text)
{
    struct dg_arg value = {.kind = DG_ARG_LIST};
    size_t n = 0;

    value.as.list.items = calloc(strlen(text), sizeof(value));
    if (!value.as.list.items)
        dg_out_of_memory();
    for (char *at = strtok(text, "[], "); at; at = strtok(NULL, "[], "))
        value.as.list.items[n++] = number(at, "int");
    value.as.list.n_items = n;
    return value;
}

/* Constants of schemas that are no literals: memory formats mean nothing here. */
static struct dg_arg word(const char *text)
{
    struct dg_arg value = {0};

    if (!strcmp(text, "True") || !strcmp(text, "False"))
        value = (struct dg_arg){DG_ARG_BOOL, {.integer = *text == 'T'}};
    else if (!strcmp(text, "Mean"))
        value = (struct dg_arg){DG_ARG_INT, {.integer = 1}};
    return value;
}

struct dg_arg dg_fx_default(const struct dg_op_arg *arg, struct dg_arena *memory)
{
    struct dg_arg value = {0};
    char *text;

    if (!arg->default_text)
        return value;
    text = dg_copy(memory, (struct dg_text){arg->default_text, arg->default_length});
    if (*text == '\'' || *text == '"') {
        text[strlen(text) - 1] = '\0';
        value.kind = DG_ARG_STRING;
        value.as.string = text + 1;
    } else if (*text == '[') {
        value = numbers(text);
    } else if (strchr("-.0123456789", *text)) {
        value = number(text, arg->type);
    } else {
        value = word(text);
    }
    return value;
}

/* A default as an operand: lists of the schedule hold operands, whose memory is the
 * schedule's.
 */
struct dg_operand dg_fx_default_operand(const struct dg_op_arg *arg,
                                        struct dg_arena *memory)
{
    struct dg_operand operand = {.literal = dg_fx_default(arg, memory)};
    struct dg_arg list = operand.literal;

    if (list.kind != DG_ARG_LIST)
        return operand;
    operand = (struct dg_operand){.kind = DG_OPERAND_LIST};
    operand.n_items = list.as.list.n_items;
    operand.items = dg_alloc(memory, operand.n_items + 1, sizeof(operand));
    for (size_t i = 0; i < operand.n_items; i++)
        operand.items[i].literal = list.as.list.items[i];
    dg_arg_drop(&list);
    return operand;
}

static bool is_named(const struct dg_op_arg *arg, struct dg_text name)
{
    return name.size == arg->name_length && !memcmp(name.data, arg->name, name.size);
}

/* The argument of the node that stands for number `i` of the schema; NULL: the node
 * leaves it out. */
static const struct dg_fx_arg *item_for(const struct dg_fx_node *node, size_t i,
                                        const struct dg_op_arg *arg)
{
    if (i < node->n_items &&
        (!node->items[i].name.size || is_named(arg, node->items[i].name)))
        return &node->items[i];
    for (i = 0; i < node->n_items; i++) {
        if (is_named(arg, node->items[i].name))
            return &node->items[i];
    }
    return NULL;
}

/* What the results are written into; `cursor`: behind the inputs of the schema. */
static void take_outs(struct dg_fx *fx, const struct dg_fx_node *node,
                      struct dg_step *step, const char *cursor,
                      const struct dg_resolved *resolved)
{
    struct dg_op_arg arg = {.kwarg_only = true};

    step->outs =
        dg_alloc(&fx->schedule->memory, resolved->n_outs + 1, sizeof(*step->outs));
    while (step->n_outs < resolved->n_outs && dg_op_next_arg(&cursor, &arg)) {
        const struct dg_fx_arg *item =
            item_for(node, resolved->n_inputs + step->n_outs, &arg);

        step->outs[step->n_outs++] = item ? item->operand : (struct dg_operand){0};
    }
}

static void by_schema(struct dg_fx *fx, const struct dg_fx_node *node,
                      struct dg_step *step, const struct dg_op *op,
                      const struct dg_resolved *resolved)
{
    struct dg_op_arg arg = {0};
    const char *cursor = op->args;

    for (size_t i = 0; i < resolved->n_inputs && dg_op_next_arg(&cursor, &arg); i++) {
        const struct dg_fx_arg *item = item_for(node, i, &arg);
        struct dg_operand *operand = &step->args[resolved->places[i]];

        *operand =
            item ? item->operand : dg_fx_default_operand(&arg, &fx->schedule->memory);
        if (operand->kind == DG_OPERAND_LITERAL)
            dg_fx_adapt(&operand->literal, arg.type);
    }
    if (step->variant == DG_VARIANT_OUT)
        take_outs(fx, node, step, cursor, resolved);
}

/* What the kernel takes beyond the arguments of the overload. */
static void fill_defaults(struct dg_fx *fx, struct dg_step *step)
{
    const struct dg_op *op = dg_op_find(step->kernel->op, strlen(step->kernel->op));
    struct dg_op_arg arg = {0};
    const char *cursor = op ? op->args : "";

    for (size_t i = 0; i < step->n_args && dg_op_next_arg(&cursor, &arg); i++)
        step->args[i] = dg_fx_default_operand(&arg, &fx->schedule->memory);
}

static void by_position(struct dg_fx *fx, const struct dg_fx_node *node,
                        struct dg_step *step)
{
    step->n_args = node->n_items;
    step->args =
        dg_alloc(&fx->schedule->memory, node->n_items + 1, sizeof(*step->args));
    for (size_t i = 0; i < node->n_items; i++)
        step->args[i] = node->items[i].operand;
}

static const struct dg_resolved *resolve(struct dg_fx *fx,
                                         const struct dg_fx_node *node)
{
    struct dg_fx_method *method = fx->method;
    bool listed = node->op_id > 0 && (uint64_t)node->op_id < method->n_resolved;
    struct dg_resolved **kept = listed ? &method->resolved[node->op_id] : NULL;
    struct dg_resolved *known = kept ? *kept : NULL;

    if (known)
        return known;
    known = dg_alloc(&method->root->memory, 1, sizeof(*known));
    *known = dg_resolve(node->op);
    if (kept)
        *kept = known;
    return known;
}

static bool in_namespace(const char *op, const char *name)
{
    return begins(op, name) && begins(op + strlen(name), "::");
}

/* Whether the program declares another dtype for what the node gives than for what it
 * takes. In f64 both have the same. */
static bool changes_dtype(const struct dg_fx *fx, const struct dg_fx_node *node,
                          const struct dg_step *step)
{
    const struct dg_operand *self = &step->args[0];
    struct dg_rows rows;
    struct dg_error ignored;
    bool changes;

    if (self->kind != DG_OPERAND_SLOT ||
        dg_rows_open(&rows, fx->method->store,
                     "SELECT 1 FROM value AS a JOIN value AS b ON a.dtype <> b.dtype"
                     " WHERE a.id = ?1 AND b.id = ?2",
                     &ignored))
        return false;
    dg_rows_bind_int(&rows, 1, fx->schedule->slots[self->slot].value_id);
    dg_rows_bind_int(&rows, 2, node->value_id);
    changes = dg_rows_next(&rows);
    return !dg_rows_close(&rows, DG_OK, &ignored) && changes;
}

static bool asks_for_copy(const struct dg_fx_node *node, const struct dg_op *op)
{
    struct dg_op_arg arg = {0};
    const char *cursor = op->args;

    for (size_t i = 0; dg_op_next_arg(&cursor, &arg); i++) {
        const struct dg_fx_arg *item =
            is_named(&arg, dg_text("copy")) ? item_for(node, i, &arg) : NULL;

        if (item && item->operand.kind == DG_OPERAND_LITERAL)
            return item->operand.literal.as.integer != 0;
    }
    return false;
}

static void note_copy(const struct dg_fx *fx, const struct dg_fx_node *node,
                      const struct dg_op *op, struct dg_step *step)
{
    if (step->kernel->keeps && step->n_args && step->variant == DG_VARIANT_FUNCTIONAL &&
        (asks_for_copy(node, op) || changes_dtype(fx, node, step)))
        step->variant = DG_VARIANT_COPY;
}

/* What the operator of a step that cannot run writes, by its schema. */
static void note_written(struct dg_fx *fx, const struct dg_fx_node *node,
                         const struct dg_op *op, struct dg_step *step)
{
    bool *fills = dg_alloc(&fx->schedule->memory, step->n_args + 1, sizeof(*fills));
    struct dg_op_arg arg = {0};
    const char *cursor = op->args;

    for (size_t i = 0; dg_op_next_arg(&cursor, &arg); i++) {
        const struct dg_fx_arg *item = arg.writes ? item_for(node, i, &arg) : NULL;

        if (item && (size_t)(item - node->items) < step->n_args)
            fills[item - node->items] = true;
    }
    step->fills = fills;
}

void dg_fx_call(struct dg_fx *fx, const struct dg_fx_node *node, struct dg_step *step)
{
    const struct dg_resolved *resolved = resolve(fx, node);
    const struct dg_op *op = dg_op_find(node->op, strlen(node->op));

    step->kind = DG_STEP_CALL;
    step->kernel = resolved->kernel;
    step->variant = resolved->variant;
    if (!step->kernel) {
        by_position(fx, node, step);
        dg_step_opaque(step, dg_why_no_kernel(node->op));
        if (op)
            note_written(fx, node, op, step);
    } else if (!op) {
        by_position(fx, node, step);
    } else {
        step->n_args = resolved->n_args;
        step->args =
            dg_alloc(&fx->schedule->memory, step->n_args + 1, sizeof(*step->args));
        fill_defaults(fx, step);
        by_schema(fx, node, step, op, resolved);
        note_copy(fx, node, op, step);
    }
}

static const char *problem_of(const struct dg_fx_node *node)
{
    for (size_t i = 0; i < node->n_items; i++) {
        if (node->items[i].problem)
            return node->items[i].problem;
    }
    return NULL;
}

enum dg_status dg_fx_step(struct dg_fx *fx, struct dg_fx_node *node,
                          struct dg_step *step)
{
    const char *problem = problem_of(node);

    step->node_id = node->id;
    step->name = dg_copy(&fx->schedule->memory, dg_text(node->name));
    step->op = node->op ? dg_copy(&fx->schedule->memory, dg_text(node->op)) : "";
    step->results = dg_alloc(&fx->schedule->memory, 1, sizeof(*step->results));
    step->results[0] = node->slot;
    step->n_results = 1;
    node->op = step->op;
    if (problem) {
        by_position(fx, node, step);
        dg_step_opaque(step, problem);
    } else if (!strcmp(node->op, DG_FX_GETITEM)) {
        by_position(fx, node, step);
        step->kind = DG_STEP_ITEM;
        if (step->n_args != 2)
            dg_step_opaque(step, "getitem of other than two arguments");
    } else if (begins(node->op, DG_FX_FUNCTORCH)) {
        by_position(fx, node, step);
        if (!dg_fx_vmap(fx, node, step))
            dg_step_opaque(step, dg_why_no_kernel(node->op));
    } else if (in_namespace(node->op, "higher_order")) {
        by_position(fx, node, step);
        if (!dg_fx_control(fx, node, step))
            dg_step_opaque(step, dg_fx_why_no_control(fx, node));
    } else {
        dg_fx_call(fx, node, step);
    }
    return DG_OK;
}
