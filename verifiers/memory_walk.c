/* What the rules about memory plans share: a walk over methods, and findings in them.
 */
#include <stdarg.h>

#include "base/json_writer.h"
#include "verifiers/memory_parts.h"

enum dg_status dg_memory_each(const struct dg_findings *found, dg_memory_fn *look,
                              struct dg_error *err)
{
    struct dg_memory_walk memory = {.found = found, .err = err};
    struct dg_liveness *liveness;

    memory.status = dg_liveness_read(&liveness, found->store, err);
    if (memory.status)
        return memory.status;
    for (size_t i = 0; i < liveness->n_items && !memory.status; i++) {
        memory.method = &liveness->items[i];
        look(&memory);
    }
    return memory.status;
}

static void write_witness(struct dg_writer *out, const struct dg_memory_place *place)
{
    struct dg_json_writer json = {.out = out};

    if (!place->n_nodes)
        return;
    dg_put_array(&json, NULL);
    for (size_t i = 0; i < place->n_nodes; i++)
        dg_print(dg_put_raw(&json, NULL), "\"op_%u\"", place->nodes[i]);
    dg_put_end(&json);
    dg_json_written(&json);
}

void dg_memory_find(struct dg_memory_walk *memory, struct dg_memory_place place,
                    const char *message, ...)
{
    const struct dg_flow *flow = &memory->method->flow;
    struct dg_finding finding = {.graph = flow->graph_id, .severity = place.severity};
    struct dg_writer witness = {0};
    struct dg_arena scratch = {0};
    va_list args;

    if (place.node != DG_FLOW_NONE)
        finding.node = flow->first_id + place.node;
    if (place.value != DG_FLOW_NONE)
        finding.value = flow->stored[place.value].id;
    if (!dg_find_full(memory->found)) {
        va_start(args, message);
        finding.message = dg_format_list(&scratch, message, args);
        va_end(args);
        write_witness(&witness, &place);
    }
    finding.witness = dg_written(&witness);
    memory->status = dg_find(memory->found, &finding, memory->err);
    dg_writer_clear(&witness);
    dg_arena_clear(&scratch);
}

bool dg_memory_gives_up(struct dg_memory_walk *memory)
{
    struct dg_memory_place place = DG_MEMORY_METHOD;

    place.severity = "note";
    if (memory->method->flow.too_large)
        dg_memory_find(memory, place,
                       "calls name long lists too often for their items to be checked");
    else if (memory->method->live.too_large)
        dg_memory_find(memory, place,
                       "the method has too many jumps and values to be checked");
    return memory->method->live.too_large;
}
