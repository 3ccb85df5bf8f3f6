/* Lists of supported operators in JSON (doc/support.md): rules, and what they hold. */
#include "partition/support_reader.h"

#include <stdlib.h>

static const struct dg_support_range any_number = {INT64_MIN, INT64_MAX};

static void read_nested(struct dg_support_reader *reader,
                        struct dg_support_match *match);

static void read_producer(struct dg_support_reader *reader, void *target)
{
    struct dg_support_match *match =
        dg_alloc(&reader->support->memory, 1, sizeof(*match));

    read_nested(reader, match);
    ((struct dg_support_tensor *)target)->producer = match;
}

static void read_in(struct dg_support_reader *reader, void *target)
{
    dg_support_read_items(reader, &((struct dg_support_arg *)target)->in);
}

static void read_not_in(struct dg_support_reader *reader, void *target)
{
    dg_support_read_items(reader, &((struct dg_support_arg *)target)->not_in);
}

static void read_number_range(struct dg_support_reader *reader, void *target)
{
    dg_support_read_range(reader, &((struct dg_support_arg *)target)->range);
}

static void read_count(struct dg_support_reader *reader, void *target)
{
    dg_support_read_range(reader, &((struct dg_support_arg *)target)->count);
}

static void read_tensors(struct dg_support_reader *reader, void *target)
{
    dg_support_read_range(reader, &((struct dg_support_arg *)target)->tensors);
}

static void read_literal(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_arg *)target)->literal = dg_json_bool(&reader->json);
}

static void read_dims(struct dg_support_reader *reader, void *target)
{
    dg_support_read_items(reader, &((struct dg_support_arg *)target)->dims);
    reader->support->values = true;
}

static void read_dims_of(struct dg_support_reader *reader, void *target)
{
    static const char *const words[] = {"input", "output"};

    ((struct dg_support_arg *)target)->dims_of_output =
        dg_support_read_word(reader, "side", words, 2);
}

static void read_at_most(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_arg *)target)->at_most = dg_json_string(&reader->json);
}

static bool read_keep_word(struct dg_support_reader *reader)
{
    bool keep = dg_json_bool(&reader->json);

    if (!reader->in_groups && !reader->json.failed)
        dg_json_fail(&reader->json, "line %d: \"keep\" is for \"groups\"",
                     dg_support_line(reader));
    reader->n_kept += keep;
    return keep;
}

static void read_keep_arg(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_arg *)target)->keep = read_keep_word(reader);
}

static void read_arg(struct dg_support_reader *reader, struct dg_support_arg *arg,
                     struct dg_text key)
{
    static const struct dg_support_field fields[] = {
        DG_SUPPORT_TENSOR_FIELDS,
        {"producer", read_producer},
        {"in", read_in},
        {"not_in", read_not_in},
        {"range", read_number_range},
        {"count", read_count},
        {"tensors", read_tensors},
        {"literal", read_literal},
        {"dims", read_dims},
        {"dims_of", read_dims_of},
        {"at_most", read_at_most},
        {"keep", read_keep_arg},
    };

    *arg = (struct dg_support_arg){
        .tensor = {.rank = any_number, .elements = any_number, .constant = -1},
        .name = key,
        .position = -1,
        .range = any_number,
        .count = any_number,
        .tensors = any_number,
    };
    if (key.size == 1 && key.data[0] >= '0' && key.data[0] <= '9') {
        arg->name.data = NULL;
        arg->position = key.data[0] - '0';
    }
    DG_READ_OBJECT(reader, fields, arg);
}

/* Conditions on arguments read arguments and look at what they name. */
static void note_args(struct dg_support_reader *reader, struct dg_support_match *match)
{
    struct dg_support *support = reader->support;
    const struct dg_support_arg *unknown = dg_support_unknown_arg(match);

    if (unknown)
        dg_json_fail(&reader->json,
                     "line %d: no operator of \"ops\" has an argument "
                     "\"%.*s\"",
                     dg_support_line(reader), (int)unknown->name.size,
                     unknown->name.data);
    if (!match->n_ops)
        *DG_APPEND(support->arg_ops, support->n_arg_ops) = dg_text("*");
    for (size_t i = 0; i < match->n_ops; i++)
        *DG_APPEND(support->arg_ops, support->n_arg_ops) = match->ops[i];
}

static void read_args(struct dg_support_reader *reader, void *target)
{
    struct dg_support_match *match = target;
    struct dg_text key;

    dg_json_object(&reader->json);
    while (dg_json_key(&reader->json, &key)) {
        struct dg_support_arg arg;

        read_arg(reader, &arg, key);
        *DG_APPEND(match->args, match->n_args) = arg;
    }
    DG_KEEP(reader, match->args, match->n_args);
}

static void read_same_order(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_tensor *)target)->same_order = dg_json_bool(&reader->json);
    reader->support->values = reader->support->strides = true;
}

static void read_tensor(struct dg_support_reader *reader,
                        struct dg_support_tensor *tensor)
{
    static const struct dg_support_field fields[] = {
        DG_SUPPORT_TENSOR_FIELDS,
        {"producer", read_producer},
        {"only_tensors", dg_support_read_only},
        {"same_dtype", dg_support_read_alike},
        {"same_order", read_same_order},
    };

    DG_READ_OBJECT(reader, fields, tensor);
}

static void read_inputs(struct dg_support_reader *reader, void *target)
{
    read_tensor(reader, &((struct dg_support_match *)target)->inputs);
}

static void read_outputs(struct dg_support_reader *reader, void *target)
{
    read_tensor(reader, &((struct dg_support_match *)target)->outputs);
}

static void read_max_users(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_users *)target)->max = dg_json_int(&reader->json);
}

static struct dg_support_match *read_list(struct dg_support_reader *reader, size_t *n)
{
    struct dg_support_match *list = NULL;

    *n = 0;
    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json)) {
        struct dg_support_match match;

        read_nested(reader, &match);
        *DG_APPEND(list, *n) = match;
    }
    return DG_KEEP(reader, list, *n);
}

static void read_all(struct dg_support_reader *reader, void *target)
{
    struct dg_support_users *users = target;

    users->all = read_list(reader, &users->n_all);
}

static void read_some(struct dg_support_reader *reader, void *target)
{
    struct dg_support_users *users = target;

    users->some = read_list(reader, &users->n_some);
}

static void read_users(struct dg_support_reader *reader, void *target)
{
    static const struct dg_support_field fields[] = {
        {"max", read_max_users}, {"all", read_all}, {"some", read_some}};
    struct dg_support_users *users =
        dg_alloc(&reader->support->memory, 1, sizeof(*users));

    users->max = INT64_MAX;
    DG_READ_OBJECT(reader, fields, users);
    ((struct dg_support_match *)target)->users = users;
}

#define MATCH_FIELDS                                                                   \
    {"ops", dg_support_read_ops}, {"inputs", read_inputs}, {"outputs", read_outputs},  \
        {"args", read_args},                                                           \
    {                                                                                  \
        "users", read_users                                                            \
    }

static struct dg_support_match any_match(void)
{
    return (struct dg_support_match){
        .inputs = {.rank = any_number, .elements = any_number, .constant = -1},
        .outputs = {.rank = any_number, .elements = any_number, .constant = -1},
    };
}

static void read_taken(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_match *)target)->taken = dg_json_bool(&reader->json);
    reader->n_taken++;
}

static void read_keep(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_match *)target)->keep = read_keep_word(reader);
}

static void read_nested(struct dg_support_reader *reader,
                        struct dg_support_match *match)
{
    static const struct dg_support_field fields[] = {
        MATCH_FIELDS, {"taken", read_taken}, {"keep", read_keep}};

    unsigned n_taken = reader->n_taken;

    *match = any_match();
    if (reader->nesting++ == DG_SUPPORT_NESTING)
        dg_json_fail(&reader->json, "line %d: more than %d matches within one another",
                     dg_support_line(reader), DG_SUPPORT_NESTING);
    DG_READ_OBJECT(reader, fields, match);
    reader->nesting--;
    match->fixed = reader->n_taken == n_taken;
    if (match->n_args)
        note_args(reader, match);
}

static void read_take(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_rule *)target)->refuse = !dg_json_bool(&reader->json);
}

static void read_rule_name(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_rule *)target)->name = dg_json_string(&reader->json);
}

static void read_why(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support_rule *)target)->why = dg_json_string(&reader->json);
}

static void read_rule(struct dg_support_reader *reader, struct dg_support_rule *rule)
{
    static const struct dg_support_field fields[] = {
        MATCH_FIELDS,
        {"take", read_take},
        {"name", read_rule_name},
        {"why", read_why},
    };

    *rule = (struct dg_support_rule){.match = any_match()};
    DG_READ_OBJECT(reader, fields, rule);
    if (!rule->match.n_ops)
        dg_json_fail(&reader->json, "line %d: a rule needs \"ops\"",
                     dg_support_line(reader));
    if (rule->match.n_args)
        note_args(reader, &rule->match);
}

static void read_rules(struct dg_support_reader *reader, void *target)
{
    struct dg_support *support = target;

    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json)) {
        struct dg_support_rule rule;

        read_rule(reader, &rule);
        *DG_APPEND(support->rules, support->n_rules) = rule;
    }
    DG_KEEP(reader, support->rules, support->n_rules);
}

static void read_group(struct dg_support_reader *reader, struct dg_support_match *group)
{
    unsigned n_kept = reader->n_kept;

    read_nested(reader, group);
    if (!reader->json.failed && (!group->n_ops || reader->n_kept == n_kept))
        dg_json_fail(&reader->json, "line %d: a group needs \"ops\" and a \"keep\"",
                     dg_support_line(reader));
}

static void read_groups(struct dg_support_reader *reader, void *target)
{
    struct dg_support *support = target;

    reader->in_groups = true;
    dg_json_array(&reader->json);
    while (dg_json_item(&reader->json)) {
        struct dg_support_match group;

        read_group(reader, &group);
        *DG_APPEND(support->groups, support->n_groups) = group;
    }
    DG_KEEP(reader, support->groups, support->n_groups);
    reader->in_groups = false;
}

static void read_format(struct dg_support_reader *reader, void *target)
{
    static const char *const words[] = {"delegraph-support"};

    (void)target;
    dg_support_read_word(reader, "format", words, 1);
}

static void read_version(struct dg_support_reader *reader, void *target)
{
    int64_t version = dg_json_int(&reader->json);

    (void)target;
    if (version != 1)
        dg_json_fail(&reader->json, "line %d: version %lld; this program reads 1",
                     dg_support_line(reader), (long long)version);
}

static void read_name(struct dg_support_reader *reader, void *target)
{
    ((struct dg_support *)target)->name = dg_json_string(&reader->json);
}

static void skip(struct dg_support_reader *reader, void *target)
{
    (void)target;
    dg_json_skip(&reader->json);
}

enum dg_status dg_support_parse(struct dg_support *support, struct dg_text text,
                                const char *source, struct dg_error *err)
{
    static const struct dg_support_field fields[] = {
        {"format", read_format}, {"version", read_version}, {"name", read_name},
        {"source", skip},        {"notes", skip},           {"rules", read_rules},
        {"groups", read_groups},
    };
    struct dg_support_reader *reader = calloc(1, sizeof(*reader));
    enum dg_status status;

    if (!reader)
        dg_out_of_memory();
    reader->support = support;
    support->skip_unused = true;
    dg_json_begin(&reader->json, text, source, &support->memory, err);
    DG_READ_OBJECT(reader, fields, support);
    status = dg_json_end(&reader->json);
    free(reader);
    if (!status && !support->rules)
        status = dg_fail(err, DG_ERR_FORMAT, "%s: no \"rules\"", source);
    return status;
}
