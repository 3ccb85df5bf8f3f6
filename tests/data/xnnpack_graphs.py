"""Graphs for XNNPACK's delegate, written by hand and put in place of what was lowered."""

import functools
import math

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.serialization import xnnpack_graph_schema as schema
from executorch.backends.xnnpack.serialization.xnnpack_graph_serialize import serialize_xnnpack_binary
from executorch.exir import to_edge_transform_and_lower
from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary

NO_EXTERNAL = 2**32 - 1
ALIGNED = 16
SHAPE = (1, 4, 4, 6)  # of all values, as they lie in memory: four times four of six channels


class Graph:
    """Values of SHAPE on grids (scale, zero point), on none where they are floats."""

    def __init__(self):
        self.nodes, self.values, self.constants, self.data = [], [], [], bytearray()
        self.grids = {}
        self.constant(b"")
        self.input = self.value(None, external=0, flags=1)

    def constant(self, data):
        self.data += bytes(-len(self.data) % ALIGNED)
        self.constants.append(schema.ConstantDataOffset(len(self.data), len(data), None))
        self.data += data
        return len(self.constants) - 1

    def value(self, grid, shape=SHAPE, datatype="qint8", constant=0, external=NO_EXTERNAL, flags=0):
        number = len(self.values)
        tensor = schema.XNNTensorValue(
            getattr(schema.XNNDatatype, f"xnn_datatype_{datatype if grid else 'fp32'}"),
            len(shape), list(shape), constant, external, flags, number)
        if grid:
            tensor = schema.XNNQuantizedTensorValue(tensor, schema.PerTensorQuant(*grid))
        self.values.append(schema.XValue(tensor))
        self.grids[number] = grid
        return number

    def codes(self, codes, grid, shape, datatype="qint8"):
        """A constant."""
        kind = torch.int32 if datatype == "qint32" else torch.int8
        data = torch.tensor(codes, dtype=kind).numpy().tobytes()
        return self.value(grid, shape, datatype, self.constant(data))

    def add(self, kind, inputs, grid, bounds=None, datatype="qint8", **others):
        """A node and its result, whose number is given back."""
        result = self.value(grid, datatype=datatype)
        self.append(kind, inputs, result, bounds, **others)
        return result

    def append(self, kind, inputs, result, bounds=None, **others):
        names = ["input_id"] if len(inputs) == 1 else [f"input{i + 1}_id" for i in range(len(inputs))]
        if kind == "Conv2d":
            names = ["input1_id", "filter_id", "bias_id"]
        node = getattr(schema, f"XNN{kind}")(**dict(zip(names, inputs)), output_id=result, flags=0, **others)
        said = [str(one) if math.isinf(one) else one for one in bounds] if bounds else None
        self.nodes.append(schema.XNode(node, len(self.nodes) + 1, said and schema.OutputMinMax(*said)))

    def pool(self, read):
        sizes = dict.fromkeys(("padding_top", "padding_right", "padding_bottom", "padding_left", "stride_height",
                               "stride_width", "dilation_height", "dilation_width"), 1)
        return self.add("MaxPooling2d", [read], self.grids[read], pooling_height=3, pooling_width=3, **sizes)

    def convolution(self, read, codes, grid, bounds=None, scale=0.02):
        channels = SHAPE[-1]
        ones = dict.fromkeys(("kernel_height", "kernel_width", "subsampling_height", "subsampling_width",
                              "dilation_height", "dilation_width", "groups"), 1)
        zeros = dict.fromkeys(("padding_top", "padding_right", "padding_bottom", "padding_left",
                               "adjustment_height", "adjustment_width"), 0)
        weights = self.codes(codes, (scale, 0), (channels, 1, 1, channels))
        bias = self.codes([100 * i - 250 for i in range(channels)], (self.grids[read][0] * scale, 0),
                          (channels,), "qint32")
        return self.add("Conv2d", [read, weights, bias], grid, bounds, group_input_channels=channels,
                        group_output_channels=channels, **ones, **zeros)

    def finish(self, read):
        """What is read is the result, in floats."""
        result = self.value(None, external=1, flags=2)
        self.append("Convert" if self.grids[read] else "Copy", [read], result)
        return self

    def write(self):
        return schema.XNNGraph("0", self.nodes, self.values, 2, [0], [len(self.values) - 1],
                               self.constants), self.data


@functools.cache
def lowered():
    """A program with one delegate, from SHAPE to the same."""
    exported = torch.export.export(torch.nn.ReLU(), (torch.zeros(SHAPE),))
    return to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch().buffer


def program_of(graph):
    """The bytes of an ExecuTorch program whose only delegate is the graph."""
    file = deserialize_pte_binary(lowered())
    file.program.backend_delegate_data[0].data = serialize_xnnpack_binary(*graph.write())
    return bytes(serialize_pte_binary(file, extract_delegate_segments=True))
