# Expected values in the forms that numpy gives them: what is right passes, and nothing else.
. "$top_srcdir/tests/robust/lib.sh"

# array FILE DTYPE SHAPE: standard input as the values of an .npy
array() {
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
        cat
    } >"$1"
}

# A number that came through numpy is an array without dimensions.
mkdir number wrong_number
printf '\004\0\0\0\0\0\0\0' | array number/out3.npy '<i8' '()'
printf '\005\0\0\0\0\0\0\0' | array wrong_number/out3.npy '<i8' '()'
expect 1 run "$data/unbacked.pt2" --expected number
grep -q '^  add  .* pass ' out || flunk 'an array without dimensions is not the number it holds'
expect 1 run "$data/unbacked.pt2" --expected wrong_number
grep -q 'is 4, expected 5' out || flunk 'another number passes'

# A program that gives zeros passes against zeros alone.
mkdir zeros right_zeros others
for file in zeros/x.npy right_zeros/out0.npy; do
    head -c 12 /dev/zero | array "$file" '<f4' '(3,)'
done
printf '\0\0\200\077\0\0\0\100\0\0\0\077' | array others/out0.npy '<f4' '(3,)'
expect 0 run "$data/saved_to_path.pt2" --inputs zeros --expected right_zeros
expect 1 run "$data/saved_to_path.pt2" --inputs zeros --expected others
expect 1 run "$data/saved_to_path.pt2" --inputs zeros --expected others --bisect
grep -q 'hold the file to what it was made from' out || flunk 'it is not told what names a node'

# In the gate, too: a finding, and files that are none are no finding.
expect 0 check "$data/saved_to_path.pt2" --numerics --inputs zeros --expected right_zeros
grep -q '1 passed' out || flunk 'check --numerics does not say what passed'
expect 1 check "$data/saved_to_path.pt2" --numerics --inputs zeros --expected others
grep -q '^error\[numerics/output\]' out || flunk 'other values are no finding of check'
expect 0 check "$data/saved_to_path.pt2" --numerics --inputs zeros --expected others --atol 3
expect 2 check "$data/saved_to_path.pt2" --numerics --inputs zeros --expected others --expected zeros
mkdir damaged empty
head -c 100 others/out0.npy >damaged/out0.npy
expect 3 check "$data/saved_to_path.pt2" --numerics --inputs zeros --expected damaged
expect 3 check "$data/saved_to_path.pt2" --numerics --inputs damaged --expected others
expect 3 check "$data/saved_to_path.pt2" --numerics --inputs zeros --expected empty
printf 'PK\003\004' >short.npz
expect 3 check "$data/saved_to_path.pt2" --numerics --inputs short.npz --expected others

# Several at a time, each with its own answer, and the same in any order of threads.
"$DELEGRAPH" check -j 1 "$data"/*.pte --program "$data/mlp.pt2" --numerics --exit-zero >one 2>&1
"$DELEGRAPH" check -j 8 "$data"/*.pte --program "$data/mlp.pt2" --numerics --exit-zero >eight 2>&1
cmp one eight || flunk 'check --numerics -j 8 says something else than -j 1'
grep -q ': numerics: forward held to' one || flunk 'nothing was run'

# A bundle that has nothing for the method, or for another one: nothing is compared.
cp "$data/bundled.bpte" other_method.bpte
chmod u+w other_method.bpte
at=$(grep -abo forward other_method.bpte | tail -n 1 | cut -d: -f1)
printf onwards | dd of=other_method.bpte bs=1 seek="$at" conv=notrunc 2>dd.err
expect 0 check "$data/bundled.bpte" --numerics --select numerics
expect 1 check other_method.bpte --numerics --select numerics
grep -q '^error\[numerics/compared\].*the bundle expects nothing' out || flunk 'that nothing is compared is no finding'

# A program without samples is run with those of the program that it is held to.
expect 0 run "$data/squeeze_xnnpack.pte" --against "$data/squeeze.pt2"
grep -q 'inputs: samples' out || flunk 'the samples of the other program are not used'
expect 0 run "$data/squeeze_xnnpack.pte" --against "$data/squeeze.pt2" --seed 3
grep -q 'inputs: random, seed 3' out || flunk 'a seed does not give random inputs'

# Complex numbers go into files of arrays and come back.
expect 0 run "$data/complex_numbers.pt2" --save complex.npz
expect 0 run "$data/complex_numbers.pt2" --expected complex.npz
grep -q '3 outputs: 3 passed' out || flunk 'complex outputs are others than they were written'

finish
