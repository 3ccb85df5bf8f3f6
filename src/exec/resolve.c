/* From an overload to the kernel that runs it. */
#include "exec/schedule.h"

#include <stdio.h>
#include <string.h>

#include "base/ops.h"

enum { NAME_MOST = 96 };

static bool same_name(const struct dg_op_arg *a, const struct dg_op_arg *b)
{
    return a->name_length == b->name_length &&
           !memcmp(a->name, b->name, a->name_length);
}

/* "Tensor" takes what "Tensor?" does, "int" what "int?" does. */
static bool takes(const char *wide, const char *narrow)
{
    size_t length = strlen(narrow);

    return !strncmp(wide, narrow, length) &&
           (!wide[length] || !strcmp(wide + length, "?"));
}

/* Whether `kernel` takes all inputs of `op`, by name and type, and can do without its
 * other arguments. Fills the places. */
static bool fits(struct dg_resolved *resolved, const struct dg_op *op,
                 const struct dg_op *kernel)
{
    struct dg_op_arg want = {0}, have = {0};
    const char *inputs = op->args, *cursor = kernel->args;
    bool more = dg_op_next_arg(&inputs, &want);

    resolved->n_inputs = resolved->n_args = 0;
    while (dg_op_next_arg(&cursor, &have)) {
        bool first = !resolved->n_args; /* dropout has `input`, dropout_ `self` */
        bool same = more && !want.is_out && (first || same_name(&want, &have)) &&
                    takes(have.type, want.type);

        if (resolved->n_args == DG_ARGS_MOST)
            return false;
        if (same) {
            resolved->places[resolved->n_inputs++] = (unsigned char)resolved->n_args;
            more = dg_op_next_arg(&inputs, &want);
        } else if (!have.default_text) {
            return false;
        }
        resolved->n_args++;
    }
    return !more || want.is_out;
}

static size_t count_outs(const struct dg_op *op)
{
    struct dg_op_arg arg = {0};
    const char *cursor = op->args;
    size_t n = 0;

    while (dg_op_next_arg(&cursor, &arg))
        n += arg.is_out;
    return n;
}

/* "aten::add" of "aten::add.Tensor": its length */
static size_t base_length(const char *op)
{
    const char *name = strstr(op, "::");

    return name ? (size_t)(name - op) + 2 + strcspn(name + 2, ".") : strlen(op);
}

/* The first row of the base name `base` that fits, the one of the same overload before
 * all others. */
static bool find(struct dg_resolved *resolved, const struct dg_op *op, const char *base)
{
    const char *overload = op->name + base_length(op->name);
    char name[2 * NAME_MOST];
    size_t length = strlen(base);
    const struct dg_kernel *row;
    const struct dg_op *schema;

    snprintf(name, sizeof(name), "%s%s", base, overload);
    row = dg_kernel_find(name);
    schema = row ? dg_op_find(name, strlen(name)) : NULL;
    if (schema && fits(resolved, op, schema)) {
        resolved->kernel = row;
        return true;
    }
    for (row = dg_kernels; row->op; row++) {
        if (strncmp(row->op, base, length) ||
            (row->op[length] && row->op[length] != '.'))
            continue;
        schema = dg_op_find(row->op, strlen(row->op));
        if (schema && fits(resolved, op, schema)) {
            resolved->kernel = row;
            return true;
        }
    }
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), n = strlen(end);

    return length > n && !strcmp(text + length - n, end);
}

/* A row of exactly this overload: arguments as they stand. */
static void as_it_stands(struct dg_resolved *resolved, const struct dg_kernel *kernel,
                         const struct dg_op *op)
{
    size_t n_args = op ? dg_op_n_args(op) : 0;

    if (n_args > DG_ARGS_MOST)
        return;
    resolved->kernel = kernel;
    resolved->n_outs = op ? count_outs(op) : 0;
    resolved->n_args = n_args;
    resolved->n_inputs = n_args - resolved->n_outs;
    for (size_t i = 0; i < n_args; i++)
        resolved->places[i] = (unsigned char)i;
}

/* "aten::add_" to "aten::add", "aten::__ior__" to "aten::__or__" */
static bool strip_in_place(char *base, size_t length)
{
    char *inner = strstr(base, "::__i");

    if (inner) {
        memmove(inner + 4, inner + 5, strlen(inner + 4));
        return true;
    }
    if (!ends_with(base, "_") || ends_with(base, "__"))
        return false;
    base[length - 1] = '\0';
    return true;
}

/* By its base name: `.out` first, then in place, then the copy of a view. */
static void derive(struct dg_resolved *resolved, const struct dg_op *op)
{
    size_t length = base_length(op->name);
    char base[NAME_MOST];
    bool out = op->flags & DG_OP_OUT;

    if (length >= sizeof(base))
        return;
    memcpy(base, op->name, length);
    base[length] = '\0';
    resolved->n_outs = out ? count_outs(op) : 0;
    resolved->variant = out ? DG_VARIANT_OUT : DG_VARIANT_FUNCTIONAL;
    if (find(resolved, op, base))
        return;
    if (ends_with(base, "_copy")) {
        base[length - strlen("_copy")] = '\0';
        if (!out)
            resolved->variant = DG_VARIANT_COPY;
    } else if (!out && strip_in_place(base, length)) {
        resolved->variant = DG_VARIANT_IN_PLACE;
    } else {
        return;
    }
    find(resolved, op, base);
}

struct dg_resolved dg_resolve(const char *name)
{
    struct dg_resolved resolved = {0};
    const struct dg_op *op = dg_op_find(name, strlen(name));
    const struct dg_kernel *kernel = dg_kernel_find(name);

    if (kernel)
        as_it_stands(&resolved, kernel, op);
    else if (op)
        derive(&resolved, op);
    return resolved;
}

const char *dg_why_no_kernel(const char *op)
{
    struct dg_text name = dg_text(op);

    if (dg_text_begins(name, "torch._functorch."))
        return "a transform of torch.func other than vmap";
    return dg_op_known_namespace(op, name.size) || dg_op_find(op, name.size)
               ? "no kernel"
               : "a custom operator";
}
