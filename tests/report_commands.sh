# Commands that reports show: each is run as it stands, and works.
. "$top_srcdir/tests/robust/lib.sh"
python3 -c 'import html.parser' 2>/dev/null || {
    echo 'skipped: python3 is not here'
    exit 77
}
mkdir bin
ln -s "$DELEGRAPH" bin/delegraph
PATH=$scratch/bin:$PATH
PYTHONIOENCODING=utf-8 && export PYTHONIOENCODING
ln -s "$data" data
cp "$data/gate.pt2" "it's a gate.pt2"
cp "$data/gate_one_tag.plan.json" 'one tag.json'
cp "$data/xnnpack.pte" ./-dash.pte
expect 0 run data/bert.pt2 --store run.db
expect 0 load data/several_models.pt2 data/mlp.pt2 data/after_xnnpack.pt2 -o two.db
count=0

# shown ARGUMENT...: run what the reports of this program show, in each form.
shown() {
    for form in html md text; do
        expect 0 report "$@" --format $form --fail-on never --width 400 -o "page.$form"
    done
    python3 "$top_srcdir/tests/commands_of.py" page.html page.md page.text >commands
    [ -s commands ] || flunk "report $* shows no command"
    while IFS= read -r command; do
        count=$((count + 1))
        sh -c "$command" >out 2>err </dev/null
        code=$?
        [ "$code" -le 1 ] || {
            flunk "of report $*: '$command' exits with $code"
            cat err
        }
    done <commands
}

shown data/mlp.pt2
shown data/gate_tagged.pt2 --plan data/gate_tagged.plan.json
shown "it's a gate.pt2" --plan 'one tag.json'
shown ./-dash.pte
shown data/after_xnnpack.pt2 --plan data/after_xnnpack_aoti.plan.json
shown data/llama_xnnpack.pte
shown data/llama.pt2
shown data/lowered_cond_exir.pt2
shown data/several_models.pt2
shown data/several_methods.pte
shown data/on_cuda.pte
shown data/on_cuda_exir.pt2
shown data/dynamic.pt2
shown data/mutants/memory_no-live-overlap__two_in_one_place.pte
shown data/gate.pt2 --plan data/gate_one_tag.plan.json --ops portable --ignore 'constant/*,graph' --limit peak-memory=1KiB
shown data/external_tagged.pte --data data/external_tagged_weights.ptd
shown run.db
shown two.db --artifact 2
shown two.db --artifact data/after_xnnpack.pt2
echo "$count commands"
finish
