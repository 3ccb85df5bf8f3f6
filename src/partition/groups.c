/* Groups of nodes that a partitioner must keep together. */
#include "partition/groups.h"

#include <stdlib.h>

#include "base/text.h"
#include "base/text_set.h"
#include "formats/input.h"
#include "formats/json.h"

enum { MOST_COMPARED = 100000 };

static void read_groups(struct dg_json *json, struct dg_group_list *list,
                        struct dg_text method)
{
    dg_json_array(json);
    while (dg_json_item(json)) {
        uint32_t group = list->n_groups++;

        dg_json_array(json);
        while (dg_json_item(json)) {
            struct dg_group_member *member = DG_APPEND(list->members, list->n_members);

            *member = (struct dg_group_member){
                .method = method, .node = dg_json_string(json), .group = group};
        }
    }
}

static void read_methods(struct dg_json *json, struct dg_group_list *list)
{
    struct dg_text method;

    dg_json_object(json);
    while (dg_json_key(json, &method))
        read_groups(json, list, method);
}

/* Names stay when the file goes. */
static void keep(struct dg_group_list *list)
{
    for (size_t i = 0; i < list->n_members; i++) {
        struct dg_group_member *member = &list->members[i];

        member->node = dg_text(dg_copy(&list->memory, member->node));
        if (member->method.data)
            member->method = dg_text(dg_copy(&list->memory, member->method));
    }
}

enum dg_status dg_groups_read(struct dg_group_list *list, const char *path,
                              struct dg_error *err)
{
    struct dg_input input = {0};
    struct dg_json *json;
    enum dg_status status = dg_input_map(&input, path, err);

    *list = (struct dg_group_list){.path = path};
    json = dg_alloc(&list->memory, 1, sizeof(*json));
    if (!status) {
        dg_json_begin(json,
                      (struct dg_text){(const char *)input.file.data, input.file.size},
                      path, &list->memory, err);
        if (dg_json_peek(json) == DG_JSON_OBJECT)
            read_methods(json, list);
        else
            read_groups(json, list, (struct dg_text){0});
        status = dg_json_end(json);
        keep(list);
    }
    dg_input_close(&input);
    return status;
}

void dg_groups_clear(struct dg_group_list *list)
{
    free(list->members);
    dg_arena_clear(&list->memory);
    *list = (struct dg_group_list){0};
}

static enum dg_status refuse_name(const struct dg_group_list *list,
                                  const struct dg_group_member *member,
                                  const struct dg_nodes *nodes, struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char **names = dg_alloc(&memory, nodes->graph.n_nodes, sizeof(*names));
    const char *near = NULL;

    for (uint32_t i = 0; i < nodes->graph.n_nodes; i++)
        names[i] = nodes->names[i].data;
    if (nodes->graph.n_nodes <= MOST_COMPARED)
        near = dg_nearest(member->node.data, names, nodes->graph.n_nodes);
    dg_fail(err, DG_ERR_FORMAT,
            "%s: group %u: method %.60s has no node \"%.80s\"%s%.80s%s", list->path,
            member->group, nodes->method.data, member->node.data,
            near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    dg_arena_clear(&memory);
    return err->status;
}

static enum dg_status resolve(struct dg_groups *groups,
                              const struct dg_group_list *list,
                              const struct dg_text_set *names,
                              const struct dg_nodes *nodes, struct dg_error *err)
{
    for (size_t i = 0; i < list->n_members; i++) {
        const struct dg_group_member *member = &list->members[i];
        uint32_t node = dg_text_set_find(names, member->node);

        if (member->method.data && !dg_text_equal(member->method, nodes->method))
            continue;
        if (node == DG_NO_TEXT)
            return refuse_name(list, member, nodes, err);
        if (groups->group_of[node] != DG_NO_PART &&
            groups->group_of[node] != member->group)
            return dg_fail(err, DG_ERR_FORMAT,
                           "%s: node \"%.80s\" is in the groups %u and %u; expected in "
                           "one at most",
                           list->path, member->node.data, groups->group_of[node],
                           member->group);
        groups->group_of[node] = member->group;
    }
    return DG_OK;
}

enum dg_status dg_groups_resolve(struct dg_groups *groups, struct dg_arena *memory,
                                 const struct dg_group_list *list,
                                 const struct dg_nodes *nodes, struct dg_error *err)
{
    struct dg_text_set names = {0};
    uint32_t n = nodes->graph.n_nodes;
    enum dg_status status;

    *groups =
        (struct dg_groups){.group_of = dg_alloc(memory, n, sizeof(*groups->group_of))};
    for (uint32_t i = 0; i < n; i++)
        groups->group_of[i] = DG_NO_PART;
    if (!list)
        return DG_OK;
    groups->n_groups = list->n_groups;
    for (uint32_t i = 0; i < n; i++)
        dg_text_set_add(&names, nodes->names[i]);
    status = resolve(groups, list, &names, nodes, err);
    dg_text_set_clear(&names);
    return status;
}
