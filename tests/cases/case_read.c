/* Everything of a case but its graph. */
#include <stdlib.h>

#include "cases/case.h"

static void split_member(struct raw_case *raw, struct dg_json *json, struct dg_text key)
{
    static const struct {
        const char *key;
        size_t at;
    } members[] = {
        {"options", offsetof(struct raw_case, options)},
        {"flags", offsetof(struct raw_case, options)},
        {"nodes", offsetof(struct raw_case, nodes)},
        {"supported", offsetof(struct raw_case, supported)},
        {"groups", offsetof(struct raw_case, groups)},
        {"signature", offsetof(struct raw_case, signature)},
        {"reference_result", offsetof(struct raw_case, expected)},
        {"sets", offsetof(struct raw_case, sets)},
        {"cases", offsetof(struct raw_case, cases)},
    };

    if (dg_text_is(key, "expected") && dg_json_peek(json) == DG_JSON_OBJECT) {
        raw->expected = dg_json_skip(json);
        return;
    }
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
        if (dg_text_is(key, members[i].key)) {
            *(struct dg_text *)((char *)raw + members[i].at) = dg_json_skip(json);
            return;
        }
    }
    dg_json_skip(json);
}

enum dg_status case_split(struct raw_case *raw, struct dg_text text,
                          struct dg_arena *memory, const struct case_source *source)
{
    struct dg_json json;
    struct dg_text key;

    *raw = (struct raw_case){0};
    dg_json_begin(&json, text, source->place, memory, source->err);
    dg_json_object(&json);
    while (dg_json_key(&json, &key)) {
        if (dg_text_is(key, "name") || dg_text_is(key, "id"))
            raw->name = dg_json_string(&json);
        else if (dg_text_is(key, "mode"))
            raw->mode = dg_json_string(&json);
        else
            split_member(raw, &json, key);
    }
    if (!json.failed && (!raw->name.data || !raw->nodes.data))
        dg_json_fail(&json, "expected a case with a name and nodes");
    return dg_json_end(&json);
}

/* Set `mark` on calls of the operators that come next in `json`. */
static void mark_ops(struct test_case *test, struct dg_json *json, uint16_t mark)
{
    dg_json_array(json);
    while (dg_json_item(json)) {
        struct dg_text op = dg_json_string(json);

        for (uint32_t node = 0; node < test->graph.n_nodes; node++) {
            if (test->marks[node] & DG_MARK_CALL &&
                dg_text_equal(test->targets[node], op))
                test->marks[node] |= mark;
        }
    }
}

static void mark_transparent(struct test_case *test)
{
    for (uint32_t node = 0; node < test->graph.n_nodes; node++) {
        bool is_view = test->marks[node] & DG_MARK_CALL &&
                       dg_text_is(test->targets[node], "torch.ops.aten.view");

        if (is_view || test->marks[node] & (DG_MARK_GETITEM | DG_MARK_NON_COMPUTE))
            test->marks[node] |= DG_MARK_TRANSPARENT;
    }
}

static enum dg_status read_options(struct test_case *test, struct dg_text text,
                                   const struct case_source *source)
{
    struct dg_json json;
    struct dg_text key;

    case_json(&json, text, "options", test, source);
    dg_json_object(&json);
    while (dg_json_key(&json, &key)) {
        if (dg_text_is(key, "allows_single_node_partition"))
            test->no_single = !dg_json_bool(&json);
        else if (dg_text_is(key, "skip_horizontal_fusion"))
            test->skip_horizontal = dg_json_bool(&json);
        else if (dg_text_is(key, "remove_bookend_non_compute_ops"))
            test->bookends = dg_json_bool(&json);
        else if (dg_text_is(key, "non_compute_ops"))
            mark_ops(test, &json, DG_MARK_NON_COMPUTE);
        else if (dg_text_is(key, "allowed_single_node_partition_ops"))
            mark_ops(test, &json, DG_MARK_ALLOWED_SINGLE);
        else if (dg_text_is(key, "algorithm"))
            test->mode = dg_json_string(&json);
        else
            dg_json_skip(&json);
    }
    mark_transparent(test);
    return dg_json_end(&json);
}

static void mark_names(struct test_case *test, struct dg_json *json, uint16_t mark)
{
    dg_json_array(json);
    while (dg_json_item(json))
        test->marks[case_node(test, json)] |= mark;
}

static enum dg_status read_supported(struct test_case *test, struct dg_text text,
                                     const struct case_source *source)
{
    const uint16_t lowered = DG_MARK_DELEGATE | DG_MARK_DELEGATE_ITEM;
    struct dg_json json;

    if (text.data) {
        case_json(&json, text, "supported", test, source);
        mark_names(test, &json, DG_MARK_SUPPORTED);
        return dg_json_end(&json);
    }
    for (uint32_t node = 0; node < test->graph.n_nodes; node++) {
        if (test->marks[node] & DG_MARK_CALL && !(test->marks[node] & lowered))
            test->marks[node] |= DG_MARK_SUPPORTED;
    }
    return DG_OK;
}

static enum dg_status read_signature(struct test_case *test, struct dg_text text,
                                     const struct case_source *source)
{
    struct dg_json json;
    struct dg_text key;

    test->has_signature = true;
    case_json(&json, text, "signature", test, source);
    dg_json_object(&json);
    while (dg_json_key(&json, &key))
        mark_names(test, &json,
                   dg_text_is(key, "mutated_buffers")
                       ? DG_MARK_CONSTANT | DG_MARK_MUTATED
                       : DG_MARK_CONSTANT);
    return dg_json_end(&json);
}

static enum dg_status read_groups(struct test_case *test, struct dg_text text,
                                  const struct case_source *source)
{
    struct dg_groups *groups = &test->groups;
    struct dg_json json;

    groups->group_of =
        dg_alloc(&test->memory, test->graph.n_nodes + 1, sizeof(*groups->group_of));
    for (uint32_t node = 0; node <= test->graph.n_nodes; node++)
        groups->group_of[node] = DG_NO_PART;
    case_json(&json, text, "groups", test, source);
    dg_json_array(&json);
    for (; dg_json_item(&json); groups->n_groups++) {
        dg_json_array(&json);
        while (dg_json_item(&json)) {
            uint32_t *group = &groups->group_of[case_node(test, &json)];

            if (*group != DG_NO_PART)
                dg_json_fail(&json, "expected a node of no other group");
            *group = groups->n_groups;
        }
    }
    return dg_json_end(&json);
}

static struct expected_part *part_at(struct test_case *test, size_t at)
{
    if (at == test->n_parts)
        *DG_APPEND(test->parts, test->n_parts) = (struct expected_part){.id = -1};
    return &test->parts[at];
}

static void read_part_nodes(struct expected_part *part, const struct test_case *test,
                            struct dg_json *json)
{
    dg_json_array(json);
    while (dg_json_item(json))
        *DG_APPEND(part->nodes, part->n_nodes) = case_node(test, json);
}

/* Lines have a list of lists of names beside one of ids; the document one of objects.
 */
static void read_part(struct expected_part *part, const struct test_case *test,
                      struct dg_json *json)
{
    struct dg_text key;

    if (dg_json_peek(json) != DG_JSON_OBJECT) {
        read_part_nodes(part, test, json);
        return;
    }
    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        if (dg_text_is(key, "id"))
            part->id = dg_json_int(json);
        else if (dg_text_is(key, "nodes"))
            read_part_nodes(part, test, json);
        else
            dg_json_skip(json);
    }
}

static void read_tags(struct test_case *test, struct dg_json *json)
{
    struct dg_text key;

    test->tags = dg_alloc(&test->memory, test->graph.n_nodes, sizeof(*test->tags));
    dg_json_object(json);
    while (dg_json_key(json, &key)) {
        uint32_t node = case_find(test, key);

        if (node == DG_NO_PART)
            dg_json_fail(json, "expected the name of a node");
        else
            test->tags[node] = dg_json_string(json);
    }
}

static enum dg_status read_expected(struct test_case *test, struct dg_text text,
                                    const struct case_source *source)
{
    struct dg_json json;
    struct dg_text key;
    size_t n_ids = 0, n_lists = 0;

    case_json(&json, text, "expected", test, source);
    dg_json_object(&json);
    while (dg_json_key(&json, &key)) {
        if (dg_text_is(key, "ids")) {
            for (dg_json_array(&json); dg_json_item(&json);)
                part_at(test, n_ids++)->id = dg_json_int(&json);
        } else if (dg_text_is(key, "partitions")) {
            for (dg_json_array(&json); dg_json_item(&json);)
                read_part(part_at(test, n_lists++), test, &json);
        } else if (dg_text_is(key, "tags")) {
            read_tags(test, &json);
        } else if (dg_text_is(key, "acyclic")) {
            test->acyclic = dg_json_bool(&json) ? ACYCLIC_YES : ACYCLIC_NO;
        } else if (dg_text_is(key, "endless")) {
            test->endless = dg_json_bool(&json);
        } else {
            dg_json_skip(&json);
        }
    }
    if (!json.failed && n_ids && n_ids != n_lists)
        dg_json_fail(&json, "expected as many ids as partitions");
    return dg_json_end(&json);
}

static enum dg_status check_mode(const struct test_case *test,
                                 const struct case_source *source)
{
    static const char *const modes[] = {"cbp", "cbp-skip-horizontal", "aoti", "group",
                                        "validate"};

    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        if (dg_text_is(test->mode, modes[i]))
            return DG_OK;
    }
    return dg_fail(source->err, DG_ERR_FORMAT,
                   "%s: expected mode cbp, cbp-skip-horizontal, aoti, group or "
                   "validate, not '%.*s'",
                   source->place, (int)test->mode.size, test->mode.data);
}

enum dg_status case_read(struct test_case *test, const struct raw_case *raw,
                         const struct case_source *source)
{
    enum dg_status status = case_read_graph(test, raw->nodes, source);

    test->name = raw->name;
    test->mode = raw->mode.data ? raw->mode : dg_text("cbp");
    if (!status && raw->options.data)
        status = read_options(test, raw->options, source);
    if (!status)
        status = check_mode(test, source);
    if (!status)
        status = read_supported(test, raw->supported, source);
    if (!status && raw->signature.data)
        status = read_signature(test, raw->signature, source);
    if (!status && raw->groups.data)
        status = read_groups(test, raw->groups, source);
    if (!status && raw->expected.data && !dg_text_is(test->mode, "validate"))
        status = read_expected(test, raw->expected, source);
    return status;
}

void case_clear(struct test_case *test)
{
    for (size_t i = 0; i < test->n_parts; i++)
        free(test->parts[i].nodes);
    free(test->parts);
    dg_graph_clear(&test->graph);
    dg_arena_clear(&test->memory);
    *test = (struct test_case){0};
}
