/* Methods of a .pte: what each must have, and what it calls. */
#include "verifiers/plan_parts.h"
#include "verifiers/verifier.h"

static const struct dg_rule rules[] = {
    {
        .name = "name",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a method has a name",
        .reason = "the runtime refuses the file",
        .fix = "export again",
        .example = "a method whose name field is null, or \"\"",
        .level = "pte",
        .query = dg_query_method_name,
        .refused = true,
    },
    {
        .name = "name-unique",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no two methods of a program have one name",
        .reason = "the runtime takes the first; the others are never run",
        .fix = "give each method a name of its own",
        .example = "two execution plans are named \"forward\"",
        .level = "pte",
        .query = dg_query_method_unique,
    },
    {
        .name = "fields",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a method has inputs, outputs, delegates, operators and chains",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "a method whose list of chains is empty",
        .level = "pte",
        .refused = true,
    },
    {
        .name = "method-set",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the program has every method that is expected of it",
        .reason = "the application asks for it and gets \"No method named\"",
        .fix = "export with that method, or correct the name",
        .example = "--methods encode,decode, and the file has forward",
        .issue = "#7527",
        .level = "pte pt2",
        .query = dg_query_method_set,
        .not_checked =
            "SELECT 'no methods are given (--methods NAMES)' WHERE NOT EXISTS"
            " (SELECT 1 FROM setting WHERE name = 'method')",
    },
    {
        .name = "container-meta",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a method says how its inputs and outputs are nested",
        .reason = "callers that ask for the pytree get an error",
        .fix = "export again; a tool that edits files may have dropped it",
        .example = "a method without container_meta_type",
        .level = "pte",
        .query = dg_query_container_meta,
    },
    {
        .name = "value-getter",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "a method without inputs and instructions gives one value and "
                     "plans no memory",
        .reason = "constant methods look so; callers read the first value",
        .fix = "nothing is wrong if the method is meant so",
        .example = "get_sizes, without instructions, gives 2 values",
        .level = "pte",
        .query = dg_query_value_getter,
        .runs = DG_RUNS_ON_REQUEST,
    },
    {
        .name = "metadata-consistent",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "sizes that constant methods tell are sizes of tensors",
        .reason =
            "a runner that trusts them makes inputs that do not fit, or stops early",
        .fix = "give constant_methods the numbers that the model was exported with",
        .example = "get_max_seq_len gives 512, every tensor is at most 128 long",
        .level = "pte",
        .query = dg_query_metadata,
    },
    {
        .name = "returns-supported",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a method returns tensors, numbers, bools and None",
        .reason = "to_executorch() fails: \"Returning ... is not yet supported in the "
                  "emitter\"",
        .fix = "return no strings: let the caller add them",
        .example = "return x + 1, \"label\"",
        .level = "pt2",
        .query = dg_query_returns,
    },
    {
        .name = "instruction-kind",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every instruction is of a known type and has a content",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "an instruction of type 9; a kernel call without args",
        .level = "pte",
        .refused = true,
        .query = dg_query_instruction_kind,
    },
    {
        .name = "op-index",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a call of an operator names one that the method lists",
        .reason = "the runtime reads beyond the list, and may crash",
        .fix = "export again",
        .example = "op_3 calls operator 9, the method lists 4",
        .level = "pte",
        .refused = true,
        .query = dg_query_op_index,
    },
    {
        .name = "op-name",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "operators have names of less than 100 characters",
        .reason = "the runtime refuses the method: it finds no such kernel",
        .fix = "export again; give custom operators shorter names",
        .example = "an operator whose name and overload have 130 characters",
        .level = "pte",
        .refused = true,
        .query = dg_query_op_name,
    },
    {
        .name = "op-arity",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "a call passes what its operator takes, and a place for what it returns",
        .reason = "the kernel refuses the call (\"Expected 5args received 4\"), or "
                  "reads beyond its arguments",
        .fix = "export again; the operator changed if the file is old",
        .example = "aten::add.out with 4 operands: it takes 4 and returns into a fifth",
        .level = "pte",
        .refused = true,
    },
    {
        .name = "op-arg-kind",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "each argument of a call is a value of a kind that its operator "
                     "takes there",
        .reason =
            "the runtime converts nothing: it aborts (\"EValue is not a Tensor\") "
            "or refuses the call",
        .fix = "export again",
        .example = "aten::add.out whose alpha is a tensor: it takes Scalar alpha",
        .level = "pte",
        .refused = true,
    },
    {
        .name = "op-operands",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the operands of a call go together as its kernel asks",
        .reason = "the kernel refuses the call (\"KernelCall failed\")",
        .fix = "export again; a pass that changed one of the values is the cause",
        .example = "aten::mm.out of sizes [2,3] and [4,5]; aten::select_copy.int_out of"
                   " index 9 in 4 rows",
        .level = "pte",
        .refused = true,
        .check = dg_check_inferred,
    },
    {
        .name = "op-sizes",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a result is declared with the sizes that its operator gives",
        .reason = "the kernel fails (\"Attempted to resize a static tensor\")",
        .fix = "export again; a pass that changed one of the values is the cause",
        .example =
            "aten::mm.out of [2,3] and [3,5] into a static tensor of sizes [2,4]",
        .level = "pte",
        .refused = true,
        .check = dg_check_inferred,
    },
    {
        .name = "op-dtypes",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "operands and results have types that the kernel knows, and a result"
            " one that it gives",
        .reason = "the kernel refuses the call (\"KernelCall failed\")",
        .fix = "export again; a pass that changed the type of a value is the cause",
        .example = "aten::abs.out of f32 into a tensor of i64",
        .level = "pte",
        .refused = true,
        .check = dg_check_inferred,
    },
    {
        .name = "op-available",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the runtime has every operator that is called",
        .reason = "it refuses the method: \"Missing operator\"",
        .fix = "link the kernel library, delegate the operator, or decompose it before "
               "lowering",
        .example = "aten::native_dropout.out, which portable kernels lack",
        .issue = "#5009",
        .level = "pte",
        .query = dg_query_op_available,
        .not_checked = DG_NO_OPS,
    },
    {
        .name = "op-training-only",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a program that is not for training computes no gradients, drops"
                     " nothing out, and does not train its batch norms",
        .reason = "results vary from run to run or with the batch, or gradients are"
                  " computed that nobody asked for; few runtimes have the kernels",
        .fix = "call eval() before export, and export forward alone: without its"
               " backward",
        .example = "aten::dropout with train = True",
        .issue = "#1287",
        .level = "pt2 pte",
        .query = dg_query_op_training,
    },
    {
        .name = "op-unused",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "every operator that a method lists is called",
        .reason = "it only takes room",
        .fix = "nothing is wrong; a pass removed the calls",
        .example = "operator 3, aten::mul.out, is called by no instruction",
        .level = "pte",
    },
    {0},
};

const struct dg_verifier dg_verifier_plan = {"plan", rules};
