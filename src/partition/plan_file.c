/* Reading plan files: their tags become rows beside the program. */
#include "partition/plan_file.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "formats/input.h"
#include "partition/plan_install.h"

/* A node that the program has, and its tag's place in the order of lowering. */
struct member {
    uint32_t graph, place, row, name;
};

struct tags {              /* of the method at hand */
    uint32_t *place;       /* of each tag */
    uint32_t *at;          /* the tag at each place */
    uint32_t *delegate_of; /* of each tag: index into delegates, or DG_NO_TEXT */
    bool *used;
};

/* Tags with delegates in their order, then the others in the order of first use. */
static void place_tags(struct dg_plan_install *install, struct tags *tags)
{
    const struct dg_plan_method *method = install->method;
    uint32_t n_tags = method->tags.n_texts, n = 0;

    tags->place = dg_alloc(&install->memory, n_tags, sizeof(*tags->place));
    tags->at = dg_alloc(&install->memory, n_tags, sizeof(*tags->at));
    tags->used = dg_alloc(&install->memory, n_tags, sizeof(*tags->used));
    tags->delegate_of = dg_alloc(&install->memory, n_tags, sizeof(*tags->delegate_of));
    memset(tags->delegate_of, 0xff, n_tags * sizeof(*tags->delegate_of));
    for (size_t i = 0; i < method->n_delegates; i++) {
        tags->delegate_of[method->delegates[i].tag] = (uint32_t)i;
        tags->at[n++] = method->delegates[i].tag;
    }
    for (uint32_t tag = 0; tag < n_tags; tag++) {
        if (tags->delegate_of[tag] == DG_NO_TEXT)
            tags->at[n++] = tag;
    }
    for (uint32_t i = 0; i < n; i++)
        tags->place[tags->at[i]] = i;
}

static enum dg_status find_members(struct dg_plan_install *install, struct tags *tags,
                                   struct member *members, size_t *n_members,
                                   struct dg_error *err)
{
    const struct dg_plan_method *method = install->method;
    const struct dg_plan_node *first_unknown = NULL;
    size_t n_unknown = 0;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < method->n_nodes && !status; i++) {
        uint32_t tag = method->nodes[i].tag;
        uint32_t name =
            dg_text_set_find(&install->program.names, method->nodes[i].name);

        if (name == DG_NO_TEXT) {
            if (!n_unknown++)
                first_unknown = &method->nodes[i];
        } else {
            members[(*n_members)++] = (struct member){
                install->program.graph_of[name], tags->place[tag], (uint32_t)i, name};
            if (!tags->used[tag] && tags->delegate_of[tag] == DG_NO_TEXT)
                status = dg_plan_remark_tag(install, tag, name, err);
            tags->used[tag] = true;
        }
    }
    return status || !n_unknown
               ? status
               : dg_plan_remark_nodes(install, first_unknown, n_unknown, err);
}

static int compare(const void *left, const void *right)
{
    const struct member *a = left, *b = right;

    if (a->graph != b->graph)
        return a->graph < b->graph ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static enum dg_status add_tag(struct dg_plan_install *install, const struct tags *tags,
                              uint32_t graph, uint32_t place, struct dg_error *err)
{
    const struct dg_plan_method *method = install->method;
    uint32_t tag = tags->at[place], number = tags->delegate_of[tag];
    struct dg_plan_delegate none = {0};
    const struct dg_plan_delegate *delegate =
        number == DG_NO_TEXT ? &none : &method->delegates[number];
    struct dg_new_tag row = {
        .graph = install->program.graphs[graph],
        .pos = place,
        .number = -1,
        .declared = number != DG_NO_TEXT,
        .name = method->tags.texts[tag],
        .backend = delegate->backend,
    };
    enum dg_status status = dg_plan_rows_tag(&install->rows, &row, err);

    for (size_t i = 0; i < delegate->n_specs && !status; i++)
        status = dg_plan_rows_spec(&install->rows, (int64_t)i, delegate->specs[i].key,
                                   delegate->specs[i].value, err);
    return status;
}

/* Delegates that no node is tagged for stand in the method's own graph. */
static enum dg_status add_unused(struct dg_plan_install *install,
                                 const struct tags *tags, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < install->method->n_delegates && !status; i++) {
        if (!tags->used[tags->at[i]])
            status = add_tag(install, tags, 0, i, err);
    }
    return status;
}

static enum dg_status add_members(struct dg_plan_install *install,
                                  const struct tags *tags, struct member *members,
                                  size_t n_members, struct dg_error *err)
{
    enum dg_status status = DG_OK;
    size_t first = 0;

    for (size_t i = 0; i < n_members && !status; i++) {
        const struct member *member = &members[i];

        if (!i || member->graph != members[i - 1].graph ||
            member->place != members[i - 1].place) {
            first = i;
            status = add_tag(install, tags, member->graph, member->place, err);
        }
        if (!status)
            status = dg_plan_rows_node(&install->rows, (int64_t)(i - first),
                                       install->program.nodes[member->name], err);
    }
    return status;
}

static enum dg_status install_tags(struct dg_plan_install *install,
                                   struct dg_error *err)
{
    struct tags tags;
    size_t n_members = 0;
    struct member *members =
        dg_alloc(&install->memory, install->method->n_nodes, sizeof(*members));
    enum dg_status status;

    place_tags(install, &tags);
    status = find_members(install, &tags, members, &n_members, err);
    if (!status)
        status = dg_plan_remark_others(install, err);
    if (status)
        return status;
    dg_sort(members, n_members, sizeof(*members), compare);
    status = add_members(install, &tags, members, n_members, err);
    if (!status && install->program.n_graphs)
        status = add_unused(install, &tags, err);
    return status;
}

static enum dg_status find_method(struct dg_plan_install *install, int64_t *id,
                                  struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, install->store,
                     "SELECT id FROM method WHERE artifact_id = ?1 AND name = ?2", err);

    *id = 0;
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, install->artifact);
    dg_rows_bind_text(&rows, 2, install->method->name);
    if (dg_rows_next(&rows))
        *id = dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status install_method(struct dg_plan_install *install,
                                     const struct dg_plan_method *method,
                                     struct dg_error *err)
{
    enum dg_status status;
    int64_t id;

    install->method = method;
    status = find_method(install, &id, err);
    if (!status && !id)
        status = dg_plan_remark_method(install, err);
    if (!status && id) {
        status = dg_plan_program_read(&install->program, install->store, id, err);
        if (!status)
            status = install_tags(install, err);
    }
    dg_plan_program_clear(&install->program);
    dg_arena_clear(&install->memory);
    return status;
}

static enum dg_status stored_sha256(struct dg_store *store, int64_t artifact,
                                    struct dg_arena *memory, struct dg_text *out,
                                    struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store, "SELECT sha256 FROM artifact WHERE id = ?1", err);

    *out = (struct dg_text){0};
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, artifact);
    if (dg_rows_next(&rows) && !dg_rows_null(&rows, 0))
        *out = dg_text(dg_copy(memory, dg_rows_slice(&rows, 0)));
    return dg_rows_close(&rows, DG_OK, err);
}

/* A store that was made without --hash cannot say which program it holds. */
static enum dg_status check_program(const struct dg_plan_source *source,
                                    struct dg_plan_text *plan, struct dg_store *store,
                                    int64_t artifact, struct dg_error *err)
{
    struct dg_text found;
    enum dg_status status;

    if (!plan->program_sha256.data || source->force)
        return DG_OK;
    status = stored_sha256(store, artifact, &plan->memory, &found, err);
    if (status)
        return status;
    if (!found.data && source->program.data)
        found = dg_sha256_of_file(source->program, source->mapped, &plan->memory);
    if (!found.data || dg_text_equal(found, plan->program_sha256))
        return DG_OK;
    return dg_fail(
        err, DG_ERR_FORMAT,
        "%s: a plan for another program: its program_sha256 is %.12s..., the "
        "program's %.12s...; --force takes it all the same",
        source->path, plan->program_sha256.data, found.data);
}

static enum dg_status install_plan(const struct dg_plan_source *source,
                                   const struct dg_plan_text *plan,
                                   struct dg_store *store, int64_t artifact,
                                   struct dg_error *err)
{
    struct dg_plan_install install = {.store = store, .artifact = artifact};
    struct dg_new_plan row = {
        .source = "plan", .path = dg_text(source->path), .artifact = artifact};
    enum dg_status status = dg_plan_rows_begin(&install.rows, store, &row, err);

    for (size_t i = 0; i < plan->n_methods && !status; i++)
        status = install_method(&install, &plan->methods[i], err);
    return dg_plan_rows_end(&install.rows, status, err);
}

enum dg_status dg_plan_file_read(const struct dg_plan_source *source,
                                 struct dg_store *store, int64_t artifact,
                                 struct dg_error *err)
{
    struct dg_plan_text plan = {0};
    struct dg_input input = {0};
    enum dg_status status = dg_input_map(&input, source->path, err);

    if (!status)
        status = dg_plan_parse(
            &plan, (struct dg_text){(const char *)input.file.data, input.file.size},
            source->path, err);
    if (!status)
        status = check_program(source, &plan, store, artifact, err);
    if (!status)
        status = install_plan(source, &plan, store, artifact, err);
    dg_plan_text_clear(&plan);
    dg_input_close(&input);
    return status;
}
