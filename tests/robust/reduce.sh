# What is wrong in a program ends as a few nodes with what they read: a folder that shows it.
. "$top_srcdir/tests/robust/lib.sh"

# reduced NODES FOLDER: the run before wrote so many nodes there, and they show it alone.
reduced() {
    grep -q "^reduced to $1 of " out || {
        flunk "$2: not reduced to $1 nodes"
        sed -n '/^bisect/,$p' out
    }
    for name in repro.pt2 inputs.npz wrong.npz repro.db repro.svg; do
        [ -s "$2/$name" ] || flunk "$2: no $name"
    done
    command=$(sed -n 's/^reproduce: delegraph //p' out)
    # shellcheck disable=SC2086
    expect 1 $command
    grep -q ' fail ' out || flunk "$2: what is told to reproduce it does not"
    expect 1 run "$2/repro.db" --inputs "$2/inputs.npz" --expected "$2/wrong.npz"
    expect 0 run "$2/repro.pt2" # its example inputs are those, and it is right by itself
    grep -q 'inputs: samples' out || flunk "$2: it has no example inputs"
    expect 0 check "$2/repro.pt2"
    expect 0 run "$2/repro.pt2" --coverage --max-skip 0
}

# changed PROGRAM NODE ARGUMENT JSON: the same program with another argument, as wrong.pt2
changed() {
    python3 "$top_srcdir/tests/robust/change_argument.py" "$data/$1.pt2" wrong.pt2 "$2" "$3" "$4" ||
        flunk "$1 cannot be changed"
}

# A weight: byte 31616 is where layers.1.output.weight begins.
cp "$data/bert.pt2" wrong.pt2
printf '\000\000\200\077' | dd of=wrong.pt2 bs=1 seek=31616 conv=notrunc 2>dd.err
expect 1 run "$data/bert.pt2" --against wrong.pt2 --reduce weight
reduced 1 weight
expect 1 run "$data/bert.pt2" --against wrong.pt2 --reduce weight --format json
grep -q '"reduced":{"nodes":\[{"node":"linear_11","op":"aten::linear.default"}\],"of":76' out ||
    flunk 'JSON does not tell of the part'
grep -q '"program":"weight/repro.pt2"' out || flunk 'JSON does not tell where the part is'

# A weight inside of a delegate, in which a convolution, its norm and its activation are one.
program=$data/mobilenet_v3_xnnpack.pte
begin=$("$DELEGRAPH" query "$program" --format plain -q "
    SELECT file_offset FROM v_delegate_node AS n
      JOIN v_delegate_operand AS o ON o.node_id = n.node_id AND o.name = 'filter'
      JOIN v_delegate_value AS v ON v.value_id = o.value_id
      JOIN named_data AS d ON d.key = v.key JOIN segment AS s ON s.idx = d.segment_idx
     WHERE op = 'DepthwiseConv2d' ORDER BY n.idx LIMIT 1" | tail -1)
cp "$program" wrong.pte
printf '\0\0\300\077' | dd of=wrong.pte bs=1 seek="$begin" conv=notrunc 2>dd.err
expect 1 run "$data/mobilenet_v3.pt2" --against wrong.pte --reduce inside/
reduced 3 inside

# Nothing is wrong: nothing is written.
expect 0 run "$data/bert.pt2" --reduce none
[ ! -e none ] || flunk 'a folder is made though nothing is wrong'

# Parts are those of a .pt2, of whole programs, and a run says what is wrong.
expect 2 run wrong.pte --against "$data/mobilenet_v3.pt2" --reduce none
says 'name it first, and the .pte by --against'
expect 2 run "$data/bert.pt2" --nodes linear --reduce none
expect 2 run "$data/bert.pt2" --isolate --reduce none
expect 2 run "$data/bert.pt2" --coverage --reduce none
: >file
expect 2 run "$data/bert.pt2" --reduce file
says 'a file, expected a folder'

python3 -c 'import json, zipfile' 2>/dev/null || finish

# An epsilon.
changed bert layer_norm eps '{"as_float": 1e-3}'
expect 1 run "$data/bert.pt2" --against wrong.pt2 --reduce epsilon
reduced 1 epsilon

# An axis: what it makes has another shape, so that what reads that shows it.
changed llama mean dim '{"as_ints": [1]}'
expect 1 run "$data/llama.pt2" --against wrong.pt2 --reduce axis
reduced 4 axis

# How many are taken: an output of another shape, and two results of one node.
changed multi_output topk k '{"as_int": 1}'
expect 1 run "$data/multi_output.pt2" --against wrong.pt2 --reduce count
reduced 1 count

# Sizes that were symbols are numbers in what is written.
changed dynamic unsqueeze dim '{"as_int": 0}'
expect 1 run "$data/dynamic.pt2" --against wrong.pt2 --reduce symbols
reduced 2 symbols

# A list of tensors, behind which the program writes in place.
changed llama cat tensors '{"as_tensors": [{"name": "add_1"}, {"name": "sub"}]}'
expect 1 run "$data/llama.pt2" --against wrong.pt2 --reduce list
reduced 2 list

# State: what a buffer holds is part of the program.
changed key_value_cache_core mul other '{"as_tensor": {"name": "sum_1"}}'
expect 1 run "$data/key_value_cache_core.pt2" --against wrong.pt2 --reduce state
reduced 1 state
finish
