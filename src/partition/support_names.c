/* Names of operators: how users spell them, wildcards, and which there are. */
#include "partition/support_parts.h"

#include "base/ops.h"

static bool strip(struct dg_text *text, const char *prefix)
{
    size_t size = strlen(prefix);

    if (!dg_text_begins(*text, prefix))
        return false;
    *text = (struct dg_text){text->data + size, text->size - size};
    return true;
}

static bool strip_dialect(struct dg_text *name)
{
    return strip(name, "torch.ops.") ||
           strip(name, "executorch.exir.dialects.edge._ops.") ||
           strip(name, "executorch.exir.dialects.edge.ops.") ||
           strip(name, "executorch.exir.dialects.backend._ops.") ||
           strip(name, "executorch.exir.dialects.backend.ops.") ||
           strip(name, "exir_ops.edge.") || strip(name, "exir_ops.backend.");
}

/* Functions that are no operators: theirs are the names of Python. */
static bool is_function(struct dg_text name)
{
    return dg_text_begins(name, "_operator.") || dg_text_begins(name, "math.") ||
           dg_text_begins(name, "torch.") || dg_text_begins(name, "builtins.") ||
           dg_text_begins(name, "executorch.");
}

static bool has_wildcard(struct dg_text text)
{
    return text.size &&
           (memchr(text.data, '*', text.size) || memchr(text.data, '?', text.size));
}

static size_t find(struct dg_text text, const char *word)
{
    size_t size = strlen(word), i = 0;

    while (i + size <= text.size && memcmp(text.data + i, word, size))
        i++;
    return i + size <= text.size ? i : text.size;
}

struct dg_text dg_op_spelling(struct dg_arena *memory, struct dg_text name)
{
    struct dg_text space, rest;
    size_t split, gap = 2;
    const char *overload;

    if (strip(&name, "operator."))
        return dg_format(memory, "_operator.%.*s", (int)name.size, name.data);
    strip_dialect(&name);
    split = find(name, "::");
    if (split == name.size) {
        split = find(name, ".");
        gap = 1;
    }
    if (split == name.size || is_function(name))
        return dg_format(memory, "%.*s", (int)name.size, name.data ? name.data : "");
    space = (struct dg_text){name.data, split};
    rest = (struct dg_text){name.data + split + gap, name.size - split - gap};
    overload = find(rest, ".") < rest.size || has_wildcard(rest) ||
                       dg_text_is(space, "higher_order")
                   ? ""
                   : ".default";
    return dg_format(memory, "%.*s::%.*s%s", (int)space.size, space.data,
                     (int)rest.size, rest.data, overload);
}

static bool matches_wildcard(struct dg_text pattern, struct dg_text text)
{
    size_t p = 0, t = 0, star = SIZE_MAX, resume = 0;

    while (t < text.size) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size &&
                   (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.data[p] == '*')
        p++;
    return p == pattern.size;
}

bool dg_wildcard_any(const struct dg_text *patterns, size_t n, struct dg_text text)
{
    for (size_t i = 0; i < n; i++) {
        if (matches_wildcard(patterns[i], text))
            return true;
    }
    return false;
}

static const char *const functions[] = {
    "_operator.abs",     "_operator.add",      "_operator.and_",   "_operator.contains",
    "_operator.eq",      "_operator.floordiv", "_operator.ge",     "_operator.getitem",
    "_operator.gt",      "_operator.index",    "_operator.inv",    "_operator.invert",
    "_operator.is_",     "_operator.is_not",   "_operator.le",     "_operator.lshift",
    "_operator.lt",      "_operator.matmul",   "_operator.mod",    "_operator.mul",
    "_operator.ne",      "_operator.neg",      "_operator.not_",   "_operator.or_",
    "_operator.pos",     "_operator.pow",      "_operator.rshift", "_operator.sub",
    "_operator.truediv", "_operator.truth",    "_operator.xor",
};

enum { N_FUNCTIONS = sizeof(functions) / sizeof(*functions) };

static struct dg_text full_name(struct dg_arena *memory, const struct dg_op *op)
{
    return dg_format(memory, "%s%s", op->name,
                     strchr(strstr(op->name, "::"), '.') ? "" : ".default");
}

/* The name as a stored one: wildcards may stand for the overload alone. */
static bool matches_known(struct dg_arena *memory, struct dg_text pattern)
{
    struct dg_text prefix = {pattern.data, 0};

    while (pattern.data[prefix.size] != '*' && pattern.data[prefix.size] != '?')
        prefix.size++;
    for (size_t i = 0; i < dg_n_ops; i++) {
        size_t shared = strlen(dg_ops[i].name);

        if (shared > prefix.size)
            shared = prefix.size;
        if (!memcmp(dg_ops[i].name, prefix.data, shared) &&
            matches_wildcard(pattern, full_name(memory, &dg_ops[i])))
            return true;
    }
    return false;
}

static const char *nearest_op(struct dg_arena *memory, struct dg_text wrong)
{
    const char **names = dg_alloc(memory, dg_n_ops + N_FUNCTIONS, sizeof(*names));

    for (size_t i = 0; i < dg_n_ops; i++)
        names[i] = full_name(memory, &dg_ops[i]).data;
    memcpy(names + dg_n_ops, functions, sizeof(functions));
    return dg_nearest(dg_copy(memory, wrong), names, dg_n_ops + N_FUNCTIONS);
}

static bool is_known_function(struct dg_text name)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        if (dg_text_is(name, functions[i]))
            return true;
    }
    return false;
}

bool dg_op_can_be(struct dg_arena *memory, struct dg_text spelling, const char **near)
{
    bool can;

    *near = NULL;
    if (has_wildcard(spelling))
        can = !dg_op_known_namespace(spelling.data, spelling.size) ||
              matches_known(memory, spelling);
    else if (dg_text_begins(spelling, "_operator."))
        can = is_known_function(spelling);
    else if (dg_op_known_namespace(spelling.data, spelling.size))
        can = dg_op_find(spelling.data, spelling.size) != NULL;
    else
        can = find(spelling, "::") < spelling.size || is_function(spelling);
    if (!can)
        *near = nearest_op(memory, spelling);
    return can;
}
