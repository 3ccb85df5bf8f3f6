"""What the release of the runtime does not know."""

import mutate
from flat import Table
from mutants import mutant


def since(release):
    return ("--runtime", release)


def inside(rule, release):
    """Registers an edit of the blob of the first delegate."""

    def add(edit):
        def edit_program(p):
            blob = mutate.Blob(p.blob())
            edit(blob)
            p.set_blob(blob.to_bytes())

        mutant(rule, "xnnpack.pte", options=since(release), name=edit.__name__)(edit_program)
        return edit

    return add


@mutant("runtime/operator", "tiny.pte", options=since("0.3"))
def operator_of_a_later_release(p):
    p.plan().operators[0].name = b"aten::topk"
    p.plan().operators[0].overload = b"values"


@inside("runtime/delegate-node", "0.6")
def kind_of_a_later_release(b):
    node = b.node(2)
    b.root.xnodes[2].xnode_union_type = 43
    b.root.xnodes[2].xnode_union = Table(
        "_XNNNode1x1", input_id=node.input_id, output_id=node.output_id, flags=0
    )


@inside("runtime/delegate-datatype", "0.6")
def datatype_of_a_later_release(b):
    b.value(3).datatype = 14


@mutant("runtime/field", "tiny.pte", options=since("1.2"))
def arena_on_a_device(p):
    p.plan().non_const_buffer_device = [
        Table("NonConstBufferDevice", buffer_idx=1, device_type=1, device_index=0)
    ]


@mutant("runtime/backend", "xnnpack.pte", options=since("1.2"))
def backend_of_a_later_release(p):
    p.plan().delegates[0].id = b"MLXBackend"
