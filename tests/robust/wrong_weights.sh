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

# A file that lacks the end lacks no other file.
head -c 60000 two.pte >short.pte
"$DELEGRAPH" run short.pte >out 2>err
grep -q 'a file is cut off or damaged' out || flunk 'what is cut off is not told'
grep -q '\.ptd\|--actual' out && flunk 'what is cut off is looked for elsewhere'

finish
