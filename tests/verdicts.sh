# check and report give the same verdict and counts for the same program and options.
. "$top_srcdir/tests/robust/lib.sh"
ln -s "$data" data
printf 'aten::add.out\naten::mm.out\n' >few.ops
expect 0 load data/several_models.pt2 data/mlp.pt2 data/gate_tagged.pt2 -o three.db
count=0

# same ARGUMENT...: the last line of check, and the first of a report, but for the words
# around the numbers; and the exit status.
same() {
    "$DELEGRAPH" check "$@" >check.out 2>check.err
    checked=$?
    "$DELEGRAPH" report "$@" --format text -o report.txt >report.out 2>report.err
    reported=$?
    grep -oE '[0-9]+ errors?, [0-9]+ warnings?, [0-9]+ notes?' check.out | tail -1 >check.counts
    grep -oE '[0-9]+ errors?, [0-9]+ warnings?, [0-9]+ notes?' report.txt | head -1 >report.counts
    [ "$checked" = "$reported" ] || flunk "check $* exits with $checked, report with $reported"
    cmp -s check.counts report.counts ||
        flunk "check $* counts $(cat check.counts), report $(cat report.counts)"
    [ "$checked" -gt 1 ] || [ -s check.counts ] || flunk "check $* counts nothing"
    rm -f report.txt
    count=$((count + 1))
}

for file in data/*.pte data/*.pt2 data/mutants/*; do
    same "$file" --fail-on error
done
for on in warning note never; do
    same data/portable.pte --fail-on $on
    same data/gate.pt2 --plan data/gate_one_tag.plan.json --fail-on $on
done
for file in data/mlp.pt2 data/portable.pte data/bert_xnnpack.pte data/on_cuda.pte data/training.pte; do
    same $file --ops portable --fail-on error
    same $file --ops few.ops --fail-on error
    same $file --methods forward,other --fail-on error
    same $file --backends XnnpackBackend,CudaBackend --fail-on note
    same $file --limit peak-memory=1KiB --limit host-ops=1 --fail-on error
    same $file --limit delegated-share=90% --fail-on error
    same $file --for executorch --fail-on warning
    same $file --skip-h2d-inputs --fail-on warning
    same $file --select memory,device --fail-on note
    same $file --ignore 'memory/*,graph' --fail-on note
done
for plan in data/*.plan.json; do
    for program in "${plan%.plan.json}".pt2 data/gate.pt2; do
        [ -e "$program" ] || continue
        same "$program" --plan "$plan" --fail-on error
        same "$program" --plan "$plan" --force --fail-on note
    done
done
same data/external_tagged.pte --data data/external_tagged_weights.ptd --fail-on warning
same data/external_tagged.pte --fail-on warning
same data/squeeze_xnnpack.pte --program data/squeeze_retrained.pt2 --fail-on error
same data/squeeze_xnnpack.pte --program data/squeeze.pt2 --limit delegated-share=99% --fail-on error
for program in 1 2 3 data/mlp.pt2; do
    same three.db --artifact $program --fail-on note
done
# What is wrong usage of one is wrong usage of the other.
same three.db --artifact 9 --fail-on note
same data/mlp.pt2 --select nothing --fail-on error
same data/mlp.pt2 --limit peak-memory=1 --ignore budget --fail-on error
same data/mlp.pt2 --backends xnnpackbackend --fail-on error
# The command of a report finds what the report found.
"$DELEGRAPH" report data/gate.pt2 --plan data/gate_one_tag.plan.json --ops portable --ignore constant \
    --format md -o page.md
grep -q 'delegraph check data/gate.pt2 --ignore constant --plan data/gate_one_tag.plan.json --ops portable' \
    page.md || flunk "the report does not show its options"
# What is not written is not guessed.
expect 2 report data/mlp.pt2 -o x.pdf
says '\.html, \.htm, \.md or \.txt'
expect 2 dot data/mlp.pt2 -o x.jpg
says '\.dot, \.gv, \.svg, \.png or \.pdf'
expect 0 dot data/mlp.pt2 -T svg -o x.jpg
echo "$count command lines"
[ "$count" -gt 200 ] || flunk "only $count command lines"
finish
