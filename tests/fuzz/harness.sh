# What the harness starts from: shipped files, and stores, inputs and outputs made of
# them. usage: harness.sh DELEGRAPH FOLDER; prints the files.
delegraph=$1
seeds=$2
data=tests/data
mkdir -p "$seeds"

for program in tiny portable xnnpack control_flow_cond on_cuda two_backends named_data; do
    "$delegraph" load $data/$program.pte -o "$seeds/$program.pte.db"
done
for program in mlp cond crossed edge_exir lowered_cond_exir; do
    "$delegraph" load $data/$program.pt2 -o "$seeds/$program.pt2.db"
done
for day in 1 2; do
    "$delegraph" load --append $data/tiny.pte --name model --label day=$day -o "$seeds/builds.pte.db"
    "$delegraph" load --append $data/mlp.pt2 --name model --label day=$day -o "$seeds/builds.pt2.db"
done
"$delegraph" run $data/mlp.pt2 --store "$seeds/run.pt2.db" >"$seeds/log"

# Outputs under their names, which may be given as inputs, too.
for program in mlp.pt2 cond.pt2 buffers.pt2 portable.pte dtypes_portable.pte; do
    name=${program%.*}
    "$delegraph" run $data/$program --save "$seeds/$name.npz" >>"$seeds/log"
done
for list in src/partition/backends/*.json; do
    cp "$list" "$seeds/$(basename "$list" .json).support.json"
done
rm -f "$seeds"/*.baseline.json
"$delegraph" baseline write $data/on_cuda_planned_on_host.pte $data/tiny.pte --fail-on note --owner someone \
    --expires 2999-01-01 --baseline "$seeds/known.baseline.json" >>"$seeds/log"
for policy in tests/golden/policies/*.yaml; do
    cp "$policy" "$seeds/$(basename "$policy" .yaml).policy.yaml"
done
cp tests/fuzz/corpus/tensor_file/* "$seeds"
find $data -maxdepth 1 \( -name '*.pt[e2d]' -o -name '*.bpte' -o -name '*.plan.json' -o -name '*.etdp' \) -size -24k
find $data -maxdepth 1 -name '*.etrecord' -size -48k
find "$seeds" -type f ! -name log
