/* The table of operators, and reading their schemas. */
#include "base/ops.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

const struct dg_op dg_ops[] = {
#define OP(name, args, returns, flags) {name, args, returns, flags},
#include "base/ops.def"
#undef OP
};

const size_t dg_n_ops = sizeof(dg_ops) / sizeof(*dg_ops);

struct name {
    const char *text;
    size_t length;
};

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static int compare_name(const void *key, const void *row)
{
    const struct name *name = key;
    const struct dg_op *op = row;
    size_t length = strlen(op->name);
    int order =
        memcmp(name->text, op->name, name->length < length ? name->length : length);

    if (order)
        return order;
    return (name->length > length) - (name->length < length);
}

const struct dg_op *dg_op_find(const char *name, size_t length)
{
    static const char suffix[] = ".default";
    const size_t n = sizeof(suffix) - 1;
    struct name key = {name, length};

    if (length > n && !memcmp(name + length - n, suffix, n))
        key.length -= n;
    return dg_search(&key, dg_ops, dg_n_ops, sizeof(*dg_ops), compare_name);
}

bool dg_op_known_namespace(const char *name, size_t length)
{
    static const char aten[] = "aten::";

    return length >= sizeof(aten) - 1 && !memcmp(name, aten, sizeof(aten) - 1);
}

/* The place after the bracket that closes the one at `at`. */
static const char *after_bracket(const char *at)
{
    int depth = 0;

    do {
        depth += *at == '(' || *at == '[';
        depth -= *at == ')' || *at == ']';
        at++;
    } while (depth && *at);
    return at;
}

static const char *after_quoted(const char *at)
{
    char quote = *at++;

    while (*at && *at != quote)
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

/* The place of the comma after a default value, or of the end of the text. */
static const char *after_default(const char *at)
{
    while (*at && *at != ',') {
        if (*at == '(' || *at == '[')
            at = after_bracket(at);
        else if (*at == '\'' || *at == '"')
            at = after_quoted(at);
        else
            at++;
    }
    return at;
}

static void append_type(struct dg_op_arg *arg, const char *start, const char *end)
{
    size_t length = strlen(arg->type), n = (size_t)(end - start);

    assert(length + n < sizeof(arg->type));
    memcpy(arg->type + length, start, n);
    arg->type[length + n] = '\0';
}

/* A parenthesis after these holds types; after any other type, an alias mark. */
static bool holds_types(const char *type)
{
    return starts_with(type, "Dict(") || starts_with(type, "Future(") ||
           starts_with(type, "RRef(");
}

/* "Tensor", "Dict(int, t)", "(int, t)": all before marks, brackets and `?`. */
static const char *after_base_type(const char *at)
{
    const char *end = at + strcspn(at, " ,([?");

    return end == at || holds_types(at) ? after_bracket(end) : end;
}

static const char *read_alias(struct dg_op_arg *arg, const char *at)
{
    arg->alias = at + 1;
    arg->alias_length = strcspn(arg->alias, "! )");
    arg->writes = arg->alias[arg->alias_length] == '!';
    arg->is_out = arg->writes && arg->kwarg_only;
    return after_bracket(at);
}

static const char *read_type(struct dg_op_arg *arg, const char *at)
{
    const char *end = after_base_type(at);

    append_type(arg, at, end);
    for (at = end; *at == '(' || *at == '[' || *at == '?'; at = end) {
        if (*at == '(') {
            end = read_alias(arg, at);
        } else {
            end = *at == '?' ? at + 1 : after_bracket(at);
            append_type(arg, at, end);
        }
    }
    return at;
}

static const char *read_name_and_default(struct dg_op_arg *arg, const char *at)
{
    arg->name = *at == ' ' ? at + 1 : at;
    arg->name_length = strcspn(arg->name, "=,");
    at = arg->name + arg->name_length;
    if (*at != '=')
        return at;
    arg->default_text = at + 1;
    at = after_default(arg->default_text);
    arg->default_length = (size_t)(at - arg->default_text);
    return at;
}

bool dg_op_next_arg(const char **cursor, struct dg_op_arg *arg)
{
    const char *at = *cursor;
    bool kwarg_only = arg->kwarg_only;

    if (starts_with(at, "*, ")) {
        kwarg_only = true;
        at += strlen("*, ");
    }
    if (!*at || *at == '.')
        return false;
    *arg = (struct dg_op_arg){.kwarg_only = kwarg_only};
    at = read_name_and_default(arg, read_type(arg, at));
    *cursor = starts_with(at, ", ") ? at + strlen(", ") : at;
    return true;
}

static size_t count(const char *cursor)
{
    struct dg_op_arg arg = {0};
    size_t n = 0;

    while (dg_op_next_arg(&cursor, &arg))
        n++;
    return n;
}

size_t dg_op_n_args(const struct dg_op *op)
{
    return count(op->args);
}

size_t dg_op_n_returns(const struct dg_op *op)
{
    return count(op->returns);
}
