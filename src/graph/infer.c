/* Calls held to what their kernels ask of sizes, types and dim orders. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sorted.h"
#include "graph/infer_parts.h"

static const struct dg_infer_row rows[] = {
#define INFER(op, sizes, types, accepts, order)                                        \
    {op, dg_infer_##sizes, types, DG_INFER_##accepts, order},
#include "graph/infer.def"
#undef INFER
};

static int compare(const void *key, const void *row)
{
    return strcmp(key, ((const struct dg_infer_row *)row)->op);
}

/* Arguments for what kernels cannot do: flags that must not be set, and words of which
 * they know two. */
static const char *const flags[] = {"non_blocking", "implicit", "half_to_float"};
static const char *const words[][3] = {{"approximate", "none", "tanh"},
                                       {"rounding_mode", "trunc", "floor"}};
enum {
    N_FLAGS = sizeof(flags) / sizeof(*flags),
    N_WORDS = sizeof(words) / sizeof(*words)
};

static bool is_limited(const struct dg_op_arg *arg)
{
    bool limited = dg_infer_is_named(arg, "memory_format");

    for (size_t i = 0; i < N_FLAGS; i++)
        limited |= dg_infer_is_named(arg, flags[i]);
    for (size_t i = 0; i < N_WORDS; i++)
        limited |= dg_infer_is_named(arg, words[i][0]);
    return limited;
}

const struct dg_infer_op *dg_infer_op(const struct dg_op *schema,
                                      struct dg_arena *memory)
{
    const struct dg_infer_row *row = dg_search(
        schema->name, rows, sizeof(rows) / sizeof(*rows), sizeof(*rows), compare);
    struct dg_infer_op *op;
    const char *cursor = schema->args;
    struct dg_op_arg arg = {0};

    if (!row)
        return NULL;
    op = dg_alloc(memory, 1, sizeof(*op));
    op->row = row;
    op->schema = schema;
    while (op->n_args < DG_INFER_ARGS && dg_op_next_arg(&cursor, &arg)) {
        op->args[op->n_args++] = arg;
        op->n_inputs += !arg.is_out;
        op->limited |= is_limited(&arg);
    }
    return op;
}

size_t dg_infer_operands(const struct dg_infer_op *op)
{
    return op->n_args + (op->n_inputs == op->n_args && *op->schema->returns);
}

/* The first of the results: an out argument, the operand behind the inputs of an
 * operator without them, or the first operand of one that gives nothing back. */
static const struct dg_known *first_result(const struct dg_infer_call *call)
{
    size_t n_inputs = call->op->n_inputs;

    return &call->args[dg_infer_operands(call->op) > n_inputs ? n_inputs : 0];
}

const struct dg_known *dg_infer_result(const struct dg_infer_call *call)
{
    const struct dg_known *first = first_result(call);

    return first->kind == DG_ARG_LIST ? &first->as.list.items[call->out]
                                      : first + call->out;
}

static size_t count_results(const struct dg_infer_call *call)
{
    const struct dg_known *first = first_result(call);

    return first->kind == DG_ARG_LIST ? first->as.list.n_items
           : first == call->args      ? 1
                                 : dg_infer_operands(call->op) - call->op->n_inputs;
}

/* Each result of a list is held to the operands: to no long list of them. */
static bool is_too_long(const struct dg_infer_call *call)
{
    bool is_long = false;

    for (size_t i = 0; i < call->op->n_inputs; i++)
        is_long |= call->args[i].kind == DG_ARG_LIST &&
                   call->args[i].as.list.n_items > DG_RANK_MOST;
    return is_long && call->n_out > DG_RANK_MOST;
}

static void write_sizes(struct dg_writer *out, int rank, const int64_t *sizes)
{
    dg_print(out, "[");
    for (int i = 0; i < rank; i++)
        dg_print(out, "%s%lld", i ? "," : "", (long long)sizes[i]);
    dg_print(out, "]");
}

void dg_infer_visit(const struct dg_infer_call *call, size_t first, size_t end,
                    dg_infer_visit_fn *visit, void *context)
{
    for (size_t i = first; i < end; i++) {
        const struct dg_known *known = &call->args[i];
        const struct dg_op_arg *arg = i < call->op->n_args ? &call->op->args[i] : NULL;

        if (known->kind == DG_ARG_TENSOR)
            visit(context, known, arg);
        for (size_t k = 0; known->kind == DG_ARG_LIST && k < known->as.list.n_items;
             k++) {
            if (known->as.list.items[k].kind == DG_ARG_TENSOR)
                visit(context, &known->as.list.items[k], arg);
        }
    }
}

static void write_operand(void *context, const struct dg_known *known,
                          const struct dg_op_arg *arg)
{
    struct dg_writer *out = context;

    dg_print(out, out->size ? ", " : "refuses operands of sizes ");
    write_sizes(out, known->as.tensor->rank, known->as.tensor->sizes);
}

enum dg_inferred dg_infer_refuse(const struct dg_infer_call *call)
{
    dg_infer_visit(call, 0, call->op->n_inputs, write_operand, call->why);
    return DG_INFER_REFUSED;
}

/* What dg_tensor_... of the runtime does with a tensor of these sizes. */
static bool can_resize(const struct dg_infer_call *call, enum dg_inferred inferred,
                       const struct dg_known_tensor *declared)
{
    int64_t count = 1;

    if (call->rank != declared->rank)
        return false;
    if (inferred == DG_INFER_RANK || (inferred == DG_INFER_BOUND && !declared->bounded))
        return true;
    if (!declared->bounded)
        return !memcmp(call->sizes, declared->sizes,
                       (size_t)call->rank * sizeof(*call->sizes));
    for (int i = 0; i < call->rank; i++) {
        if (__builtin_mul_overflow(count, call->sizes[i], &count))
            return false;
    }
    return count <= dg_infer_count(declared) || !call->rank;
}

static enum dg_misfit check_sizes(struct dg_infer_call *call)
{
    const struct dg_known *known = dg_infer_result(call);
    enum dg_inferred inferred = call->op->row->sizes(call);

    if (inferred == DG_INFER_REFUSED)
        return DG_MISFIT_OPERANDS;
    if (inferred == DG_INFER_NOTHING || known->kind != DG_ARG_TENSOR ||
        can_resize(call, inferred, known->as.tensor))
        return DG_FITS;
    if (inferred == DG_INFER_RANK)
        dg_print(call->why, "gives %d dimensions", call->rank);
    else
        dg_print(call->why, "gives sizes "),
            write_sizes(call->why, call->rank, call->sizes);
    dg_print(call->why, "; value %lld is declared as ", (long long)known->idx);
    write_sizes(call->why, known->as.tensor->rank, known->as.tensor->sizes);
    return DG_MISFIT_SIZES;
}

static bool asks_too_much(const struct dg_infer_call *call)
{
    const struct dg_known *format = dg_infer_arg(call, "memory_format");
    size_t before = call->why->size;

    if (format && format->kind == DG_ARG_INT &&
        (format->as.integer < 0 || format->as.integer > 1))
        dg_print(call->why, "knows no memory format %lld",
                 (long long)format->as.integer);
    for (size_t i = 0; i < N_FLAGS; i++) {
        const struct dg_known *known = dg_infer_arg(call, flags[i]);

        if (known && known->kind == DG_ARG_BOOL && known->as.integer)
            dg_print(call->why, "refuses to be %s", flags[i]);
    }
    for (size_t i = 0; i < N_WORDS; i++) {
        const struct dg_known *known = dg_infer_arg(call, words[i][0]);

        if (known && known->kind == DG_ARG_STRING &&
            strcmp(known->as.string, words[i][1]) &&
            strcmp(known->as.string, words[i][2]))
            dg_print(call->why, "knows no %s \"%.40s\"; expected %s or %s", words[i][0],
                     known->as.string, words[i][1], words[i][2]);
    }
    return call->why->size > before;
}

enum dg_misfit dg_infer_check(struct dg_writer *why, const struct dg_infer_op *op,
                              const struct dg_known *args)
{
    struct dg_infer_call call = {.op = op, .args = args, .why = why};
    enum dg_misfit misfit = DG_FITS;

    if (op->limited && asks_too_much(&call))
        return DG_MISFIT_OPERANDS;
    call.n_out = count_results(&call);
    if (is_too_long(&call))
        return DG_FITS;
    for (; !misfit && call.out < call.n_out; call.out++) {
        misfit = dg_infer_types(&call);
        if (!misfit)
            misfit = check_sizes(&call);
    }
    return misfit ? misfit : dg_infer_order(&call);
}

bool dg_infer_is_named(const struct dg_op_arg *arg, const char *name)
{
    return arg && arg->name_length == strlen(name) &&
           !memcmp(arg->name, name, arg->name_length);
}

const struct dg_known *dg_infer_arg(const struct dg_infer_call *call, const char *name)
{
    for (size_t i = 0; i < call->op->n_args; i++) {
        if (dg_infer_is_named(&call->op->args[i], name))
            return &call->args[i];
    }
    return NULL;
}
