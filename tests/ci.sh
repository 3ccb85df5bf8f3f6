# What contrib/ and .pre-commit-hooks.yaml give to others does what they say: the script of
# the action runs as GitHub runs it, the hook as pre-commit does.
top=$top_srcdir
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/repo" || exit 99
ln -s "$DELEGRAPH" "$scratch/bin/delegraph"
PATH=$scratch/bin:$PATH && export PATH
cp "$top/tests/data/on_cuda_planned_on_host.pte" "$scratch/repo/wrong.pte"
cp "$top/tests/data/tiny.pte" "$scratch/repo/right.pte"
cd "$scratch/repo" || exit 99
failures=0

flunk() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# The lines under "run: |", without their indentation.
awk '/^ *run: \|$/ { inside = 1; next } inside { sub(/^        /, ""); print }' \
    "$top/contrib/github/action.yml" >"$scratch/step.sh"
[ -s "$scratch/step.sh" ] || flunk "action.yml has no script"

# step CODE FILES OPTIONS
step() {
    rm -f "$scratch"/delegraph.* "$scratch"/summary "$scratch"/output
    FILES=$2 OPTIONS=$3 RUNNER_TEMP=$scratch GITHUB_WORKSPACE=$scratch/repo \
        GITHUB_STEP_SUMMARY=$scratch/summary GITHUB_OUTPUT=$scratch/output \
        bash --noprofile --norc -eo pipefail "$scratch/step.sh" >"$scratch/log" 2>&1
    code=$?
    [ "$code" = "$1" ] || flunk "the step exits with $code for $2, not $1: $(cat "$scratch/log")"
}

step 0 right.pte
grep -q 'PASS' "$scratch/summary" || flunk "the summary does not say that it passed"
step 1 "right.pte wrong.pte"
grep -q '^::error file=wrong.pte,line=1,title=device/buffer-entry::' "$scratch/log" ||
    flunk "no annotation"
grep -q 'FAIL' "$scratch/summary" || flunk "the summary does not say that it failed"
grep -q '"ruleId":"device/buffer-entry"' "$(sed -n 's/^sarif=//p' "$scratch/output")" ||
    flunk "the output is no SARIF file with the finding"
step 0 "-r ." "--fail-on never"
step 3 "right.pte missing.pte"
grep -q 'could not be read' "$scratch/summary" || flunk "the summary lacks what could not be read"
step 2 "right.pte" "--no-such-option"

hook=$(sed -n 's/^ *entry: //p' "$top/.pre-commit-hooks.yaml")
$hook right.pte >"$scratch/log" 2>&1 || flunk "the hook refuses a program that is right"
$hook right.pte wrong.pte >"$scratch/log" 2>&1 && flunk "the hook takes a program that is wrong"
pattern=$(sed -n 's/^ *files: //p' "$top/.pre-commit-hooks.yaml")
for name in a.pte dir/b.pt2 c.bpte; do
    echo "$name" | grep -qE "$pattern" || flunk "the hook leaves $name out"
done
echo model.py | grep -qE "$pattern" && flunk "the hook takes model.py"
[ "$failures" = 0 ]
