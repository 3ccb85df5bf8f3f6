# What a baseline knows does not fail, and nothing else: new, worse and expired findings
# do; entries that nothing needs are told; a baseline with a mistake stops the gate.
. "$top_srcdir/tests/robust/lib.sh"
case $DELEGRAPH in
/*) ;;
*) DELEGRAPH=$OLDPWD/$DELEGRAPH ;;
esac
wrong=$data/on_cuda_planned_on_host.pte

mkdir repo build
cp "$wrong" build/model.pte
expect 1 check build/model.pte
expect 0 baseline write build/model.pte --baseline repo/known.json --owner runtime \
    --reason 'planned anew in #17' --expires 2999-12-31
grep -q '1 finding is known, 1 new, 0 gone' out || flunk "write does not say what it wrote"
expect 0 check build/model.pte --baseline repo/known.json
grep -q '0 errors, 3 warnings, 1 note, 1 known$' out || flunk "what is known is not counted"
expect 0 check "$scratch/build/model.pte" --baseline repo/known.json
(cd repo && "$DELEGRAPH" check ../build/model.pte --baseline known.json >/dev/null) ||
    flunk "a program has another name where it is called from another folder"
expect 1 check build/model.pte --baseline repo/known.json --fail-on warning
expect 2 baseline write build/model.pte --baseline repo/known.json
says 'is there; baseline update keeps'

# Another program with the same finding is not known.
cp "$wrong" build/other.pte
expect 1 check build/model.pte build/other.pte --baseline repo/known.json
expect 0 baseline update build/other.pte --baseline repo/known.json --owner compiler
grep -q '2 findings are known, 1 new, 0 gone' out || flunk "update does not add"
grep -q 'planned anew' repo/known.json || flunk "update loses the reason of another program"
expect 0 check build/model.pte build/other.pte --baseline repo/known.json
[ "$(grep -c fingerprint repo/known.json)" = 2 ] || flunk "entries are not a line each"

# A program that cannot be read neither passes nor takes the baseline from the others.
cp repo/known.json before.json
"$DELEGRAPH" check build/model.pte build/missing.pte --baseline repo/known.json >out 2>err
[ $? = 3 ] || flunk "a program that cannot be read passes"
grep -q '1 known$' out || flunk "an unreadable program switches the baseline off"
expect 3 baseline update build/model.pte build/missing.pte --baseline repo/known.json
cmp -s before.json repo/known.json || flunk "a baseline is written though a program cannot be read"

# It is mended: the entry is unused, and goes.
cp "$data/on_cuda.pte" build/model.pte
expect 0 check build/model.pte --baseline repo/known.json
grep -q 'baseline/unused' out || flunk "an unused entry is not told"
expect 0 check build/model.pte --baseline repo/known.json --select memory
grep -q 'baseline/unused' out && flunk "an entry is unused though its rule did not run"
expect 1 check build/model.pte --baseline repo/known.json --fail-on warning
expect 0 baseline prune build/model.pte --baseline repo/known.json
grep -q '1 finding is known, 0 new, 1 gone' out || flunk "prune does not say what is gone"
grep -q model.pte repo/known.json && flunk "prune leaves what is gone"
grep -q other.pte repo/known.json || flunk "prune takes entries of programs that were not named"

# A day that has passed.
sed -i 's/"expires":null/"expires":"2001-02-03"/' repo/known.json
expect 1 check build/other.pte --baseline repo/known.json
grep -q 'baseline/expired.*2001-02-03 .owner: compiler.' out || flunk "an expired entry is not told"
expect 1 check build/other.pte --baseline repo/known.json --ignore baseline

# What has become worse is new.
sed 's/"severity":"error"/"severity":"warning"/; s/2001-02-03/2999-01-01/' repo/known.json >repo/worse.json
expect 1 check build/other.pte --baseline repo/worse.json
grep -q 'baseline/unused' out && flunk "what has become worse is told to be gone"
expect 0 baseline update build/other.pte --baseline repo/worse.json
grep -q '"severity":"error".*"owner":"compiler"' repo/worse.json || flunk "update loses what has become worse"
expect 0 check build/other.pte --baseline repo/worse.json

# A link has the name that it has, wherever it leads.
ln -s other.pte build/link.pte
expect 0 baseline write build/link.pte --baseline link.json
grep -q '"program":"build/link.pte"' link.json || flunk "a link is called after its target"

# Names that are no UTF-8 are two, and are known.
cp "$wrong" "$(printf 'n\377.pte')" && cp "$wrong" "$(printf 'n\376.pte')" && {
    expect 0 baseline write n?.pte --baseline bytes.json
    expect 0 check n?.pte --baseline bytes.json
}

# Limits are said in numbers: they are raised, not known.
expect 0 baseline write "$data/tiny.pte" --baseline limits.json --limit peak-memory=1
says 'a limit is raised instead'
grep -q budget limits.json && flunk "a limit is known"

# All formats at once; and what stands there of the last run does not stay.
reports=
for format in text json jsonl csv md sarif junit github gitlab; do
    reports="$reports --report $format=all.$format"
done
expect 1 check build/other.pte $reports -o all.out
for format in text json jsonl csv md sarif junit github gitlab; do
    [ -s all.$format ] || flunk "$format is not written"
done
echo x >u.pte
echo old >old.sarif
expect 3 check u.pte --format sarif -o old.sarif
grep -q 'executionSuccessful":false' old.sarif || flunk "the report of the last run stays"

# Folders: what cannot be looked at is no pass.
mkdir -p tree/sub
cp "$data/tiny.pte" tree
cp "$wrong" tree/sub
expect 1 check -r tree
ln -s nowhere tree/gone.pte
"$DELEGRAPH" check -r tree --fail-on never >out 2>err
[ $? = 3 ] || flunk "a link to nowhere passes"
rm tree/gone.pte
[ "$(id -u)" = 0 ] || {
    chmod 444 tree/sub
    expect 3 check -r tree
    chmod 755 tree/sub
}

# Mistakes: each is named, and nothing passes.
mistake() {
    printf '%s' "$1" >bad.json
    expect 2 check "$data/tiny.pte" --baseline bad.json
    says "$2"
}
entry='"program":"tiny.pte","rule":"memory/peak","severity":"error","fingerprint":"0000000000000000"'
mistake '' 'bad.json: baseline: '
mistake '[]' 'bad.json: baseline: byte 0.*object'
mistake '{"findings":[' 'byte 13'
mistake '{"schema_version":2,"findings":[]}' 'version 1'
mistake '{"schema_version":1}' 'findings'
mistake '{"findings":[],"findigns":[]}' 'findings'
mistake '{"findings":[{"rule":"a/b"}]}' 'program, rule, severity and fingerprint'
mistake "{\"findings\":[{$entry,\"onwer\":\"x\"}]}" 'the key owner'
mistake "{\"findings\":[{$entry,\"expires\":\"2026-02-30\"}]}" 'a day'
mistake "{\"findings\":[{$entry,\"expires\":\"tomorrow\"}]}" 'a day'
mistake "{\"findings\":[{$entry},{$entry}]}" 'twice'
mistake '{"findings":[{"program":"a","rule":"budget/peak-memory","severity":"error","fingerprint":"0000000000000000"}]}' 'raised'
mistake '{"findings":[{"program":"a","rule":"a/b","severity":"fatal","fingerprint":"0000000000000000"}]}' 'error, warning or note'
mistake '{"findings":[{"program":"a","rule":"a/b","severity":"note","fingerprint":"0F"}]}' '16 hexadecimal'
mistake '{"findings":[{"program":"./a","rule":"a/b","severity":"note","fingerprint":"0000000000000000"}]}' 'without'
expect 2 check "$data/tiny.pte" --baseline nowhere.json
expect 2 check "$data/tiny.pte" --baseline no/folder.json
expect 2 baseline wriet "$data/tiny.pte" --baseline x.json
expect 2 baseline write "$data/tiny.pte"
expect 2 baseline write --baseline x.json
expect 2 baseline write "$data/tiny.pte" --baseline x.json --expires soon

# Very many entries, of this program and of others, cost what reading them costs.
python3 - <<'END'
with open("large.json", "w", encoding="utf-8") as out:
    out.write('{"schema_version":1,"findings":[\n')
    out.write(",\n".join('{"program":"%s","rule":"memory/extent","severity":"note","fingerprint":"%016x"}' % ("tiny.pte" if i % 2 else "p%d.pte" % (i % 7), i)
                         for i in range(200000)))
    out.write("\n]}\n")
END
cp "$data/tiny.pte" tiny.pte
timeout 30 "$DELEGRAPH" check tiny.pte --baseline large.json --select memory >out 2>err ||
    flunk "a large baseline takes too long"
finish
