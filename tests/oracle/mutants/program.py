"""Methods and values of `.pte` files: families plan/ and value/."""

from flat import Table
from mutants import mutant

# Methods and instructions


@mutant("plan/name", "tiny.pte")
def no_name(p):
    p.plan().drop("name")


@mutant("plan/name", "tiny.pte")
def name_of_no_characters(p):
    p.plan().name = b""


@mutant("value/dynamic-input-static-out", "dynamic_rows.pte")
def static_view(p):
    views = [c for c in p.calls("KernelCall") if b"et_view" in p.operator(c).name]
    p.value(views[0].args[-1]).shape_dynamism = 0


@mutant("plan/name-unique", "several_methods.pte")
def one_name_twice(p):
    p.plan(1).name = p.plan(0).name


@mutant("plan/fields", "tiny.pte")
def no_outputs(p):
    p.plan().drop("outputs")


@mutant("plan/container-meta", "tiny.pte")
def no_container(p):
    p.plan().drop("container_meta_type")


@mutant("plan/instruction-kind", "tiny.pte")
def instruction_of_the_future(p):
    p.instructions()[0].instr_args_type = 9


@mutant("plan/op-index", "tiny.pte")
def no_such_operator(p):
    p.call("KernelCall").op_index = 99


@mutant("plan/op-name", "tiny.pte")
def name_too_long(p):
    p.plan().operators[0].name = b"aten::" + b"a" * 200


@mutant("plan/op-available", "tiny.pte", options=("--ops", "portable"))
def kernel_not_there(p):
    p.plan().operators[0].name = b"aten::angle"


@mutant("plan/op-arity", "tiny.pte")
def argument_too_many(p):
    call = p.call("KernelCall")
    call.args = [*call.args, call.args[-1]]


@mutant("plan/op-arg-kind", "tiny.pte")
def number_where_tensor(p):
    call = p.call("KernelCall")
    call.args = [p.add_value("Int", int_val=1), *call.args[1:]]


@mutant("plan/op-operands", "kept_views.pte")
def viewed_as_too_many(p):
    """A view of sizes that hold another number of elements."""
    call = next(c for c in p.calls("KernelCall") if p.operator(c).name == b"aten::view_copy")
    sizes = list(p.value(call.args[1]).items)
    p.value(call.args[1]).items = [*sizes[:-1], p.add_value("Int", int_val=77)]


@mutant("plan/op-sizes", "tiny.pte")
def declared_turned_round(p):
    """A result whose sizes are declared in another order than its operator gives them."""
    result = p.value(p.call("KernelCall", skip=2).args[-1])
    result.sizes = list(reversed(result.sizes))


@mutant("plan/op-dtypes", "tiny.pte")
def declared_as_whole_numbers(p):
    """A result of floats that is declared to be of int32."""
    p.value(p.call("KernelCall").args[-1]).scalar_type = 3


@mutant("plan/op-training-only", "reinplaced.pte")
def dropout_stays(p):
    p.plan().operators.append(Table("Operator", name=b"aten::native_dropout", overload=b"out"))
    given, result = p.call("KernelCall", skip=2).args[0], p.plan().outputs[0]
    half = p.add_value("Double", double_val=0.5)
    train = p.add_value("Bool", bool_val=True)
    mask = p.add_value("Tensor", **p.like(result, scalar_type=11))
    both = p.add_value("TensorList", items=[result, mask])
    p.add_instruction(
        "KernelCall",
        op_index=len(p.plan().operators) - 1,
        args=[given, half, train, result, mask, both],
    )


@mutant("plan/method-set", "tiny.pte", options=("--methods", "forward"))
def method_renamed(p):
    p.plan().name = b"backward"


# Values


@mutant("value/present", "tiny.pte")
def no_content(p):
    p.plan().values[1].drop("val")


@mutant("value/kind-known", "tiny.pte")
def kind_of_the_future(p):
    p.plan().values[1].val_type = 12


@mutant("value/arg-index", "tiny.pte")
def argument_out_of_range(p):
    p.call("KernelCall").args[0] = 99


@mutant("value/move-jump-free-index", "control_flow_delegated.pte")
def move_out_of_range(p):
    p.call("MoveCall").move_from = 99


@mutant("value/input-index", "tiny.pte")
def input_out_of_range(p):
    p.plan().inputs[0] = 99


@mutant("value/output-index", "tiny.pte")
def output_out_of_range(p):
    p.plan().outputs[0] = -1


@mutant("value/input-not-constant", "initial_state.pte")
def input_is_constant(p):
    p.plan().inputs[0] = p.constants()[0]


@mutant("value/input-unique", "initial_state.pte")
def input_twice(p):
    p.plan().inputs[1] = p.plan().inputs[0]


@mutant("value/int-list-item", "initial_state.pte")
def list_of_no_ints(p):
    p.value(p.values_of("IntList")[0]).items[0] = p.values_of("Bool")[0]


@mutant("value/list-present", "initial_state.pte")
def list_without_items(p):
    p.value(p.values_of("IntList")[0]).drop("items")


@mutant("value/tensor-list-item", "list_arguments.pte")
def list_of_no_tensors(p):
    p.value(p.values_of("TensorList")[0]).items[0] = p.values_of("Int")[0]


@mutant("value/optional-list-item", "initial_state.pte")
def optional_out_of_range(p):
    p.value(p.values_of("OptionalTensorList")[0]).items[0] = 99


@mutant("value/list-forward-ref", "list_arguments.pte")
def item_comes_later(p):
    tensors = p.value(p.values_of("TensorList")[0])
    later = p.add_value("Tensor", **p.like(tensors.items[-1]))
    tensors.items[-1] = later


@mutant("value/scalar-type", "tiny.pte")
def type_of_the_future(p):
    p.value(p.plan().outputs[0]).scalar_type = 77


@mutant("value/sizes", "tiny.pte")
def negative_size(p):
    p.value(p.plan().outputs[0]).sizes[0] = -1


@mutant("value/rank", "tiny.pte")
def seventeen_dimensions(p):
    tensor = p.value(p.plan().outputs[0])
    tensor.sizes, tensor.dim_order = [1] * 17, bytes(range(17))


@mutant("value/dim-order-length", "initial_state.pte")
def dim_order_too_short(p):
    p.value(0).dim_order = b"\0"


@mutant("value/dim-order-permutation", "initial_state.pte")
def dim_order_twice_zero(p):
    p.value(0).dim_order = b"\0\0"


@mutant("value/dim-order-canonical", "layouts_portable.pte")
def dim_order_of_no_kernel(p):
    p.value(p.plan().inputs[0]).dim_order = bytes([3, 2, 1, 0])


@mutant("value/storage-offset", "tiny.pte")
def storage_offset(p):
    p.value(p.plan().outputs[0]).storage_offset = 4


@mutant("value/dynamism", "tiny.pte")
def unbound(p):
    p.value(p.plan().outputs[0]).shape_dynamism = 2


@mutant("value/dynamic-input-static-out", "dynamic_rows.pte")
def static_result_of_dynamic(p):
    plan = p.plan()
    plan.non_const_buffer_sizes[1] = 2048
    info = Table("AllocationDetails", memory_id=1, memory_offset_low=1024)
    result = p.add_value("Tensor", **p.like(9, shape_dynamism=0, allocation_info=info))
    plan.operators.append(Table("Operator", name=b"aten::relu", overload=b"out"))
    p.add_instruction("KernelCall", 3, op_index=len(plan.operators) - 1, args=[9, result, result])
    plan.outputs = [*plan.outputs, result]


@mutant("plan/returns-supported", "edge_exir.pt2")
def returns_text(p):
    text = {"as_string": "done"}
    p.graph["outputs"].append(text)
    p.signature["output_specs"].append({"user_output": {"arg": text}})


@mutant("signature/output-loads", "edge_exir.pt2")
def returns_a_number_exir_cannot_load(p):
    number = {"as_float": 1.5}
    p.graph["outputs"].append(number)
    p.signature["output_specs"].append({"user_output": {"arg": number}})


@mutant("value/move-kind", "control_flow_cond.pte")
def list_in_the_place_of_a_tensor(p):
    p.call("MoveCall").move_from = p.add_value("IntList", items=[p.add_value("Int", int_val=1)])


@mutant("value/move-from-constant", "portable.pte")
def constant_handed_on(p):
    """A weight moves to where a kernel writes its result."""
    result = p.call("KernelCall").args[-1]
    p.add_instruction("MoveCall", 0, move_from=p.constants()[0], move_to=result)
