/* Which calls a backend takes: lists of operators, and their verdict on a graph. */
#include "partition/support_parts.h"

#include <stdlib.h>
#include <strings.h>

#include "formats/input.h"

static struct dg_support *create(const char *name)
{
    struct dg_support *support = calloc(1, sizeof(*support));

    if (!support)
        dg_out_of_memory();
    support->name = dg_text(dg_copy(&support->memory, dg_text(name)));
    return support;
}

void dg_support_free(struct dg_support *support)
{
    if (!support)
        return;
    free(support->arg_ops);
    dg_arena_clear(&support->memory);
    free(support);
}

struct dg_text dg_support_name(const struct dg_support *support)
{
    return support->name;
}

bool dg_support_has_groups(const struct dg_support *support)
{
    return support && support->n_groups;
}

static struct dg_text trim(struct dg_text text)
{
    while (text.size && strchr(" \t\n", text.data[0]))
        text = (struct dg_text){text.data + 1, text.size - 1};
    while (text.size && strchr(" \t\n", text.data[text.size - 1]))
        text.size--;
    return text;
}

static enum dg_status add_name(struct dg_support *support,
                               struct dg_support_match *match, struct dg_text name,
                               struct dg_error *err)
{
    struct dg_text op = dg_op_spelling(&support->memory, name);
    const char *near;

    if (!name.size)
        return DG_OK;
    match->ops[match->n_ops++] = op;
    if (dg_op_can_be(&support->memory, op, &near))
        return DG_OK;
    if (near)
        return dg_fail(err, DG_ERR_USAGE, "unknown operator '%.*s'; did you mean '%s'?",
                       (int)name.size, name.data, near);
    return dg_fail(err, DG_ERR_USAGE,
                   "unknown operator '%.*s'; expected a name like aten::add.Tensor",
                   (int)name.size, name.data);
}

static enum dg_status add_names(struct dg_support *support,
                                struct dg_support_match *match, const char *names,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;
    size_t room = 1;

    for (const char *at = names; *at; at++)
        room += *at == ',';
    match->ops = dg_alloc(&support->memory, room, sizeof(*match->ops));
    while (*names && !status) {
        size_t size = strcspn(names, ",");

        status = add_name(support, match, trim((struct dg_text){names, size}), err);
        names += size + (names[size] == ',');
    }
    return status;
}

static struct dg_support_match plain_match(void)
{
    struct dg_support_range open = {INT64_MIN, INT64_MAX};
    struct dg_support_tensor any = {.rank = open, .elements = open, .constant = -1};

    return (struct dg_support_match){.inputs = any, .outputs = any};
}

enum dg_status dg_support_from_list(struct dg_support **out, const char *names,
                                    bool except, struct dg_error *err)
{
    struct dg_support *support = create("the list");
    struct dg_text *all = dg_alloc(&support->memory, 1, sizeof(*all));
    enum dg_status status;

    *all = dg_text("*");
    support->rules = dg_alloc(&support->memory, 2, sizeof(*support->rules));
    support->n_rules = except ? 2 : 1;
    support->rules[0] = (struct dg_support_rule){.match = plain_match()};
    support->rules[0].refuse = except;
    support->rules[1] = (struct dg_support_rule){.match = plain_match()};
    support->rules[1].match.ops = all;
    support->rules[1].match.n_ops = 1;
    status = add_names(support, &support->rules[0].match, names, err);
    *out = status ? NULL : support;
    if (status)
        dg_support_free(support);
    return status;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

enum dg_status dg_support_from_file(struct dg_support **out, const char *path,
                                    struct dg_error *err)
{
    struct dg_support *support = create(base_name(path));
    struct dg_input input;
    enum dg_status status = dg_input_map(&input, path, err);
    struct dg_text text = {(const char *)input.file.data, input.file.size};

    if (!status)
        text.data = dg_copy(&support->memory, text);
    dg_input_close(&input);
    if (!status)
        status = dg_support_parse(support, text, path, err);
    *out = status ? NULL : support;
    if (status)
        dg_support_free(support);
    return status;
}

static const struct {
    const char *name, *text;
} backends[] = {
    {
        "aoti",
#include "partition/backends/aoti.json.inc"
    },
    {
        "vulkan",
#include "partition/backends/vulkan.json.inc"
    },
    {
        "xnnpack",
#include "partition/backends/xnnpack.json.inc"
    },
};

enum { N_BACKENDS = sizeof(backends) / sizeof(*backends) };

const char *dg_support_backend(size_t i)
{
    return i < N_BACKENDS ? backends[i].name : NULL;
}

const struct dg_listed_backend dg_listed_backends[] = {
    {"XnnpackBackend", "xnnpack"},
    {"VulkanBackend", "vulkan"},
    {"CudaBackend", "aoti"},
    {"MetalBackend", "aoti"},
    {NULL, NULL},
};

const char *dg_support_of_delegate(const char *name)
{
    if (!strcasecmp(name, "cuda") || !strcasecmp(name, "metal"))
        return "aoti";
    for (const struct dg_listed_backend *one = dg_listed_backends; one->list; one++) {
        if (!strcasecmp(name, one->backend))
            return one->list;
    }
    return NULL;
}

const char *dg_backend_of_support(const char *list)
{
    for (const struct dg_listed_backend *one = dg_listed_backends; one->list; one++) {
        if (!strcmp(list, one->list))
            return one->backend;
    }
    return NULL;
}

static enum dg_status no_such_backend(const char *name, struct dg_error *err)
{
    const char *names[N_BACKENDS], *near = dg_support_of_delegate(name);

    for (size_t i = 0; i < N_BACKENDS; i++)
        names[i] = backends[i].name;
    near = near ? near : dg_nearest(name, names, N_BACKENDS);
    if (near)
        return dg_fail(err, DG_ERR_USAGE, "unknown backend '%s'; did you mean '%s'?",
                       name, near);
    return dg_fail(err, DG_ERR_USAGE,
                   "unknown backend '%s'; there are aoti, vulkan and xnnpack", name);
}

enum dg_status dg_support_from_backend(struct dg_support **out, const char *name,
                                       struct dg_error *err)
{
    size_t i = 0;
    enum dg_status status;

    *out = NULL;
    while (i < N_BACKENDS && strcmp(backends[i].name, name))
        i++;
    if (i == N_BACKENDS)
        return no_such_backend(name, err);
    *out = create(name);
    status = dg_support_parse(*out, dg_text(backends[i].text), name, err);
    if (status) {
        dg_support_free(*out);
        *out = NULL;
    }
    return status;
}
