# Every fuzz target takes its corpus; readers take the shipped programs, too.
data=$top_srcdir/tests/data
status=0

for program in "$top_builddir"/tests/replay_*; do
    target=${program##*/replay_}
    case $target in
    *.*) continue ;;
    pte | ptd | pt2) files="$data/*.$target" ;;
    etdump) files="$data/*.etdp" ;;
    plan) files="$data/*.plan.json" ;;
    report) files="$data/[c-d]*.pte $data/[c-d]*.pt2" ;;
    run) files="$data/*.pte $data/[a-d]*.pt2" ;;
    support) files="$top_srcdir/src/partition/backends/*.json" ;;
    zip) files="$data/*.pt2" ;;
    *) files= ;;
    esac
    corpus=$top_srcdir/tests/fuzz/corpus/$target
    [ ! -d "$corpus" ] || files="$files $corpus/*"
    "$program" $files || {
        echo "$target: exit $?"
        status=1
    }
done
exit $status
