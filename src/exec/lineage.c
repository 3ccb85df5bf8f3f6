#include "exec/lineage.h"

#include <stdlib.h>

#include "base/dtype.h"
#include "exec/ancestry.h"
#include "formats/tensor_file.h"
#include "graph/handles.h"
#include "kernels/xnnpack.h"

/* A method of a .pte, and the one that it was made from, where nobody told. */
struct pair {
    int64_t lowered, graph; /* rows: of the method; of the graph it was made from */
    size_t companion;
};

struct pairs {
    struct pair *items;
    size_t n;
};

static const char pairs_sql[] =
    "SELECT lowered.id, graph.id, (SELECT count(*) FROM artifact AS one"
    "   WHERE one.companion_of IS NOT NULL AND one.id < a.id) FROM method AS lowered"
    "  JOIN artifact AS a ON a.companion_of = lowered.artifact_id AND a.role = "
    "'program'"
    "  JOIN method AS made ON made.artifact_id = a.id AND made.name = lowered.name"
    "  JOIN graph ON graph.method_id = made.id AND graph.path = ''"
    " WHERE lowered.ir = 'pte' AND made.id NOT IN"
    "  (SELECT method_id FROM instruction_handle) ORDER BY lowered.id, graph.id";

static enum dg_status find_pairs(struct pairs *pairs, const struct dg_input *input,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(input->store, pairs_sql, err);

    while (dg_rows_next(&rows)) {
        size_t companion = (size_t)dg_rows_int(&rows, 2);

        if (companion < input->n_companions)
            *DG_APPEND(pairs->items, pairs->n) =
                (struct pair){dg_rows_int(&rows, 0), dg_rows_int(&rows, 1), companion};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status add_row(struct dg_rows *rows, const struct dg_step *lowered,
                              const struct dg_step *from, struct dg_error *err)
{
    dg_rows_bind_int(rows, 1, lowered->node_id);
    if (lowered->inside_id)
        dg_rows_bind_int(rows, 2, lowered->inside_id);
    dg_rows_bind_int(rows, 3, from->node_id);
    dg_rows_next(rows);
    return dg_rows_again(rows, err);
}

/* By step: how many elements its result has; -1: it is not known. */
static enum dg_status count_elements(int64_t *counts, struct dg_store *store,
                                     const struct dg_schedule *program,
                                     struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        store,
        "SELECT node.id, nbytes, dtype FROM node JOIN value ON value.id = value_id"
        " WHERE node.graph_id = ?1 AND instr(shape, '\"') = 0 ORDER BY node.id",
        program->graph_id, err);
    bool more = dg_rows_next(&rows);

    for (size_t i = 0; i < program->n_steps; i++) {
        const struct dg_dtype *dtype;

        while (more && dg_rows_int(&rows, 0) < program->steps[i].node_id)
            more = dg_rows_next(&rows);
        dtype = more && dg_rows_int(&rows, 0) == program->steps[i].node_id
                    ? dg_dtype_of_name(dg_rows_slice(&rows, 2))
                    : NULL;
        counts[i] = dtype && dtype->bytes
                        ? dg_rows_int_or(&rows, 1, -dtype->bytes) / dtype->bytes
                        : -1;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static int64_t elements_of_shape(const struct dg_xnn_shape *shape)
{
    int64_t n = shape->rank < 0 ? -1 : 1;

    for (int i = 0; i < shape->rank && n >= 0; i++) {
        if (__builtin_mul_overflow(n, shape->sizes[i], &n))
            n = -1;
    }
    return n;
}

static int64_t elements_of_result(const struct dg_schedule *lowered,
                                  const struct dg_step *step)
{
    const struct dg_arg *initial =
        step->n_results ? &lowered->slots[step->results[0]].initial : NULL;

    if (step->xnnpack)
        return step->xnnpack->n_outputs
                   ? elements_of_shape(&step->xnnpack->outputs[0]->shape)
                   : -1;
    return initial && initial->kind == DG_ARG_TENSOR
               ? dg_tensor_count(initial->as.tensor)
               : -1;
}

/* What was found has another result: it is not what was looked for. */
static bool is_other(const struct dg_schedule *lowered, const struct dg_step *became,
                     int64_t count)
{
    int64_t own = elements_of_result(lowered, became);

    return own >= 0 && count >= 0 && own != count;
}

static void drop_others(struct dg_ancestry *ancestry, const struct dg_schedule *lowered,
                        const struct dg_schedule *program, const int64_t *counts)
{
    for (uint32_t i = 0; i < program->n_steps; i++) {
        if (ancestry->became[i] != DG_NO_STEP &&
            is_other(lowered, &lowered->steps[ancestry->became[i]], counts[i]))
            ancestry->became[i] = DG_NO_STEP;
    }
    for (uint32_t i = 0; i < lowered->n_steps; i++) {
        if (ancestry->came_from[i] != DG_NO_STEP &&
            ancestry->became[ancestry->came_from[i]] == DG_NO_STEP)
            ancestry->came_from[i] = DG_NO_STEP;
    }
}

static enum dg_status add_rows(struct dg_store *store,
                               const struct dg_schedule *lowered,
                               const struct dg_schedule *program,
                               const struct dg_ancestry *ancestry, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store, "INSERT INTO lineage VALUES (?1, ?2, ?3)", err);

    for (uint32_t i = 0; i < lowered->n_steps && !status; i++) {
        if (ancestry->came_from[i] != DG_NO_STEP)
            status = add_row(&rows, &lowered->steps[i],
                             &program->steps[ancestry->came_from[i]], err);
    }
    for (uint32_t i = 0; i < program->n_steps && !status; i++) {
        uint32_t became = ancestry->became[i];

        if (became != DG_NO_STEP && ancestry->came_from[became] != i)
            status = add_row(&rows, &lowered->steps[became], &program->steps[i], err);
    }
    return dg_rows_close(&rows, status, err);
}

static enum dg_status follow(const struct dg_input *input, const struct pair *pair,
                             struct dg_error *err)
{
    struct dg_schedule lowered = {0}, program = {0};
    struct dg_schedule_files files = {.file = input->file};
    struct dg_ancestry ancestry;
    struct dg_arena memory = {0};
    int64_t *counts;
    enum dg_status status =
        dg_schedule_pte(&lowered, input->store, &files, pair->lowered, err);

    if (!status)
        status =
            dg_schedule_fx(&program, input->store,
                           input->companions[pair->companion].file, pair->graph, err);
    if (!status)
        status = dg_ancestry_find(&ancestry, &program, &lowered, &memory, err);
    counts = dg_alloc(&memory, program.n_steps + 1, sizeof(*counts));
    if (!status)
        status = count_elements(counts, input->store, &program, err);
    if (!status) {
        drop_others(&ancestry, &lowered, &program, counts);
        status = add_rows(input->store, &lowered, &program, &ancestry, err);
    }
    dg_schedule_clear(&lowered);
    dg_schedule_clear(&program);
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_lineage_store(const struct dg_input *input, struct dg_error *err)
{
    struct pairs pairs = {0};
    enum dg_status status = dg_handles_follow(input->store, err);

    if (!status && input->n_companions && !dg_bundle_recognises(input->file))
        status = find_pairs(&pairs, input, err);
    for (size_t i = 0; i < pairs.n && !status; i++)
        status = follow(input, &pairs.items[i], err);
    free(pairs.items);
    return status;
}
