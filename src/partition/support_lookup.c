/* Arguments of calls by name or position, with the defaults of schemas. */
#include "partition/support_parts.h"

#include <stdlib.h>

#include "base/ops.h"

/* "None", "True", "3", "1.0", "'none'", "[1, 1]": the texts of schemas. */
static struct dg_support_item default_item(struct dg_text text)
{
    struct dg_support_item item = {0};
    char buffer[80];
    size_t size = text.size < sizeof(buffer) ? text.size : sizeof(buffer) - 1;

    memcpy(buffer, text.data, size);
    buffer[size] = '\0';
    if (dg_text_is(text, "True") || dg_text_is(text, "False")) {
        item.type = DG_ITEM_BOOL;
        item.integer = *buffer == 'T';
    } else if (*buffer == '\'' || *buffer == '"') {
        item.type = DG_ITEM_STRING;
        item.text = (struct dg_text){text.data + 1, text.size - 2};
    } else if (strchr("-0123456789", *buffer)) {
        item.type = strpbrk(buffer, ".eE") ? DG_ITEM_FLOAT : DG_ITEM_INT;
        item.real = strtod(buffer, NULL);
        item.integer = strtoll(buffer, NULL, 10);
    }
    return item;
}

static struct dg_support_items default_items(struct dg_arena *memory,
                                             struct dg_text text)
{
    const char *at = text.data, *end = text.data + text.size;
    struct dg_support_items out = {0};

    out.items = dg_alloc(memory, text.size / 2 + 1, sizeof(*out.items));
    if (*at != '[') {
        out.items[out.n_items++] = default_item(text);
        return out;
    }
    while (++at < end && *at != ']') {
        const char *begin = at;

        while (at < end && *at != ',' && *at != ']')
            at++;
        if (*begin == ' ')
            begin++;
        if (at > begin)
            out.items[out.n_items++] =
                default_item((struct dg_text){begin, (size_t)(at - begin)});
        if (at < end && *at == ']')
            break;
    }
    return out;
}

static void default_of(struct dg_support_call_arg *out, struct dg_support_facts *facts,
                       struct dg_text text)
{
    struct dg_support_default *known =
        &facts->defaults[((uintptr_t)text.data >> 2) % DG_SUPPORT_DEFAULTS];

    if (known->text != text.data)
        *known =
            (struct dg_support_default){text.data, default_items(&facts->memory, text)};
    out->items = known->items.items;
    out->n_items = known->items.n_items;
}

/* The schema's argument of that name or position, and its position. */
static bool find_in_schema(struct dg_op_arg *out, int64_t *position, struct dg_text op,
                           struct dg_text name)
{
    const struct dg_op *known = op.data ? dg_op_find(op.data, op.size) : NULL;
    const char *cursor = known ? known->args : NULL;
    int64_t i = 0;

    *out = (struct dg_op_arg){0};
    while (known && dg_op_next_arg(&cursor, out)) {
        if (name.data
                ? dg_text_equal(name, (struct dg_text){out->name, out->name_length})
                : i == *position) {
            *position = i;
            return true;
        }
        i++;
    }
    return false;
}

static const struct dg_support_schema *schema_of(struct dg_support_facts *facts,
                                                 struct dg_text op, struct dg_text name,
                                                 int64_t position)
{
    uintptr_t key = ((uintptr_t)op.data >> 3) + (uintptr_t)name.data;
    struct dg_support_schema *schema =
        &facts->schemas[(key + (uint64_t)position) % DG_SUPPORT_DEFAULTS];

    if (schema->op != op.data || schema->name != name.data ||
        schema->asked != position) {
        *schema = (struct dg_support_schema){op.data, name.data, position, position};
        schema->known = find_in_schema(&schema->arg, &schema->position, op, name);
    }
    return schema;
}

static bool is_closed(struct dg_text op)
{
    const struct dg_op *known = dg_op_find(op.data, op.size);

    return known && !(known->flags & DG_OP_MORE_ARGS);
}

static bool some_has(const struct dg_support_match *match, struct dg_text name)
{
    struct dg_op_arg arg;
    int64_t position = -1;

    for (size_t i = 0; i < match->n_ops; i++) {
        if (find_in_schema(&arg, &position, match->ops[i], name))
            return true;
    }
    return false;
}

const struct dg_support_arg *
dg_support_unknown_arg(const struct dg_support_match *match)
{
    for (size_t i = 0; i < match->n_ops; i++) {
        if (!is_closed(match->ops[i]))
            return NULL;
    }
    for (size_t i = 0; i < match->n_args && match->n_ops; i++) {
        if (match->args[i].name.data && !some_has(match, match->args[i].name))
            return &match->args[i];
    }
    return NULL;
}

bool dg_support_arg_of(struct dg_support_call_arg *out, struct dg_support_facts *facts,
                       const struct dg_nodes *nodes, uint32_t node, struct dg_text name,
                       int64_t position)
{
    const struct dg_support_call *call = &facts->calls[node];
    const struct dg_support_schema *schema =
        schema_of(facts, dg_nodes_op(nodes, node), name, position);

    position = schema->position;
    if (schema->known)
        name = (struct dg_text){schema->arg.name, schema->arg.name_length};
    for (size_t i = 0; i < call->n_args; i++) {
        if (name.size && dg_text_equal(call->args[i].name, name)) {
            *out = call->args[i];
            return true;
        }
    }
    if (position >= 0 && (size_t)position < call->n_args &&
        (!schema->known || !call->args[position].name.size)) {
        *out = call->args[position];
        out->name = schema->known ? name : out->name;
        return true;
    }
    if (!schema->known || !schema->arg.default_text)
        return false;
    *out = (struct dg_support_call_arg){.name = name};
    default_of(out, facts,
               (struct dg_text){schema->arg.default_text, schema->arg.default_length});
    return true;
}
