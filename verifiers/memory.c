/* The memory plan of a method: where tensors lie, and for how long. */
#include "verifiers/memory_parts.h"
#include "verifiers/rules_as_sql.h"
#include "verifiers/sql.h"

#define EACH(name)                                                                     \
    static enum dg_status check_##name(const struct dg_findings *found,                \
                                       struct dg_error *err)                           \
    {                                                                                  \
        return dg_memory_each(found, dg_memory_##name, err);                           \
    }

EACH(ids)
EACH(extents)
EACH(alignment)
EACH(far_offsets)
EACH(overlaps)
EACH(escapes)
EACH(undefined)
EACH(outputs)
EACH(views)
EACH(intermediates)
EACH(lost_buffers)
EACH(shared_buffers)
EACH(in_place)
EACH(live_aliases)
EACH(dead_stores)
EACH(assignments)
EACH(peaks)

static const struct dg_rule rules[] = {
    {
        .name = "id-range",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "planned tensors lie in an arena that the method has, not in"
                     " arena 0",
        .reason = "the runtime refuses the method",
        .fix = "plan memory again; a pass that chose memory ids is the cause",
        .example = "value 3 has memory_id 2, and non_const_buffer_sizes is [0, 128]",
        .issue = "#4501",
        .level = "pte",
        .refused = true,
        .query = dg_sql_arena_ids,
        .check = check_ids,
    },
    {
        .name = "extent",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "planned tensors lie inside their arena",
        .reason = "the runtime fails, or tensors lie outside of all memory",
        .fix = "plan memory again; a pass that changed sizes afterwards is the cause",
        .example = "32 bytes at byte 112 of an arena of 128 bytes",
        .issue = "#21958",
        .level = "pte",
        .refused = true,
        .query = dg_sql_extents,
        .check = check_extents,
    },
    {
        .name = "offset-64",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "offsets in arenas fit in 32 bits",
        .reason = "a target whose size_t has 32 bits refuses the method",
        .fix = "plan smaller arenas, or run it on 64 bits only",
        .example = "memory_offset_high is 1",
        .issue = "#5035",
        .level = "pte",
        .query = dg_sql_far_offsets,
        .check = check_far_offsets,
    },
    {
        .name = "reserved-zero",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "arena 0 is reserved and empty, and no arena has a negative size",
        .reason =
            "the runtime refuses negative sizes; other tools take arena 0 for one "
            "that is used",
        .fix = "plan memory again",
        .example = "non_const_buffer_sizes is [16, 128]",
        .level = "pte",
        .query = dg_memory_sql_reserved_zero,
    },
    {
        .name = "alignment",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "planned tensors begin at a multiple of 16 bytes",
        .reason = "kernels and delegates that load vectors are slow there, or crash",
        .fix = "give MemoryPlanningPass an alignment that is a multiple of 16",
        .example = "a tensor of f32 at byte 20 of arena 1",
        .level = "pte",
        .query = dg_sql_alignment,
        .check = check_alignment,
    },
    {
        .name = "no-live-overlap",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "planned tensors that are alive together do not share bytes",
        .reason = "one overwrites the other, and the results are wrong",
        .fix = "plan memory again; control flow and in-place passes are common causes",
        .example = "op_1 writes bytes 16..48 over bytes 0..32, which op_2 reads",
        .issue = "#21490",
        .level = "pte",
        .check = check_overlaps,
    },
    {
        .name = "hop-escape",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what a branch returns is not overwritten while it is needed",
        .reason = "a MoveCall hands over the branch's bytes, which the next branch or"
                  " loop writes again: the results are wrong",
        .fix = "clone the result of torch.cond (a copy that is not optimised away), or"
               " compute on it before the next control flow",
        .example = "two torch.cond whose results are added: both return bytes 0..80 of"
                   " arena 1",
        .issue = "#21490",
        .level = "pte",
        .check = check_escapes,
    },
    {
        .name = "hop-device-arena",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "tensors of branches do not lie in an arena of a device",
        .reason = "host kernels get pointers to device memory, and crash",
        .fix = "keep one tensor of the host outside of the branches, so that arena 1 is"
               " the host's",
        .example = "a cond whose branches are planned into arena 1, which is on cuda:0",
        .level = "pte",
        .query = dg_memory_sql_device_arena,
    },
    {
        .name = "use-before-def",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what an instruction reads was written before, on every way there",
        .reason = "it reads what happens to lie in memory",
        .fix = "export again; a buffer that is taken for a constant is a common cause",
        .example = "op_0 reads value 2, which only op_1 writes",
        .issue = "#21855",
        .level = "pte",
        .check = check_undefined,
    },
    {
        .name = "output-defined",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what a method returns was written, on every way to its end",
        .reason = "the caller gets what happens to lie in memory",
        .fix = "export again",
        .example = "value 4 is an output, and no instruction writes it",
        .level = "pte",
        .check = check_outputs,
    },
    {
        .name = "intermediate-unplanned",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "a tensor that instructions touch has memory: planned, the caller's"
            " or the file's",
        .reason = "a kernel or delegate gets a null pointer, and crashes",
        .fix = "plan memory again, for all tensors between inputs and outputs",
        .example = "value 3 is neither input nor output, and has no allocation_info",
        .level = "pte",
        .refused = true,
        .check = check_intermediates,
    },
    {
        .name = "io-all-or-none",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "all inputs of a method are planned, or none; so are its outputs",
        .reason =
            "a caller who sets all pointers is refused, and one who sets none gets"
            " null pointers; a buffer for an output that is an input holds old numbers",
        .fix = "plan with one alloc_graph_input and one alloc_graph_output for all",
        .example = "of two inputs, the first has allocation_info",
        .issue = "#3515",
        .level = "pte",
        .query = dg_memory_sql_io_all_or_none,
    },
    {
        .name = "planned-output",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "where the caller gives memory to the inputs, so it does to the"
                     " outputs",
        .reason = "set_output_data_ptr fails, and the next run overwrites the results",
        .fix = "MemoryPlanningPass(alloc_graph_output=False), or copy the results",
        .example = "alloc_graph_input=False and alloc_graph_output=True",
        .issue = "#3425",
        .level = "pte",
        .query = dg_memory_sql_planned_output,
    },
    {
        .name = "mutable-initial-state",
        .severity = DG_SEVERITY_WARNING,
        .invariant =
            "a buffer that is changed begins with zeros, or the .pte keeps what"
            " it begins with",
        .reason = "ExecuTorch drops the values: the first run begins with whatever lies"
                  " in memory",
        .fix = "run InitializedMutableBufferPass with the buffer's name",
        .example =
            "self.register_buffer('count', torch.ones(1)) and self.count.add_(1)",
        .issue = "#7279",
        .level = "pt2 pte",
        .check = dg_memory_initial_state,
        .not_checked =
            "SELECT iif(kind = 'pte', 'the program it was made from is not given"
            " (--program FILE)', 'the program is not said to be lowered"
            " (--for executorch)') FROM artifact WHERE companion_of IS NULL"
            "  AND NOT EXISTS (SELECT 1 FROM artifact WHERE role = 'program')"
            "  AND NOT " DG_TO_BE_LOWERED " LIMIT 1",
    },
    {
        .name = "mutable-planned-or-named",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a buffer that is changed is planned, or has a name by which the"
                     " caller gives it memory",
        .reason = "nothing ever gives it memory: a null pointer is read",
        .fix = "plan mutable buffers, or ExecutorchBackendConfig("
               "emit_mutable_buffer_names=True)",
        .example = "copy_ writes value 0, which has neither allocation_info nor a name",
        .issue = "#10071",
        .level = "pte",
        .refused = true,
        .check = check_lost_buffers,
    },
    {
        .name = "buffer-from-caller",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "the plan has memory for every buffer that is changed",
        .reason = "only a C++ caller can give it some, through Method::get_attribute();"
                  " any other reads and writes a null pointer",
        .fix = "plan mutable buffers: MemoryPlanningPass(alloc_mutable_buffers=True)",
        .example = "alloc_mutable_buffers=False and emit_mutable_buffer_names=True",
        .level = "pte",
        .query = dg_memory_sql_caller_buffers,
    },
    {
        .name = "mutable-exclusive",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no other tensor shares bytes with a buffer, at any time",
        .reason = "the buffer loses its contents before the next run",
        .fix = "plan memory again: buffers live from run to run",
        .example = "a buffer at bytes 0..48, and an activation at bytes 32..64",
        .issue = "#17005",
        .level = "pte",
        .check = check_shared_buffers,
    },
    {
        .name = "mutable-shared-consistent",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a buffer that methods share has one place, size and type in all,"
                     " and begins with the same bytes",
        .reason = "one method overwrites the buffers of another",
        .fix = "plan all methods in one to_executorch with share_mutable_buffers=True",
        .example = "buffer k is at byte 0 of arena 2 in prefill, at byte 64 in decode",
        .issue = "#17005",
        .level = "pte",
        .query = dg_memory_sql_shared_consistent,
        .about = DG_ABOUT_SEVERAL_METHODS,
    },
    {
        .name = "inplace-alias",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what works in place gives back the value that it updates, and"
                     " nothing reads the old value behind it",
        .reason = "the kernel stores the updated tensor in the value it gives back, and"
                  " readers of the old value see the new one",
        .fix = "let the reinplace pass leave this operator alone",
        .example = "index_put_ updates value 0 and gives back value 5; op_3 reads"
                   " value 0",
        .level = "pte",
        .check = check_in_place,
    },
    {
        .name = "view-alias",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a view that needs no instruction has as many bytes as its base",
        .reason = "readers of the view see bytes that nothing has written",
        .fix = "lower with remove_view_copy=False",
        .example = "value 2 is a view of value 1: it has 96 bytes, its base 48",
        .level = "pte",
        .check = check_views,
    },
    {
        .name = "live-alias",
        .severity = DG_SEVERITY_NOTE,
        .invariant =
            "tensors that share all their bytes while both are alive are a base"
            " and its view, or one is the result of an operator in place",
        .reason = "who reads the first sees the second: the results are wrong",
        .fix = "plan memory again; a pass that chose places or results is the cause",
        .example = "value 4, a view of value 2, is read before and behind op_5, which"
                   " writes value 6 there",
        .level = "pte",
        .check = check_live_aliases,
    },
    {
        .name = "dead-store",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "of what an instruction writes something is read, or returned",
        .reason = "it takes time and memory in each run, for nothing",
        .fix = "remove dead code before to_edge (graph.eliminate_dead_code()); a pass"
               " that left it behind is the cause",
        .example = "op_3 writes value 7, which no instruction reads",
        .level = "pte",
        .check = check_dead_stores,
    },
    {
        .name = "single-assignment",
        .severity = DG_SEVERITY_WARNING,
        .invariant =
            "a tensor is the result of one instruction, or an input; what comes"
            " behind updates it, or copies into it",
        .reason = "each result has a value of its own: an instruction that writes"
                  " another one's has the wrong operands, and whoever reads that one"
                  " sees something else",
        .fix = "export again; a pass that renumbered values is the cause",
        .example =
            "operands of a delegate are swapped: op_3 writes value 4, which is the"
            " result of op_1",
        .level = "pte",
        .check = check_assignments,
    },
    {
        .name = "free-target",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "FreeCall frees tensors of unbounded shape that are neither inputs"
                     " nor outputs, each once",
        .reason = "the tensor's pointer is null from then on, in the next run, too",
        .fix = "export again",
        .example = "op_3 frees value 1, whose shape is static",
        .level = "pte",
        .refused = true,
        .query = dg_memory_sql_free_target,
        .about = DG_ABOUT_JUMP,
    },
    {
        .name = "xnnpack-padding",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "64 bytes of the arena follow each tensor that XNNPACK reads",
        .reason = "XNNPACK loads vectors beyond the end of its inputs",
        .fix = "plan memory with this version of ExecuTorch: it leaves 64 bytes",
        .example = "an input of XnnpackBackend ends with its arena",
        .level = "pte",
        .query = dg_memory_sql_xnnpack_padding,
    },
    {
        .name = "slack",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "arenas end with their last tensor",
        .reason = "memory is taken that nothing uses",
        .fix = "plan memory again",
        .example = "an arena of 4096 bytes whose tensors end at byte 1024",
        .issue = "#9447",
        .level = "pte",
        .check = dg_memory_slack,
    },
    {
        .name = "peak",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "an arena is at most a quarter larger than what lives in it at"
                     " once",
        .reason = "memory is lost to fragmentation",
        .fix = "try another memory planning algorithm, or order the program anew; info"
               " --memory and query @peak show what lives when",
        .example = "an arena of 100 kB of which never more than 60 kB matter at a time",
        .issue = "#8911",
        .level = "pte",
        .check = check_peaks,
    },
    {0},
};

const struct dg_verifier dg_verifier_memory = {"memory", rules};
