# A program of a store with several, chosen by --artifact, is what it is alone.
. "$top_srcdir/tests/robust/lib.sh"

programs='mlp.pt2 squeeze_portable.pte counter_tagged.pt2 bert_xnnpack.pte profiled.pte'
for file in $programs profiled_trace.etdp; do
    cp "$data/$file" .
done
expect 0 load --append $programs profiled_trace.etdp -o all.db
expect 0 load --append mlp.pt2 --name again --label night=2 -o all.db

# same WORDS: in them FILE is the program alone, or what chooses it in the store.
same() {
    words=$*
    for place in "$file" "all.db --artifact $number"; do
        set -f
        set -- $(echo "$words" | sed "s|FILE|$place|")
        set +f
        "$DELEGRAPH" "$@" >told 2>"said.${place%% *}"
        echo "exit $?" >>told
        sed 's/"sha256":[^,]*/"sha256":0/' told >"printed.${place%% *}" # only a store has it
    done
    sed "s|all.db --artifact $number|$file|; s|^all.db: |$file: |" printed.all.db >again
    cmp -s "printed.$file" again ||
        flunk "$words of $file is another one out of a store: $(diff "printed.$file" again | head -4)"
}

number=0
for file in mlp.pt2 squeeze_portable.pte counter_tagged.pt2 bert_xnnpack.pte; do
    number=$((number + 1))
    same ls FILE
    same ls FILE --what values --format jsonl
    same ls FILE --tree
    same info FILE --memory --hash
    same check FILE --format json
    same dot FILE --no-fold
    same partition FILE --mode aoti
    same explain FILE
    same query FILE @weights --format csv
    same query FILE @flops --format csv
    same show FILE node#3
    same devices FILE
    same run FILE --seed 3 --format json
    expect 0 diff "$file" all.db --artifact 1 --artifact "$number" --ignore findings
    expect 0 diff all.db all.db --artifact "$number"
done

# What was given with it stays, and nothing of others does; their numbers are its own.
expect 0 query all.db --artifact 5 --format plain -q "SELECT group_concat(role), max(id) FROM artifact"
[ "$(tail -1 out)" = "profile	2" ] || flunk "a program loses what it was measured by: $(cat out)"
expect 0 query all.db --artifact profiled.pte --format plain -q "SELECT name, companions FROM build"
[ "$(cat out)" = "name	companions
profiled.pte	[2]" ] || flunk "a program has other builds: $(cat out)"
expect 0 query all.db --artifact mlp.pt2 --format plain -q "SELECT count(*) FROM build JOIN build_label ON build_id = build.id"
[ "$(tail -1 out)" = 1 ] || flunk "labels are lost: $(cat out)"
expect 0 query profiled.pte --etdump profiled_trace.etdp --format csv -q @slowest
mv out alone
expect 0 query all.db --artifact 5 --format csv -q @slowest
cmp -s alone out || flunk "times are lost: $(diff alone out)"

# What is known of one program of a store is of that one.
cp "$data/mutants/constant_external-fqn__external_without_name.pte" wrong.pte
expect 0 load --append mlp.pt2 wrong.pte squeeze_portable.pte -o wrong.db
expect 0 baseline write wrong.pte --baseline alone.json
grep -q wrong.pte alone.json || flunk 'nothing is known of a wrong program'
expect 0 baseline write wrong.db --artifact wrong.pte --baseline known.json
cmp -s known.json alone.json || flunk "out of a store something else is known: $(diff alone.json known.json)"
expect 0 baseline write wrong.db --artifact 1 --baseline none.json
grep -q wrong.pte none.json && flunk 'the baseline of one program has findings of another'

expect 0 export all.db --artifact 4 -o tables
[ "$(grep -c . tables/method.csv)" = 2 ] || flunk 'export writes methods of others'

# Modules without a node of their own are those of the program, too, wherever their ids lie.
modules='SELECT * FROM module'
cp "$data/bert.pt2" "$data/mobilenet_v3.pt2" .
expect 0 load --append mlp.pt2 bert.pt2 squeeze_portable.pte mobilenet_v3.pt2 mlp.pt2 -o modules.db
number=0
for file in mlp.pt2 bert.pt2 squeeze_portable.pte mobilenet_v3.pt2; do
    number=$((number + 1))
    expect 0 query "$file" "$modules" --format csv
    mv out alone
    expect 0 query modules.db --artifact "$number" "$modules" --format csv
    cmp -s alone out || flunk "$file has other modules out of a store: $(diff alone out | head -4)"
done

# What is about one program says how to choose.
for verb in dot run partition explain report; do
    expect 2 "$verb" all.db
    says 'holds 5 programs, and a .* is about one: choose with --artifact N among 1 mlp.pt2, 2 squeeze'
done
expect 2 ls all.db --artifact 9
says 'no program is named "9" among 1 mlp.pt2'
expect 2 ls mlp.pt2 --artifact squeeze_portable.pte
says 'no program is named "squeeze_portable.pte" among 1 mlp.pt2'
expect 2 ls all.db --artifact 6 # a companion is no program
expect 2 diff all.db all.db --artifact 1 --artifact 2 --artifact 3
says 'expected one for both, or one for OLD and one for NEW'
expect 0 ls mlp.pt2 --artifact mlp.pt2

# Two programs of one path are told apart by their numbers.
mv mlp.pt2 kept && cp counter_tagged.pt2 mlp.pt2
expect 0 load --append mlp.pt2 -o two.db
mv kept mlp.pt2
expect 0 load --append mlp.pt2 -o two.db
expect 2 ls two.db --artifact mlp.pt2
says 'several programs are named "mlp.pt2", choose by number: 1 mlp.pt2, 2 mlp.pt2'
expect 1 diff two.db two.db --artifact 1 --artifact 2

# A number is one, whatever a path is called.
cp counter_tagged.pt2 1
expect 0 load --append squeeze_portable.pte 1 -o named.db
expect 0 info named.db --artifact 1
grep -q squeeze_portable.pte out || flunk 'a path takes the place of a number'

# What refers to another program is damage: no reader is given a hole, or a row of others.
damage() {
    cp all.db damaged.db
    python3 -c 'import sqlite3, sys
store = sqlite3.connect("damaged.db")
store.execute(sys.argv[1])
store.commit()' "$2"
    for verb in ls check report info; do
        expect 3 "$verb" damaged.db --artifact "$1"
        says "damaged store: $3"
    done
}
python3 -c 'import sqlite3' 2>/dev/null || finish
python3 -c 'import sqlite3
store = sqlite3.connect("modules.db") # the last of mlp.pt2, the outermost of bert.pt2
store.execute("UPDATE node SET module_id = 2 WHERE module_id = 3")
store.execute("UPDATE node SET module_id = 5 WHERE module_id = 4")
store.commit()'
for number in 1 2; do
    file=$(echo mlp.pt2 bert.pt2 | cut -d ' ' -f $number)
    expect 0 query "$file" "$modules" --format csv
    mv out alone
    expect 0 query modules.db --artifact "$number" "$modules" --format csv
    cmp -s alone out || flunk "between programs a module gets lost: $(diff alone out | head -4)"
done
damage 4 'UPDATE node SET value_id = 1 WHERE id = (SELECT max(id) FROM node WHERE value_id NOTNULL AND graph_id IN
    (SELECT graph.id FROM graph JOIN method ON method.id = method_id WHERE artifact_id = 4))' \
    'node: value_id is 1, which is of another program'
damage 5 "UPDATE build SET companions = '[6,1]' WHERE name = 'profiled.pte'" \
    'build: companions name what was not given with its program'
damage 5 "UPDATE build SET companions = '[\"x\"]' WHERE name = 'profiled.pte'" \
    'build: companions name what was not given with its program'

# Rules about CUDA look at programs that are for CUDA, and at no other beside them.
for file in attention.pt2 edge_exir_views.pt2 aoti_external.pte unbacked.pt2; do
    cp "$data/$file" .
done
mixed='attention.pt2 edge_exir_views.pt2 aoti_external.pte unbacked.pt2'
expect 0 load --append $mixed -o mixed.db
expect 0 check $mixed --fail-on never
mv out alone
expect 0 check mixed.db --fail-on never
cmp -s alone out || flunk "programs have other findings beside others: $(diff alone out)"
finish
