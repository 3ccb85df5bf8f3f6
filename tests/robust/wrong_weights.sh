# Weights inside of a delegate that were changed, are missing, or are right.
. "$top_srcdir/tests/robust/lib.sh"
program=$data/mobilenet_v3_xnnpack.pte
source=$data/mobilenet_v3.pt2

# begin OP: where the weights of the first node of that kind lie
begin() {
    "$DELEGRAPH" query "$program" --format plain -q "
        SELECT file_offset FROM v_delegate_node AS n
          JOIN v_delegate_operand AS o ON o.node_id = n.node_id AND o.name = 'filter'
          JOIN v_delegate_value AS v ON v.value_id = o.value_id
          JOIN named_data AS d ON d.key = v.key JOIN segment AS s ON s.idx = d.segment_idx
         WHERE op = '$1' ORDER BY n.idx LIMIT 1" | tail -1
}

# change FILE OFFSET: the float there is 1.5
change() {
    printf '\0\0\300\077' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>dd.err
}

# A convolution has its batch norm in it, so that it cannot be fed alone; a product can be.
cp "$program" one.pte
change one.pte "$(begin FullyConnected)"
cp one.pte two.pte
change two.pte "$(begin DepthwiseConv2d)"
expect 1 run "$source" --against one.pte --bisect
grep -q 'it is op_18/FullyConnected' out || flunk 'a wrong product is not named'
"$DELEGRAPH" run "$source" --against two.pte --bisect >out
grep -q 'it is op_18/DepthwiseConv2d_3 ' out || {
    flunk 'of two wrong layers the first is not named'
    cat out
}

# A layer that gives other sizes is the wrong one, whatever an average behind it makes of them.
cp "$program" wide.pte
padding=$(LC_ALL=C grep -obUaP '(\x01\0\0\0){4}(\x03\0\0\0){2}(\x02\0\0\0){2}' "$program" |
    tail -1 | cut -d: -f1)
printf '\002' | dd of=wide.pte bs=1 seek=$((padding + 12)) conv=notrunc 2>dd.err
expect 1 run "$source" --against wide.pte --bisect
grep -q 'it is op_18/Conv2d_1 of wide.pte' out || flunk 'a layer of other sizes is not named'
grep -q 'with all before it: shape is' out || flunk 'its sizes are not told'

# The same node is named by the program as it was exported and by its edge dialect, whose norms are lists.
program=$data/squeeze_xnnpack.pte
for at in 0 4 36; do
    cp "$program" edge.pte
    change edge.pte $(($(begin Conv2d) + at))
    for reference in squeeze squeeze_core; do
        expect 1 run "$data/$reference.pt2" --against edge.pte --bisect
        grep -q 'it is op_0/Conv2d_1 of edge.pte' out || flunk "$reference.pt2 does not name the wrong node"
    done
done
program=$data/mobilenet_v3_xnnpack.pte

# State that begins otherwise explains what no node does.
expect 1 run "$source" --against one.pte
grep -q 'begins with' err && flunk 'a wrong weight is put down to state'
expect 1 run "$data/llama.pt2" --against "$data/llama_xnnpack.pte"
says 'note: buffer layers.0.attention.k_cache begins with other bytes than zeros.*, and 3 more'
expect 1 run "$data/llama.pt2" --against "$data/llama_xnnpack.pte" -q
[ ! -s err ] || flunk 'a note is told though only what was asked for is wanted'

# The key of weights is the SHA-256 of them.
expect 0 check "$program"
expect 1 check two.pte
[ "$(grep -c '^error\[data/named-key-digest\]' out)" = 2 ] ||
    flunk 'weights with another digest are no errors'
grep -q 'DepthwiseConv2d_3 of delegate_0 reads it' out || flunk 'who reads them is not told'
expect 0 load two.pte --no-hash -o two.db
expect 0 check two.db
grep -q 'named-key-digest' out && flunk 'without digests something is known of them'

# Of codes that both programs have, rounding before them explains nothing: with these inputs
# one code may be another by rounding alone, which would lead as far as the wrong weight does.
quantized=$data/quantized_core.pt2
program=$data/xnnpack_quantized.pte
cp "$program" codes.pte
expect 0 run "$quantized" --against codes.pte --bisect --seed 12
printf '\041' | dd of=codes.pte bs=1 seek=$(($(begin FullyConnected) + 4)) conv=notrunc 2>dd.err
expect 1 run "$quantized" --against codes.pte --bisect --seed 12
grep -q '/FullyConnected_1 of codes.pte' out ||
    flunk 'a wrong weight behind equal codes is not named'

# Of two lowered programs it is told what the nodes give for the same values: they do compute.
expect 1 run "$program" --against codes.pte --bisect --seed 12
grep -q 'fed with reference values: must be equal bit for bit: element 1 is' out ||
    flunk 'a wrong product alone is not told of'

# tells PATTERN: the output has it
tells() {
    grep -Eq "$1" out || {
        flunk "the output lacks '$1'"
        cat out
    }
}

# A wrong node before outputs that pass is no success, and is not told as one. Nodes that lowering
# merged cannot be fed, which is said with the reason; and so of all with --isolate.
cp "$program" codes.pte
first=$(begin Conv2d)
printf '\000' | dd of=codes.pte bs=1 seek=$((first + 5)) conv=notrunc 2>dd.err
expect 1 run "$quantized" --against codes.pte --bisect
tells '1 value before it passes or is not compared'
tells 'values: not possible, as one program does in one node what the other does in several'
tells '1 passed, 0 failed, 0 not compared; but this node is wrong: quantize_per_tensor_1'
expect 1 run "$quantized" --against codes.pte --each
tells '1 passed, 0 failed, 0 not compared; but 1 node failed'
tells 'which step of the other program it is is not sure, and the outputs pass'
printf '\177' | dd of=codes.pte bs=1 seek=$((first + 5)) conv=notrunc 2>dd.err
expect 1 run "$quantized" --against codes.pte --bisect
tells 'elements are on average 0\.[0-9]* quantization steps too high'
expect 0 run "$quantized" --against "$program" --each --isolate
tells '  2 more nodes are not compared by themselves, as one program does in one node what'
expect 0 run "$program" --each
tells '^  node  operator  .*dtype'

# What makes floats of the last codes was put in by the quantizer: its line is that of the model.
expect 0 run "$program" --seed 12 --save right.npz
python3 - <<'END' || flunk 'expected values cannot be written'
import zipfile

values = zipfile.ZipFile("right.npz").read("out0.npy")
with zipfile.ZipFile("expected.npz", "w") as archive:
    archive.writestr("dequantize_per_tensor_5.npy", values[:-1] + bytes([values[-1] ^ 3]))
END
expect 1 run "$quantized" --seed 12 --expected expected.npz --bisect
tells 'first node beyond its floor is dequantize_per_tensor_5'
tells '^  at linear.py:134'

# A file that lacks the end lacks no other file.
head -c 60000 two.pte >short.pte
"$DELEGRAPH" run short.pte >out 2>err
grep -q 'a file is cut off or damaged' out || flunk 'what is cut off is not told'
grep -q '\.ptd\|--actual' out && flunk 'what is cut off is looked for elsewhere'

finish
