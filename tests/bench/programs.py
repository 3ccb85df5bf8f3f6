"""Programs to measure on: made of a shipped one, and far larger."""
import json
import struct
import zipfile
import zlib


class Table:
    """A FlatBuffer table inside `data` at `at`; fields by vtable slot."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]

    def field(self, slot):
        if slot >= struct.unpack_from("<H", self.data, self.vtable)[0]:
            return None
        offset = struct.unpack_from("<H", self.data, self.vtable + slot)[0]
        return self.at + offset if offset else None

    def follow(self, at):
        return at + struct.unpack_from("<I", self.data, at)[0]

    def tables(self, slot):
        vector = self.follow(self.field(slot))
        count = struct.unpack_from("<I", self.data, vector)[0]
        return [Table(self.data, self.follow(vector + 4 + 4 * i)) for i in range(count)]


SEGMENTS, SEGMENT_SIZE = 12, 6


def grow_constants(source, target, size):
    """Copy a .pte and let its last segment end `size` bytes further on, in a hole."""
    data = bytearray(source.read_bytes())
    if data[8:12] != b"eh00":
        raise SystemExit(f"{source}: has no extended header")
    segments = Table(data, struct.unpack_from("<I", data, 0)[0]).tables(SEGMENTS)
    at = segments[-1].field(SEGMENT_SIZE)
    struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + size)
    if struct.unpack_from("<I", data, 12)[0] >= 32:
        total = struct.unpack_from("<Q", data, 32)[0]
        struct.pack_into("<Q", data, 32, total + size if total else 0)
    with open(target, "wb") as file:
        file.write(data)
        file.truncate(len(data) + size)


def widen(shape, strides, sizes):
    """Put `sizes` instead of the sizes of a contiguous tensor that have one."""
    new = [sizes.get((at, dim["as_int"]), sizes.get(dim["as_int"], dim["as_int"]))
           for at, dim in enumerate(shape)]
    step = 1
    for at in reversed(range(len(new))):
        shape[at]["as_int"], strides[at]["as_int"] = new[at], step
        step *= new[at]
    return 4 * step


def crc_of_zeros(size):
    chunk, crc = bytes(1 << 20), 0
    for _ in range(size >> 20):
        crc = zlib.crc32(chunk, crc)
    return zlib.crc32(bytes(size & 0xFFFFF), crc)


def write_sparse(target, entries):
    """A ZIP of stored entries; one that is a number has so many zeros, as a hole."""
    central, at = b"", 0
    with open(target, "wb") as file:
        for name, content in entries.items():
            hole = isinstance(content, int)
            size = content if hole else len(content)
            crc = crc_of_zeros(size) if hole else zlib.crc32(content)
            head = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, crc, size, size, len(name), 0)
            central += (b"PK\1\2" + struct.pack("<H", 20) + head
                        + struct.pack("<HHHII", 0, 0, 0, 0, at) + name.encode())
            file.write(b"PK\3\4" + head + name.encode())
            file.truncate(file.tell() + size) if hole else file.write(content)
            at = file.seek(0, 2)
        file.write(central + b"PK\5\6" + struct.pack(
            "<HHHHIIH", 0, 0, len(entries), len(entries), len(central), at, 0))


def wide_mlp(source, target, hidden):
    """mlp.pt2 with 36 bytes of weights for each of `hidden` features, in holes; no two
    weights have one size."""
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
        model_name = model_entry(archive)
    model = json.loads(entries[model_name])
    for name, value in model["graph_module"]["graph"]["tensor_values"].items():
        sizes = {8: hidden, (1 if name == "linear_1" else 0, 4): 5} if (
            name in ("p_down_weight", "p_down_bias", "linear_1")) else {8: hidden}
        widen(value["sizes"], value["strides"], sizes)
    config_name = next(name for name in entries if name.endswith("model_weights_config.json"))
    config = json.loads(entries[config_name])
    folder = config_name.rsplit("/", 1)[0]
    for fqn, weight in config["config"].items():
        meta = weight["tensor_meta"]
        sizes = {8: hidden, (0, 4): 5} if fqn.startswith("down") else {8: hidden}
        entries[f"{folder}/{weight['path_name']}"] = widen(meta["sizes"], meta["strides"], sizes)
    entries[model_name] = json.dumps(model).encode()
    entries[config_name] = json.dumps(config).encode()
    write_sparse(target, entries)


def model_entry(archive):
    names = [n for n in archive.namelist() if "/models/" in n and n.endswith(".json")]
    return names[0]


def layer_maker(model):
    """A function that writes node k and its value like the relu of `model`."""
    graph = model["graph_module"]["graph"]
    relu = next(n for n in graph["nodes"] if n["target"].endswith("relu.default"))
    name, source = relu["outputs"][0]["as_tensor"]["name"], "\x00source\x00"
    node = json.dumps(relu).replace(f'"{name}"', '"\x00name\x00"')
    before = relu["inputs"][0]["arg"]["as_tensor"]["name"]
    node = node.replace(f'"{before}"', f'"{source}"').replace("\\u0000", "\x00")
    node = node.replace("forward\\n", "forward\\n" + "    # a line of the model" * 8 + "\\n")
    value = json.dumps(graph["tensor_values"][name])

    def make(k, previous):
        new = f"relu_{k}"
        return new, node.replace("\x00name\x00", new).replace(source, previous), value

    return make


def long_chain(source, target, size):
    """A .pt2 whose model JSON has about `size` bytes; returns how many exactly."""
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
        entry = model_entry(archive)
    model = json.loads(entries[entry])
    graph = model["graph_module"]["graph"]
    make = layer_maker(model)
    nodes, values, length, k = [], [], 0, 0
    previous = graph["outputs"][0]["as_tensor"]["name"]
    last = previous
    while length < size:
        k += 1
        previous, node, value = make(k + 10, previous)
        nodes.append(node)
        values.append(f'"{previous}": {value}')
        length += len(node) + len(values[-1])
    return write_chain(target, entries, entry, splice(model, nodes, values, last, previous))


def call(name, supported, inputs):
    """A node of a model JSON: one or two inputs, of operators for both answers."""
    unary, binary = ("relu.default", "add.Tensor") if supported else ("neg.default", "mul.Tensor")
    arguments = [{"name": word, "arg": {"as_tensor": {"name": source}}, "kind": 1}
                 for word, source in zip(("self", "other"), inputs)]
    return {"target": "torch.ops.aten." + (unary if len(inputs) == 1 else binary),
            "inputs": arguments, "outputs": [{"as_tensor": {"name": name}}], "metadata": {},
            "is_hop_single_tensor_return": None, "name": name}


UNSUPPORTED = "aten::neg,aten::mul.Tensor"


def synthetic(source, target, lines):
    """A .pt2 with a node per line: 1 or 0, supported or not, and the lines it reads."""
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
        entry = model_entry(archive)
    model = json.loads(entries[entry])
    graph = model["graph_module"]["graph"]
    last = graph["outputs"][0]["as_tensor"]["name"]
    value = json.dumps(graph["tensor_values"][last])
    nodes, values = [], []
    for number, line in enumerate(lines):
        supported, *inputs = map(int, line.split())
        sources = [f"made_{i}" for i in inputs] or [last]
        nodes.append(json.dumps(call(f"made_{number}", supported, sources)))
        values.append(f'"made_{number}": {value}')
    text = splice(model, nodes, values, last, f"made_{len(nodes) - 1}")
    return write_chain(target, entries, entry, text)


def opened(text, names, before, layer):
    """JSON of a layer with marks for what differs in a copy: names, input, number."""
    for name in names:
        text = text.replace(f'"{name}"', f'"{name}_of_<k>"')
    return text.replace(f'"{before}"', '"<before>"').replace(layer, f"{layer[:-1]}<k>")


def deep_llama(source, target, n_nodes, tagged=None):
    """The shipped Llama with as many layers as make about `n_nodes` nodes; all the new ones
    share the weights of its last one. Nodes of modules `tagged` have a tag for each layer."""
    with zipfile.ZipFile(source) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
        entry = model_entry(archive)
    model = json.loads(entries[entry])
    graph, layer = model["graph_module"]["graph"], "layers.1"
    inside = [layer in node["metadata"].get("nn_module_stack", "") for node in graph["nodes"]]
    first, end = inside.index(True), len(inside) - inside[::-1].index(True)
    nodes, rest = graph["nodes"][first:end], graph["nodes"][end:]
    before = nodes[0]["inputs"][0]["arg"]["as_tensor"]["name"]
    last = nodes[-1]["outputs"][0]["as_tensor"]["name"]
    for node in nodes:
        if tagged and tagged in node["metadata"].get("nn_module_stack", ""):
            node["metadata"]["custom"] = json.dumps({"delegation_tag": f"tag_of_{layer}"})
    results = [o for node in nodes for o in node["outputs"]]
    names = [t["name"] for o in results for t in o.get("as_tensors", [o.get("as_tensor")])]
    values = ", ".join(f'"{n}": {json.dumps(graph["tensor_values"][n])}' for n in names)
    node_text = opened(", ".join(map(json.dumps, nodes)), names, before, layer)
    value_text = opened(values, names, before, layer)
    numbers, previous = range(2, 2 + n_nodes // (len(nodes) + 4)), last
    made_nodes, made_values = [], []
    for k in numbers:
        made_nodes.append(node_text.replace("<before>", previous).replace("<k>", str(k)))
        made_values.append(value_text.replace("<k>", str(k)))
        previous = f"{last}_of_{k}"
    graph["nodes"][end:] = ["NODES", *json.loads(json.dumps(rest).replace(f'"{last}"', f'"{previous}"'))]
    graph["tensor_values"]["VALUES"] = 0
    text = json.dumps(model).replace('"NODES"', ", ".join(made_nodes), 1)
    text = text.replace('"VALUES": 0', ", ".join(made_values), 1)
    return write_chain(target, entries, entry, text)


def splice(model, nodes, values, last, previous):
    graph = model["graph_module"]["graph"]
    graph["outputs"][0]["as_tensor"]["name"] = previous
    for spec in model["graph_module"]["signature"]["output_specs"]:
        if spec.get("user_output", {}).get("arg", {}).get("as_tensor", {}).get("name") == last:
            spec["user_output"]["arg"]["as_tensor"]["name"] = previous
    graph["nodes"].append("NODES")
    graph["tensor_values"]["VALUES"] = 0
    text = json.dumps(model)
    text = text.replace('"NODES"', ", ".join(nodes), 1)
    return text.replace('"VALUES": 0', ", ".join(values), 1)


def write_chain(target, entries, entry, text):
    entries[entry] = text.encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return len(entries[entry])
