/* Values of a .pte, and tensors of a .ptd: what the runtime can make sense of. */
#include "verifiers/rules_as_sql.h"
#include "verifiers/sql.h"
#include "verifiers/value_parts.h"

/* clang-format off */

/* Operands of some kinds of instructions that no value stands behind. */
#define OUT_OF_RANGE(kinds)                                                            \
    "SELECT n.id AS node, printf('operand %lld is value %lld; the method has %lld"     \
    " values', o.pos, o.value_idx, " DG_N_VALUES("n.graph_id") ") AS message"          \
    "  FROM operand AS o JOIN node AS n ON n.id = o.node_id"                           \
    " WHERE o.value_id IS NULL AND n.kind IN (" kinds ") ORDER BY o.node_id, o.pos"

/* What a method takes or gives; -1 is stored as an unsigned number. */
#define IN_SIGNATURE(direction)                                                        \
    "SELECT s.graph_id AS \"graph\", s.value_id AS value,"                             \
    "   printf('" direction " %lld is value %lld%s', s.pos,"                           \
    "    iif(s.value_idx = 4294967295, -1, s.value_idx), iif(v.id IS NULL,"            \
    "    printf('; the method has %lld values', " DG_N_VALUES("s.graph_id") "),"       \
    "    printf(', %s; expected a tensor, a number, a bool, a string or null',"        \
    "     " DG_A_KIND("v") "))) AS message"                                            \
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id"                     \
    "  JOIN signature AS s ON s.graph_id = g.id LEFT JOIN value AS v ON v.id = s.value_id" \
    " WHERE method.ir = 'pte' AND s.direction = '" direction "' AND (v.id IS NULL"     \
    "   OR v.kind NOT IN ('tensor', 'int', 'bool', 'double', 'string', 'null',"        \
    "    'unknown')) ORDER BY s.graph_id, s.pos"

/* Inputs of a .pte with the values that they are. */
#define INPUTS                                                                         \
    "  FROM method JOIN \"graph\" AS g ON g.method_id = method.id"                     \
    "  JOIN signature AS s ON s.graph_id = g.id JOIN value AS v ON v.id = s.value_id"  \
    " WHERE method.ir = 'pte' AND s.direction = 'input'"

static const char input_not_constant[] =
    "SELECT g.id AS \"graph\", v.id AS value, printf('input %lld is value %lld, which is"
    " a constant of the %s', s.pos, v.idx, iif(v.storage = 'constant', 'file',"
    " 'named data')) AS message" INPUTS " AND v.storage IN ('constant', 'external')"
    " ORDER BY g.id, s.pos";

/* Setting the memory of an output replaces that of the constant. */
static const char output_not_external[] =
    "SELECT g.id AS \"graph\", v.id AS value, printf('output %lld is value %lld, which is"
    " a constant of the named data', s.pos, v.idx) AS message"
    "  FROM value AS v JOIN \"graph\" AS g ON g.id = v.graph_id"
    "  JOIN method ON method.id = g.method_id AND method.ir = 'pte'"
    "  JOIN signature AS s ON s.graph_id = g.id AND s.value_id = v.id"
    "   AND s.direction = 'output'"
    " WHERE v.storage = 'external' AND v.storage < 'n'"
    " ORDER BY g.id, s.pos";

/* The value has the constant's memory from then on. Who writes it last is looked for
 * once for a value, to which many moves may go. */
static const char move_from_constant[] =
    "WITH moved AS MATERIALIZED (SELECT node.id AS node, c.idx AS constant,"
    "   v.id AS value, v.idx"
    "  FROM node CROSS JOIN operand AS f ON f.node_id = node.id AND f.pos = 0"
    "  CROSS JOIN value AS c ON c.id = f.value_id"
    "   AND c.storage IN ('constant', 'external')"
    "  CROSS JOIN operand AS t ON t.node_id = node.id AND t.pos = 1"
    "  CROSS JOIN value AS v ON v.id = t.value_id"
    " WHERE node.kind = 'move_call' AND " DG_RARE("node") "),"
    "last AS MATERIALIZED (SELECT to_value.value, max(n.id) AS node, n.name"
    "  FROM (SELECT DISTINCT value FROM moved) AS to_value"
    "  CROSS JOIN operand AS w ON w.value_id = to_value.value AND w.access <> 'read'"
    "  CROSS JOIN node AS n ON n.id = w.node_id"
    "   AND n.kind IN ('kernel_call', 'delegate_call') GROUP BY to_value.value)"
    "SELECT moved.node, moved.value, printf('moves value %lld, a constant, to"
    " value %lld, which %s writes', constant, idx, last.name) AS message"
    "  FROM moved JOIN last ON last.value = moved.value AND last.node > moved.node"
    " ORDER BY moved.node";

static const char input_unique[] =
    "SELECT \"graph\", value, printf('inputs %s are all value %lld', " DG_FIRST("pos") ","
    " idx) AS message FROM (SELECT g.id AS \"graph\", v.id AS value, v.idx, s.pos,"
    "   row_number() OVER (PARTITION BY v.id ORDER BY s.pos) AS number" INPUTS ")"
    " GROUP BY value HAVING count(*) > 1 ORDER BY value";

static const char primitive_input[] =
    "SELECT g.id AS \"graph\", v.id AS value, printf('input %lld is value %lld, %s: %s',"
    " s.pos, v.idx, " DG_A_KIND("v") ", CASE v.kind WHEN 'bool' THEN iif(v.scalar, 'true',"
    "  'false') WHEN 'string' THEN json_quote(v.scalar) ELSE v.scalar END) AS message"
    INPUTS " AND v.kind IN ('int', 'bool', 'double', 'string') ORDER BY g.id, s.pos";

/* Layouts that differ: not where all but one dimension, or the channels, have size 1. */
/* Where all but one dimension has one element, every order is the same. */
static const char input_layout[] =
    "SELECT g.id AS \"graph\", v.id AS value, printf('input %lld, sizes %s, must"
    " come in dim_order %s%s', s.pos, v.shape, v.dim_order,"
    " iif(v.dim_order IN ('[0,2,3,1]', '[0,2,3,4,1]'), ', channels last', '')) AS message"
    INPUTS " AND v.kind = 'tensor' AND json_array_length(v.dim_order) <= 16"
    "   AND EXISTS (SELECT 1"
    "   FROM json_each(v.dim_order) AS a JOIN json_each(v.dim_order) AS b"
    "   ON a.key < b.key AND a.value > b.value"
    "   AND v.shape ->> a.value <> 1 AND v.shape ->> b.value <> 1)"
    " ORDER BY g.id, s.pos";

/* clang-format on */

static const struct dg_rule rules[] = {
    {
        .name = "present",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every value has its content",
        .reason = "the runtime refuses the method, or crashes",
        .fix = "export again",
        .example = "value 3 is a Tensor whose table is absent",
        .level = "pte",
        .refused = true,
    },
    {
        .name = "kind-known",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "the kind of every value, and where a tensor has its bytes, are such"
            " that the runtime knows",
        .reason = "the runtime refuses the method, or crashes",
        .fix = "export for the runtime that will run it",
        .example = "value 3 is of KernelTypes 12",
        .level = "pte",
        .refused = true,
    },
    {
        .name = "arg-index",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the operands of kernels and delegates are values of the method",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "a KernelCall has argument 99 in a method of 85 values",
        .level = "pte",
        .refused = true,
        .query = OUT_OF_RANGE("'kernel_call', 'delegate_call'"),
    },
    {
        .name = "move-jump-free-index",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what is moved, freed or decides a jump is a value of the method",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "a MoveCall moves value 3 to value -1",
        .level = "pte",
        .refused = true,
        .query = OUT_OF_RANGE("'move_call', 'jump_false_call', 'free_call'"),
    },
    {
        .name = "input-index",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "inputs of a method are tensors, numbers, bools, strings or null",
        .reason = "the runtime refuses the input, or aborts when it is set",
        .fix = "export again; torch.export takes lists apart",
        .example = "input 0 is value 99 in a method of 85 values",
        .level = "pte",
        .refused = true,
        .query = IN_SIGNATURE("input"),
    },
    {
        .name = "output-index",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "outputs of a method are tensors, numbers, bools, strings or null",
        .reason = "the runtime refuses to tell what the method returns, or aborts",
        .fix = "export again; torch.export takes lists apart",
        .example = "output 0 is value 9, an int list",
        .level = "pte",
        .refused = true,
        .query = IN_SIGNATURE("output"),
    },
    {
        .name = "input-not-constant",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no input of a method is a constant",
        .reason = "setting the input fails, or writes over the constant in the file",
        .fix = "export again: what the caller passes has no data in the program",
        .example = "input 1 is value 4, a weight in the constant segment",
        .level = "pte",
        .refused = true,
        .query = input_not_constant,
    },
    {
        .name = "output-not-external",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no output of a method is a constant of the named data",
        .reason = "the memory that the caller gives for the output takes the constant's"
                  " place, and holds what nothing wrote",
        .fix = "return a copy of it, or keep it in the program",
        .example = "forward returns a weight, exported with external_constants=True",
        .level = "pte",
        .query = output_not_external,
    },
    {
        .name = "move-from-constant",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what a constant is moved to is written by no kernel later",
        .reason = "the kernel writes over the constant in the file, which is read-only:"
                  " it crashes",
        .fix = "export again; control flow copies a constant before it hands it on",
        .example = "op_0 moves weight 3 to value 7, and op_1 writes value 7",
        .level = "pte",
        .refused = true,
        .query = move_from_constant,
    },
    {
        .name = "move-kind",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a tensor is moved to a tensor's place only, and nothing else is",
        .reason =
            "a move hands on the value as it is: who reads the place next asks for"
            " what it was declared as, and the runtime aborts (\"EValue is not a"
            " Tensor\")",
        .fix =
            "export again; what branches return has the types of what the cond gives",
        .example = "op_5 moves value 10, a list of ints, to value 6, a tensor",
        .level = "pte",
        .refused = true,
    },
    {
        .name = "input-unique",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "each input of a method is a value of its own",
        .reason = "the input that is set last is what the method sees in both places",
        .fix = "export again; if both are the same tensor, pass it once",
        .example = "inputs 0 and 1 are both value 2",
        .level = "pte",
        .query = input_unique,
    },
    {
        .name = "primitive-input",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "inputs are tensors",
        .reason = "the runtime takes no other number than the one seen in export",
        .fix = "pass exactly this, or make the input a tensor",
        .example = "forward(x, 3): input 1 is an int, and the caller must pass 3",
        .level = "pte",
        .query = primitive_input,
    },
    {
        .name = "input-layout",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "inputs come in the default order of dimensions",
        .reason =
            "the runtime takes a contiguous input without a word, reads it as if it"
            " had this layout, and computes wrong numbers",
        .fix = "pass the input in this layout, or export for a contiguous one",
        .example = "an image model was exported for inputs in channels_last",
        .issue = "#21837",
        .level = "pte",
        .query = input_layout,
    },
    {
        .name = "list-present",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "lists have items and strings have text, be they empty",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "value 9 is an IntList whose vector of items is absent",
        .level = "pte",
        .refused = true,
        .query = dg_sql_list_present,
        .check = dg_check_value_faults,
    },
    {
        .name = "int-list-item",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the items of an int list are ints of the method",
        .reason = "the runtime refuses the method, or aborts when the list is used",
        .fix = "export again",
        .example = "item 0 of an IntList is value 3, a tensor",
        .level = "pte",
        .refused = true,
        .query = dg_sql_int_item,
        .check = dg_check_value_faults,
    },
    {
        .name = "tensor-list-item",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the items of a tensor list are tensors of the method",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "item 1 of a TensorList is value 99 in a method of 85 values",
        .level = "pte",
        .refused = true,
        .query = dg_sql_tensor_item,
        .check = dg_check_value_faults,
    },
    {
        .name = "optional-list-item",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the items of an optional tensor list are tensors, null or -1",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "item 0 of an OptionalTensorList is value 8, an int",
        .level = "pte",
        .refused = true,
        .query = dg_sql_optional_item,
        .check = dg_check_value_faults,
    },
    {
        .name = "list-forward-ref",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the items of a list of tensors come before the list",
        .reason = "the runtime sets values up in order, and reads memory that holds no"
                  " tensor yet",
        .fix = "export again",
        .example = "value 5 is a TensorList with item 7",
        .level = "pte",
        .refused = true,
        .query = dg_sql_forward_ref,
        .check = dg_check_value_faults,
    },
    {
        .name = "scalar-type",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the element type of a tensor is one that the runtime knows",
        .reason = "the runtime refuses the method",
        .fix = "export with element types that ExecuTorch has",
        .example = "a tensor has scalar_type 99",
        .level = "pte ptd",
        .refused = true,
    },
    {
        .name = "sizes",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "sizes are not negative, and their product is a number of bytes",
        .reason = "the runtime refuses the method, or computes with other sizes",
        .fix = "export again",
        .example = "a tensor has sizes [2,-3]",
        .issue = "#2163",
        .level = "pte",
        .refused = true,
    },
    {
        .name = "rank",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a tensor has 16 dimensions at most",
        .reason = "the runtime refuses the method",
        .fix = "reshape the tensor before export",
        .example = "a tensor has 17 sizes of 1",
        .level = "pte",
        .refused = true,
        .query = dg_sql_rank,
        .check = dg_check_value_faults,
    },
    {
        .name = "dim-order-length",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the dim order of a tensor has as many entries as it has sizes",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "a tensor of sizes [2,3] has dim_order [0]",
        .level = "pte",
        .refused = true,
        .query = dg_sql_order_length,
        .check = dg_check_value_faults,
    },
    {
        .name = "dim-order-permutation",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the dim order of a tensor names each dimension once",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .example = "a tensor of sizes [2,3,4] has dim_order [0,0,1]",
        .level = "pte",
        .refused = true,
        .query = dg_sql_order_permutation,
        .check = dg_check_value_faults,
    },
    {
        .name = "dim-order-canonical",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a tensor is contiguous or channels last",
        .reason = "most host kernels refuse other dim orders, even those that differ in"
                  " dimensions of size 1 only",
        .fix = "make the tensor contiguous before export",
        .example = "a weight of sizes [8,1,3,3] has dim_order [0,2,1,3]",
        .issue = "#22520",
        .level = "pte",
        .query = dg_sql_order_canonical,
        .check = dg_check_value_faults,
    },
    {
        .name = "storage-offset",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a tensor begins where its storage begins",
        .reason = "the runtime refuses the method",
        .fix = "copy the tensor before export: no view of a part of it is possible",
        .example = "a tensor has storage_offset 4",
        .level = "pte",
        .refused = true,
        .query = dg_sql_storage_offset,
        .check = dg_check_value_faults,
    },
    {
        .name = "dynamism",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "sizes are static, or have an upper bound",
        .reason = "the runtime refuses the method",
        .fix = "give dynamic dimensions a max when exporting",
        .example = "a tensor is DYNAMIC_UNBOUND",
        .issue = "#1610",
        .level = "pte",
        .refused = true,
        .query = dg_sql_dynamism,
        .check = dg_check_value_faults,
    },
    {
        .name = "dynamic-input-static-out",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "sizes that follow an input of dynamic sizes are dynamic, too",
        .reason = "the runtime cannot resize the result when the input has other sizes"
                  " than the ones it was planned for",
        .fix = "export again; a pass that made a size a constant is the cause",
        .example =
            "aten::add.out reads a tensor of at most [8,4], writes a static [8,4]",
        .issue = "#3636",
        .level = "pt2 pte",
        .check = dg_check_static_out,
    },
    {
        .name = "layout-strided",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "the layout of a tensor is strided",
        .reason =
            "the runtime ignores the layout, and takes the tensor for a dense one",
        .fix = "make sparse tensors dense before export",
        .example = "a tensor has layout 1, SparseCoo",
        .level = "pte",
        .query = dg_sql_layout,
        .check = dg_check_value_faults,
    },
    {
        .name = "unused",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "each value is used by an instruction, a list or the caller",
        .reason = "it takes room in the file, and memory when the method is loaded",
        .fix = "delete buffers that forward does not read before export",
        .example = "value 3 is a constant that no instruction reads",
        .level = "pte",
        .check = dg_check_value_unused,
    },
    {0},
};

const struct dg_verifier dg_verifier_value = {"value", rules};
