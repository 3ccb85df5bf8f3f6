# What a policy asks holds for the programs that it means, and for no others; one with a
# mistake, found or named, stops the gate and says where.
. "$top_srcdir/tests/robust/lib.sh"
case $DELEGRAPH in
/*) ;;
*) DELEGRAPH=$OLDPWD/$DELEGRAPH ;;
esac
wrong=$data/on_cuda_planned_on_host.pte

mkdir -p repo/.git repo/ci repo/build
cp "$wrong" repo/build/model.pte
cp "$data/tiny.pte" repo/build/tiny.pte
cd repo || exit 99
policy() {
    cat >delegraph.yaml
}

# Without one nothing changes; with one its word holds, here and in folders below.
expect 1 check build/model.pte
policy <<'END'
suppressions:
  - {rule: device/buffer-entry, files: build/model.pte, reason: planned anew, owner: runtime, expires: 2999-12-31}
END
expect 0 check build/model.pte
grep -q '^policy: delegraph.yaml$' out || flunk "the summary does not name the policy"
grep -q '1 known$' out || flunk "what the policy lets pass is not counted"
(cd ci && "$DELEGRAPH" check ../build/model.pte) | grep -q '^policy: ../delegraph.yaml$' ||
    flunk "a policy above is not found"
expect 1 check build/model.pte --no-config
expect 2 check build/model.pte --no-config --config delegraph.yaml
cp build/model.pte build/other.pte
expect 1 check build/other.pte

# One that is named .yml is meant to hold, too: that nobody reads it is no silence.
mv delegraph.yaml delegraph.yml
expect 2 check build/model.pte
grep -q 'delegraph.yml: expected delegraph.yaml' err || flunk "delegraph.yml is left without a word"
expect 1 check build/model.pte --no-config
mv delegraph.yml delegraph.yaml
touch delegraph.yml
expect 0 check build/model.pte
mv delegraph.yml ci/delegraph.yml
cd ci || exit 99
expect 2 check ../build/model.pte
cd ..
rm ci/delegraph.yml

# All commands of the gate hold to it; the command line has the last word.
policy <<'END'
severity: {device/buffer-entry: note, device: warning}
fail-on: warning
programs:
  - files: tiny.pte
    budgets: {file-size: 1kB}
END
expect 1 check build/model.pte
grep -q '^warning.device/buffer-entry' out || flunk "the last severity that fits does not hold"
expect 0 check build/model.pte --fail-on error
expect 1 check build/tiny.pte
grep -q 'at: delegraph.yaml:5$' out || flunk "a budget is not at its line"
expect 0 check build/tiny.pte --limit file-size=1MB
expect 0 report build/model.pte --format text
expect 1 report build/model.pte --format text --fail-on warning
expect 0 report build/tiny.pte --format md
grep -q 'budget/file-size' out || flunk "a report knows no budgets of the policy"
expect 0 baseline write build/model.pte --baseline known.json
grep -q '"severity":"warning"' known.json || flunk "a baseline knows no severities of the policy"
expect 1 check build/tiny.pte --report github=- -o text.out
grep -q '^::error file=delegraph.yaml,line=5,' out || flunk "a budget is not shown at its line"

# A limit of the command line leaves that of growth, and `none` takes both away.
policy <<'END'
budgets: {file-size: [1kB, +1%]}
against: ../yesterday
programs:
  - {files: tiny.pte, budgets: {file-size: none}}
END
mkdir ../yesterday
cp "$data/xnnpack.pte" ../yesterday/model.pte
expect 1 check build/model.pte --limit file-size=1MB --against "$data/only_pointers.pte"
grep -q 'the most is +1%$' out || flunk "a limit takes that of growth away"
expect 1 check build/model.pte --quiet
grep -q 'the most is 1000 (1kB)$' out || flunk "a limit of the policy does not hold"
expect 0 check build/tiny.pte
expect 0 check build/model.pte --select memory

# The program of a store goes by its own name; of several with other settings nobody knows.
policy <<'END'
programs:
  - {files: "tiny*.pte", budgets: {file-size: 1kB}}
  - {files: squeeze.pte, ignore: [numerics, constant]}
END
expect 0 load build/tiny.pte -q -o store.db
expect 1 check store.db
expect 1 report store.db --fail-on error --format md
expect 0 load build/tiny.pte build/model.pte -q -o two.db
expect 2 check two.db
says 'choose one with --artifact'
expect 1 check two.db --artifact 1

# What is run counts, whatever an entry for it says.
cp "$data/squeeze_portable.pte" build/squeeze.pte
expect 2 check build/squeeze.pte --program "$data/squeeze_retrained.pt2" --numerics
says 'leaves numerics/refused out'

# What is misspelt is told where a whole folder is checked, and nothing is unused before.
policy <<'END'
programs: [{files: "tyni*.pte", ignore: memory}]
suppressions: [{rule: cuda, files: "*.pte", reason: a, owner: b, expires: 2999-01-01}]
END
expect 1 check build/*.pte
grep -q 'policy/un' out && flunk "of some programs of a folder a policy is judged as a whole"
expect 1 check -r build
grep -q 'note.policy/unmatched. .*tyni.*none of the' out || flunk "a glob that is misspelt is not told"
grep -q 'warning.policy/unused' out || flunk "a suppression that nothing needs is not told"
printf 'fail-on: note\n' >"$(printf 'a\033[31m.yaml')"
expect 0 check --explain-config --config "$(printf 'a\033[31m.yaml')"
grep -q "$(printf '\033')" out && flunk "an escape of a name is printed raw"
expect 0 check --explain-config -r build
grep -q '^--- # build/tiny.pte' out || flunk "a folder is not explained"

# Paths are seen from the policy.
mkdir -p ci/rules
cat >ci/rules/none.sql <<'END'
-- id: user/small
-- severity: error
-- text: a file has at least a megabyte
SELECT 'it has ' || size_bytes || ' bytes' AS message FROM v_artifact
END
cat >ci/gate.yaml <<'END'
rules: rules
baseline: known.json
severity: {user: note}
END
expect 0 baseline write build/model.pte --baseline ci/known.json --no-config
expect 0 check build/model.pte --config ci/gate.yaml
grep -q '^note.user/small' out || flunk "rules of the policy are not found"
grep -q '1 known$' out || flunk "the baseline of the policy is not found"

# Mistakes are named with line and column, and nothing passes.
mistake() {
    printf "$1" >delegraph.yaml
    expect 2 check build/tiny.pte
    says "^delegraph: delegraph.yaml:$2"
}
mistake '' '1:1: expected settings'
mistake '# nothing\n' '1:1: expected settings'
mistake '[a]' '1:1: expected settings'
mistake 'fail-on: eror\n' '1:10: .eror. is not what is expected'
mistake 'fail-on: [error, note]\n' '1:10: a list, expected one word'
mistake 'fail_on: error\n' '1:1: no setting .fail_on. here; did you mean fail-on'
mistake 'fail-on: error\nfail-on: note\n' '2:1: .fail-on. stands here twice'
mistake 'select: &a [memory]\n' '1:9: an anchor'
mistake 'select: &a memory\n' '1:9: an anchor'
mistake 'select: *a\n' '1:'
mistake 'select: !x memory\n' '1:9: a tag'
mistake 'select: !!set {a: b}\n' '1:9: a tag'
mistake 'select: [memroy/peak]\n' '1: no rule .memroy/peak.; did you mean memory/'
mistake 'select:\n' '1:8: expected rules'
mistake 'select: ~\n' '1:9: expected rules'
mistake 'select: []\n' '1:9: expected rules'
mistake 'select: {memory: x}\n' '1:9: expected rules'
mistake 'severity: {memory: fatal}\n' '1:20: .fatal.'
mistake 'severity: {memory: [note, error]}\n' '1:20: a list'
mistake 'severity: {nothing: note}\n' '1: no rule'
mistake 'budgets: {file-siez: 1}\n' '1: budgets: .*file-size'
mistake 'budgets: {file-size: much}\n' '1: budgets: .*a number of bytes'
mistake 'budgets: [file-size]\n' '1:10: expected a limit'
mistake 'numerics: {atoll: 1}\n' '1:12: no setting .atoll. here; did you mean atol'
mistake 'numerics: {atol: 0x10}\n' '1:18: '
mistake 'programs: {}\n' '1:11: expected a list'
mistake 'programs:\n- budgets: {file-size: 1}\n' '2:3: files is missing'
mistake 'programs:\n- {files: a, fail-on: note}\n' '2:14: no setting .fail-on. here'
mistake 'suppressions:\n- {rule: memory}\n' '2:3: reason is missing'
mistake 'suppressions:\n- {rule: memory, reason: a, owner: b, expires: soon}\n' '2:3: expires is'
mistake 'suppressions:\n- {rule: budget/file-size, reason: a, owner: b, expires: 2027-01-01}\n' '2:10: budget/file-size is not let pass'
mistake 'suppressions:\n- {rule: nothing, reason: a, owner: b, expires: 2027-01-01}\n' '2: no rule'
mistake 'budgets: {file-size: [1kB, 1MB]}\n' '1:28: 1MB beside 1kB: expected one limit, and one of growth'
mistake 'budgets: {file-size: [+1%%, +2%%]}\n' '1:28: .2. beside'
mistake 'budgets: {file-size: [none, 1MB]}\n' '1:29: 1MB beside none'
for glob in /build/*.pte build/ build//*.pte build/./tiny.pte '{tiny,conv}.pte' 'tiny.pte, conv.pte' '!tiny.pte'; do
    mistake "programs: [{files: '$glob', ignore: memory}]\n" '1:20: .* fits no program'
done
mistake 'suppressions: [{rule: "*", reason: a, owner: b, expires: 2999-01-01}]\n' '1:23: .*a family before the glob'
mistake 'version: 2\n' '1:10: expected version 1'
mistake 'fail-on: error\n---\nfail-on: note\n' '2:1: a second document'
mistake 'fail-on: "error\n' '[12]:'
mistake '\tfail-on: error\n' '1:1: '
mistake 'a: {b: {c: {d: {e: {f: {g: {h: {i: j}}}}}}}}\n' '1:'
mistake '? [a]\n: b\n' '1:'
mistake 'select: "a\\0b"\n' '1:9: a NUL'
mistake 'select: \377\n' ' byte 8'
mistake 'ignore: [budget]\nbudgets: {file-size: 1MB}\n' '' 2>/dev/null
says 'leaves budget/file-size out'
expect 2 check build/tiny.pte --config nowhere.yaml
expect 2 check build/tiny.pte --config ci

# What is printed in the folder of a policy asks the same of the same programs; those of a store go by the names they had.
rm -f delegraph.yaml
printf 'programs:\n  - files: "../build/ti*.pte"\n    budgets: {file-size: 1}\n' >ci/files.yaml
expect 1 check build/tiny.pte --config ci/files.yaml
expect 0 check --explain-config --config ci/files.yaml
grep -q '^# paths are seen from here, globs from ci/' out || flunk "nothing says where globs are seen from"
cd ci || exit 99
expect 0 check --explain-config --config files.yaml
cp out printed.yaml
expect 1 check ../build/tiny.pte --config printed.yaml
grep -q '^# paths' out && flunk "globs are seen from elsewhere, though the policy lies here"
cd .. || exit 99
expect 0 load build/tiny.pte -q -o tiny.db
expect 1 check tiny.db --config ci/files.yaml
expect 0 check tiny.db --config ci/files.yaml --explain-config
grep -q 'file-size: "1"' out || flunk "a store's program is not asked what check asks of it"
expect 2 check build/tiny.pte --config ci/files.yaml --explain-config --format json
printf 'runtime: "1.3"\n' >ci/typed.yaml
expect 0 check --explain-config --config ci/typed.yaml
grep -q 'runtime: "1.3"' out || flunk "a version is printed as a number"

# A program that is named twice is checked once.
expect 0 check build/tiny.pte ./build/tiny.pte "$PWD/build/tiny.pte" --no-config --format jsonl
[ "$(wc -l <out)" = "$("$DELEGRAPH" check build/tiny.pte --no-config --format jsonl | wc -l)" ] || flunk "a program that is named three times counts as several"

# Bombs cost what reading them costs.
python3 - <<'END'
with open("delegraph.yaml", "w", encoding="utf-8") as out:
    out.write("select: [" + "[" * 100000)
with open("ci/long.yaml", "w", encoding="utf-8") as out:
    out.write("ignore: [" + "memory, " * 100000 + "]")
with open("ci/large.yaml", "w", encoding="utf-8") as out:
    out.write("# " + "x" * (2 << 20))
with open("ci/aliases.yaml", "w", encoding="utf-8") as out:
    out.write("a: &a [x, x]\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)))
END
for bomb in delegraph.yaml ci/long.yaml ci/large.yaml ci/aliases.yaml; do
    expect 2 check build/tiny.pte --config $bomb
done
finish
