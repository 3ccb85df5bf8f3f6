/* The nodes of one method by the names that plans give them. */
#include "partition/plan_program.h"

#include <stdlib.h>

#include "base/text.h"

enum { MOST_COMPARED = 100000 };

static const char nodes_sql[] =
    "SELECT \"graph\".id, path, node.id, node.name, op.name, op.name ="
    "   '_operator.getitem' AND node.name GLOB '*_unused_[0-9]*' AND NOT EXISTS"
    "   (SELECT 1 FROM edge WHERE src = node.id) FROM \"graph\""
    "  LEFT JOIN node ON graph_id = \"graph\".id LEFT JOIN op ON op.id = op_id"
    " WHERE method_id = ?1 ORDER BY path <> '', \"graph\".id, node.id";

static struct dg_text full_name(struct dg_plan_program *program, struct dg_text path,
                                struct dg_text name)
{
    char *text = dg_alloc(&program->memory, path.size + name.size + 2, 1);
    size_t at = 0;

    if (path.size) {
        memcpy(text, path.data, path.size);
        text[path.size] = '/';
        at = path.size + 1;
    }
    memcpy(text + at, name.data, name.size);
    return (struct dg_text){text, at + name.size};
}

static struct dg_plan_place place_of(struct dg_plan_program *program,
                                     const struct dg_rows *rows)
{
    struct dg_plan_place place = {.position = -1};
    struct dg_text op = dg_rows_slice(rows, 4);
    uint32_t number;

    if (!dg_rows_int(rows, 5))
        place.position = program->position++;
    if (dg_rows_null(rows, 4))
        return place;
    number = dg_text_set_find(&program->ops, op);
    if (number == DG_NO_TEXT)
        number = dg_text_set_add(
            &program->ops, (struct dg_text){dg_copy(&program->memory, op), op.size});
    place.op = program->ops.texts[number];
    return place;
}

/* The first of several nodes of one name stands for all: such a graph is broken. */
static void add_row(struct dg_plan_program *program, const struct dg_rows *rows)
{
    int64_t graph = dg_rows_int(rows, 0);
    struct dg_plan_place place;
    uint32_t number;

    if (!program->n_graphs || program->graphs[program->n_graphs - 1] != graph) {
        *DG_APPEND(program->graphs, program->n_graphs) = graph;
        program->position = 0;
    }
    if (dg_rows_null(rows, 2))
        return;
    place = place_of(program, rows);
    number = dg_text_set_add(&program->names, full_name(program, dg_rows_slice(rows, 1),
                                                        dg_rows_slice(rows, 3)));
    if (number < program->n_nodes)
        return;
    *DG_APPEND(program->nodes, program->n_nodes) = dg_rows_int(rows, 2);
    program->graph_of =
        dg_grow(program->graph_of, program->n_nodes - 1, sizeof(*program->graph_of));
    program->graph_of[program->n_nodes - 1] = (uint32_t)program->n_graphs - 1;
    program->places =
        dg_grow(program->places, program->n_nodes - 1, sizeof(*program->places));
    program->places[program->n_nodes - 1] = place;
}

enum dg_status dg_plan_program_read(struct dg_plan_program *out, struct dg_store *store,
                                    int64_t method, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, nodes_sql, err);

    *out = (struct dg_plan_program){.method = method};
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, method);
    while (dg_rows_next(&rows))
        add_row(out, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}

void dg_plan_program_clear(struct dg_plan_program *program)
{
    free(program->graphs);
    free(program->nodes);
    free(program->graph_of);
    free(program->places);
    dg_text_set_clear(&program->ops);
    dg_text_set_clear(&program->names);
    dg_arena_clear(&program->memory);
    *program = (struct dg_plan_program){0};
}

static struct dg_text describe(struct dg_plan_program *program,
                               const struct dg_plan_place *place)
{
    struct dg_text op = place->op.data ? place->op : dg_text("no call");

    if (place->position < 0)
        return dg_format(&program->memory, "%.*s, in the file alone", (int)op.size,
                         op.data);
    return dg_format(&program->memory, "%.*s at %lld", (int)op.size, op.data,
                     (long long)place->position);
}

/* What the plan leaves out is as in the program. */
static struct dg_plan_place meant_by(const struct dg_plan_known *known,
                                     const struct dg_plan_place *place)
{
    return (struct dg_plan_place){.op = known->has_op ? known->op : place->op,
                                  .position = known->has_position ? known->position
                                                                  : place->position};
}

bool dg_plan_program_differs(const struct dg_plan_program *program,
                             const struct dg_plan_known *known)
{
    uint32_t name = dg_text_set_find(&program->names, known->name);
    const struct dg_plan_place *place;
    struct dg_plan_place meant;

    if (name == DG_NO_TEXT)
        return false;
    place = &program->places[name];
    meant = meant_by(known, place);
    return !dg_text_equal(meant.op, place->op) || meant.position != place->position;
}

struct dg_text dg_plan_program_difference(struct dg_plan_program *program,
                                          const struct dg_plan_known *known)
{
    const struct dg_plan_place *place =
        &program->places[dg_text_set_find(&program->names, known->name)];
    struct dg_plan_place meant = meant_by(known, place);

    return dg_format(&program->memory,
                     "the plan means another node by \"%.*s\": %s; here it is %s",
                     (int)known->name.size, known->name.data,
                     describe(program, &meant).data, describe(program, place).data);
}

const char *dg_plan_program_near(struct dg_plan_program *program, struct dg_text name)
{
    const char **all, *near;

    if (program->names.n_texts > MOST_COMPARED || !program->names.n_texts)
        return NULL;
    all = dg_alloc(&program->memory, program->names.n_texts, sizeof(*all));
    for (uint32_t i = 0; i < program->names.n_texts; i++)
        all[i] = program->names.texts[i].data;
    near = dg_nearest(dg_copy(&program->memory, name), all, program->names.n_texts);
    return near;
}
