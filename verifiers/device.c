/* Where tensors live: on the host, or on a device that a delegate works on. */
#include "verifiers/verifier.h"

#include "verifiers/device_parts.h"

static const struct dg_rule rules[] = {
    {
        .name = "spec-parse",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "a target_device is cpu or cuda, with or without a colon and an index",
        .reason = "to_executorch fails; a backend that reads the spec of a .pte does "
                  "what it likes",
        .fix = "write cuda:0, or give the partitioner no target_device",
        .example = "CompileSpec(\"target_device\", b\"xpu:0\")",
        .level = "pt2 pte",
        .query = dg_query_spec_parse,
    },
    {
        .name = "index-range",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "indices of devices lie between 0 and 127",
        .reason = "the program cannot be written: a signed byte holds the index; -1 "
                  "means whatever device is current",
        .fix = "number devices from 0",
        .example = "CompileSpec(\"target_device\", b\"cuda:200\")",
        .level = "pt2 pte",
        .query = dg_query_device_index,
    },
    {
        .name = "spec-host-target",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "a delegate with a target_device asks for a device, not for the host",
        .reason = "copies to a device are put before it whose destination is the host, "
                  "and the first one fails",
        .fix = "drop the compile spec: delegates work on the host without it",
        .example = "CompileSpec(\"target_device\", b\"cpu\")",
        .level = "pt2 pte",
        .query = dg_query_spec_host_target,
    },
    {
        .name = "spec-missing",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "delegates of CUDA and TensorRT ask for their device",
        .reason =
            "their inputs stay in host memory, and the CUDA backend refuses to run",
        .fix = "add the compile spec target_device=cuda:0, as CudaPartitioner does",
        .example = "a CudaBackend delegate whose only compile spec is method_name",
        .level = "pt2 pte",
        .query = dg_query_spec_missing,
        .about = DG_ABOUT_DELEGATE,
    },
    {
        .name = "index-honoured",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a CudaBackend delegate asks for cuda:0",
        .reason = "the CUDA backend of executorch 1.5.1 ignores the index and works on "
                  "the current device",
        .fix = "ask for cuda:0 and choose the device outside, for instance with "
               "CUDA_VISIBLE_DEVICES",
        .example = "a CudaBackend delegate with target_device \"cuda:1\"",
        .level = "pt2 pte",
        .query = dg_query_index_honoured,
    },
    {
        .name = "backend-device",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a backend is asked for a device that it works on",
        .reason = "inputs are copied to memory that the backend cannot read",
        .fix = "drop the target_device, or choose the backend of that device",
        .example = "a MetalBackend delegate with target_device \"cuda:0\"",
        .level = "pt2 pte",
        .query = dg_query_backend_device,
    },
    {
        .name = "multiple-devices",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "the delegates of a method work on one device",
        .reason = "tensors go from one device to another through the host",
        .fix = "nothing is wrong if the parts are meant to be split",
        .example = "a delegate for \"cuda:0\" and one for \"cuda:1\"",
        .level = "pt2 pte",
        .query = dg_query_multiple_devices,
    },
    {
        .name = "branch-delegate",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no delegate inside of a branch asks for a device",
        .reason =
            "the device pass looks at the method's own graph only: tensors in branches "
            "stay in host memory, and the delegate fails or reads host pointers",
        .fix = "keep branches off the device, or move the whole conditional into the "
               "delegate",
        .example = "true_graph_0 calls a CudaBackend delegate",
        .level = "pt2",
        .query = dg_query_branch_delegate,
    },
    {
        .name = "constant-h2d",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no constant is copied to a device for a delegate",
        .reason = "the copy gets a constant's plan, without data and without memory; "
                  "where a .pte has it nevertheless, it is copied at each call",
        .fix = "tag the constant with the delegate (tag_constant_data), so that the "
               "backend keeps it",
        .example = "executorch_call_delegate(lowered_module_0, p_weight) on cuda:0",
        .level = "pt2 pte",
        .query = dg_query_constant_h2d,
    },
    {
        .name = "skip-h2d-single-user",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "with skip_h2d_for_method_inputs, an input of a delegate on a "
                     "device has no other user",
        .reason = "to_executorch fails: the input can be in one place only",
        .fix = "do not skip the copies, or copy the input in the model for its other "
               "users",
        .example = "x feeds lowered_module_0 on cuda:0 and aten.sin",
        .level = "pt2",
        .query = dg_query_skip_h2d_single_user,
        .not_checked = dg_query_skip_not_said,
    },
    {
        .name = "skip-h2d-mutable",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "with skip_h2d_for_method_inputs, no delegate on a device reads a "
                     "buffer that the method writes",
        .reason = "to_executorch fails: writing back is a second user of the buffer",
        .fix = "let the delegate own the buffer (tag_mutated_buffer), or do not skip "
               "the copies",
        .example =
            "b_cache feeds lowered_module_0 on cuda:0; the host computes its new value",
        .level = "pt2",
        .query = dg_query_skip_h2d_mutable,
        .not_checked = dg_query_skip_not_said,
    },
    {
        .name = "delegate-io-device",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what a delegate reads and writes is on the device it works on",
        .reason = "the backend fails, or reads a host pointer on the device",
        .fix = "let PropagateDevicePass run, with device planning on",
        .example = "a delegate for cuda:0 takes value 3, which has no device_type",
        .issue = "#21682",
        .level = "pte",
        .query = dg_query_delegate_io_device,
    },
    {
        .name = "direct-cross-device",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a tensor goes from one device to another through the host",
        .reason = "the second device reads a pointer of the first",
        .fix = "let PropagateDevicePass run, with device planning on",
        .example = "what a delegate on cuda:0 writes is an argument of one on cuda:1",
        .level = "pte",
        .query = dg_query_direct_cross_device,
    },
    {
        .name = "host-op-on-cpu",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "host operators touch tensors in host memory only",
        .reason = "a host kernel reads a device pointer and crashes",
        .fix = "copy with et_copy::_d2h_copy first, or delegate the operator, too",
        .example = "aten::mul.out reads value 2, which is on cuda:0",
        .issue = "#21580",
        .level = "pte",
        .query = dg_query_host_op_on_cpu,
    },
    {
        .name = "predicate-host",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the condition of a jump is in host memory",
        .reason = "the runtime reads a device pointer and crashes",
        .fix = "copy the condition with et_copy::_d2h_copy first",
        .example = "jump_false_call on value 4, which is on cuda:0",
        .level = "pte",
        .query = dg_query_predicate_host,
    },
    {
        .name = "h2d-direction",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "et_copy::_h2d_copy copies host memory to a device, byte for byte",
        .reason = "the kernel fails; with other types or dim orders it copies bytes "
                  "that mean something else",
        .fix = "export again; passes after PropagateDevicePass must not move tensors",
        .example = "_h2d_copy.out(value 0 on cpu, value 1 on cpu)",
        .level = "pte",
        .query = dg_query_h2d_direction,
    },
    {
        .name = "d2h-direction",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "et_copy::_d2h_copy copies device memory to the host, byte for byte",
        .reason = "the kernel fails; with other types or dim orders it copies bytes "
                  "that mean something else",
        .fix = "export again; passes after PropagateDevicePass must not move tensors",
        .example = "_d2h_copy.out(value 0 on cpu, value 1 on cpu)",
        .level = "pte",
        .query = dg_query_d2h_direction,
    },
    {
        .name = "roundtrip",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "nothing is copied to the host only to go back to the same device",
        .reason = "two copies for nothing at each call",
        .fix = "let ExecuTorch 1.5.1 or later export it: its device pass elides them",
        .example = "value 3 on cuda:0 -> _d2h_copy -> value 4 -> _h2d_copy -> value 5 "
                   "on cuda:0",
        .issue = "#20914",
        .level = "pte",
        .query = dg_query_roundtrip,
    },
    {
        .name = "duplicate-h2d",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "a tensor is copied to a device once",
        .reason = "each argument of a delegate gets a copy of its own, in time and in "
                  "device memory",
        .fix = "nothing is wrong; merge the delegates, or let one output of the first "
               "feed the second",
        .example = "x is an argument of two delegates on cuda:0",
        .level = "pt2 pte",
        .query = dg_query_duplicate_h2d,
    },
    {
        .name = "stale-output-spec",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "what is copied from a device to the host has memory on the device",
        .reason = "the delegate gets a null pointer: planning left out the device "
                  "tensor for the method's output",
        .fix = "plan memory of outputs (alloc_graph_output=True), or skip the copies "
               "of outputs, too",
        .example = "alloc_graph_output=False without skip_d2h_for_method_outputs",
        .level = "pte",
        .query = dg_query_stale_output_spec,
    },
    {
        .name = "planned-io",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "inputs and outputs of a method that are on a device have no "
                     "planned memory",
        .reason = "the runtime copies what the caller gives with a host memcpy: it "
                  "fails, or crashed before 1.5; an output that the caller reads as "
                  "host memory crashes",
        .fix = "use MemoryPlanningPass(alloc_graph_input=False, "
               "alloc_graph_output=False) with the skip flags",
        .example = "input 0 is on cuda:0 and lies at offset 0 of arena 1",
        .issue = "#21580",
        .level = "pte",
        .query = dg_query_planned_io,
    },
    {
        .name = "enum-known",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "types of devices are those of the schema: cpu and cuda",
        .reason = "the runtime casts the number unchecked and finds no allocator",
        .fix = "use the runtime that the exporter belongs to",
        .example = "device_type = 5",
        .level = "pte",
        .query = dg_query_enum_known,
    },
    {
        .name = "buffer-entry",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a tensor lies in memory of the device it is on",
        .reason =
            "the CUDA backend refuses it, or a host kernel reads a device pointer",
        .fix = "keep enable_non_cpu_memory_planning on",
        .example = "value 3 is on cuda:0, and non_const_buffer_device has no entry for "
                   "its arena",
        .issue = "#21682",
        .level = "pte",
        .query = dg_query_buffer_entry,
    },
    {
        .name = "arena-mixed",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "all tensors of an arena are on one device",
        .reason = "the arena has one memory: some of its tensors are in the wrong one",
        .fix = "keep enable_non_cpu_memory_planning on; keep control flow out of "
               "programs for devices",
        .example = "arena 1 holds 3 tensors of cpu and 2 of cuda:0",
        .level = "pte",
        .query = dg_query_arena_mixed,
    },
    {
        .name = "buffer-index-range",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "devices are given to arenas that exist",
        .reason = "the runtime ignores the entry, and the tensors stay on the host",
        .fix = "export again",
        .example = "non_const_buffer_device has buffer_idx 7; there are 2 arenas",
        .level = "pte",
    },
    {
        .name = "buffer-entry-unique",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "no arena is given a device twice",
        .reason = "the runtime takes the first entry and ignores the others",
        .fix = "export again",
        .example = "non_const_buffer_device has two entries with buffer_idx 2",
        .level = "pte",
    },
    {
        .name = "buffer-entry-cpu",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "arenas of the host are not listed among those of devices",
        .reason = "nothing goes wrong: without an entry an arena is the host's",
        .fix = "drop the entry",
        .example = "an entry of non_const_buffer_device has device_type CPU",
        .level = "pte",
    },
    {
        .name = "etdump-host-read",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "debug dumps read tensors in host memory",
        .reason = "dumping intermediate outputs crashes on tensors of devices in "
                  "runtimes before #22095",
        .fix = "nothing is wrong unless you dump; then use a newer runtime",
        .example = "value 3 on cuda:0",
        .issue = "#22095",
        .level = "pte",
        .query = dg_query_etdump_host_read,
        .runs = DG_RUNS_ON_REQUEST,
    },
    {0},
};

const struct dg_verifier dg_verifier_device = {"device", rules, DG_ABOUT_DEVICE};
