# Pictures of shipped programs in every view: well-formed, the same each time, whole with
# hostile names, and what happens where Graphviz or the disk fails.
. "$top_srcdir/tests/robust/lib.sh"
python3 -c 'import xml.etree.ElementTree, sqlite3' 2>/dev/null || {
    echo 'skipped: python3 with xml.etree and sqlite3 is not here'
    exit 77
}
PYTHONIOENCODING=utf-8 && export PYTHONIOENCODING
count=0

# drawn NAME ARGUMENT...: as SVG by both layouts, and each the same twice.
drawn() {
    name=$1
    shift
    count=$((count + 1))
    for layout in graphviz plain; do
        expect 0 dot "$@" -T svg --layout $layout --layout-timeout 100 -o "$name.$layout.svg"
        expect 0 dot "$@" -T svg --layout $layout --layout-timeout 100 -o again.svg
        cmp -s "$name.$layout.svg" again.svg ||
            flunk "dot $* --layout $layout is not the same twice"
    done
}

ln -s "$data" data
while read -r name arguments; do
    # shellcheck disable=SC2086
    drawn "$name" $arguments
    # shellcheck disable=SC2086
    expect 0 dot $arguments -o "$name.dot"
done <<'END'
graph_mlp           data/mlp.pt2
graph_llama         data/llama.pt2
graph_bert          data/bert.pt2 --no-fold
graph_mobilenet     data/mobilenet_v3.pt2 --max-boxes 30
graph_branch        data/nested_cond.pt2 --graph true_graph_0
graph_lowered       data/lowered_two_exir.pt2
graph_tags          data/branches_tagged.pt2
graph_cuda          data/on_cuda.pte
graph_siblings      data/mobilenet_v3_xnnpack.pte
graph_jumps         data/control_flow_scan.pte
graph_module        data/llama.pt2 --module layers.0
graph_broken        data/gate.pt2 --plan data/gate_one_tag.plan.json
modules_llama       data/llama.pt2 --view modules
modules_depth       data/whisper_encoder.pt2 --view modules --depth 2
partitions_pte      data/two_backends.pte --view partitions
partitions_plan     data/gate_tagged.pt2 --view partitions
partitions_cycle    data/crossed.pt2 --plan data/crossed_two_tags.plan.json --view partitions
partitions_lowered  data/after_xnnpack.pt2 --view partitions
partitions_none     data/mlp.pt2 --view partitions
calls_delegates     data/two_backends.pte --view calls
calls_jumps         data/control_flow_cond.pte --view calls
calls_folded        data/llama_xnnpack.pte --view calls
calls_all           data/llama_xnnpack.pte --view calls --no-fold
calls_graphs        data/nested_cond.pt2 --view calls
calls_methods       data/several_methods.pte --view calls
devices_copies      data/on_cuda.pte --view devices
devices_lowered     data/on_cuda_exir.pt2 --view devices
devices_one         data/mlp.pt2 --view devices
around_pt2          data/llama.pt2 --around add_5 --hops 1
around_pte          data/control_flow_scan.pte --around op_10
finding_cycle       data/crossed.pt2 --plan data/crossed_two_tags.plan.json --finding 1
finding_detour      data/gate.pt2 --plan data/gate_one_tag.plan.json --finding 1
finding_overlap     data/mutants/memory_no-live-overlap__two_in_one_place.pte --finding 1
finding_unwritten   data/mutants/memory_use-before-def__read_before_written.pte --finding 3
finding_file        data/mutants/data_named-key-null__data_without_key.pte --finding 1
END
python3 "$top_srcdir/tests/check_svg.py" ./*.svg || failures=$((failures + 1))

# Names out of a file are any text. A store's are changed by hand to what no reader of
# files would let pass, too.
cat >spoil.py <<'END'
import sqlite3, sys

NAMES = [
    '"quoted" \\N \\G \\l back\\slash', 'two\nlines\r\tand a tab', '</title><script>alert(1)</script>',
    '<b>html</b>&amp;&#0;]]>', 'nul-free \x01\x02\x1b[31m control \x7f', 'x' * 10240,
    '\u202eright to left\u202c \u05d0\u05d1\u0627', "it's; rm -rf --no'pe", '{record|<p>port}', '',
    '\ufffe\uffff\u200b', '\U0001f600 \u4e2d\u6587',
]
store = sqlite3.connect(sys.argv[1])
for table, column in (('node', 'name'), ('node', 'target'), ('value', 'name'),
                      ('value', 'dtype'), ('module', 'fqn'), ('module', 'type'), ('frame', 'file'),
                      ('op', 'name'), ('delegate', 'backend'), ('signature', 'name'),
                      ('partition', 'tag'), ('partition', 'backend'), ('method', 'name'),
                      ('artifact', 'path')):
    rows = store.execute(f'SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL').fetchall()
    for i, (old,) in enumerate(rows):
        store.execute(f'UPDATE OR IGNORE {table} SET {column} = ? WHERE {column} = ?',
                      (f'{NAMES[i % len(NAMES)]}{i}', old))
store.execute("UPDATE node SET name = CAST(x'ff80c32862' AS TEXT) WHERE id = 2")
store.commit()
END
for program in llama.pt2 lowered_two_exir.pt2 two_backends.pte gate_tagged.pt2 control_flow_scan.pte; do
    spoiled=spoiled_${program%.*}
    expect 0 load "data/$program" -o "$spoiled.db"
    python3 spoil.py "$spoiled.db" || flunk "cannot change the names of $program"
    for view in graph modules partitions calls devices; do
        drawn "$spoiled.$view" "$spoiled.db" --view $view
        expect 0 dot "$spoiled.db" --view $view -o "$spoiled.$view.dot"
    done
done
python3 "$top_srcdir/tests/check_svg.py" spoiled_*.svg || failures=$((failures + 1))
if command -v dot >/dev/null; then
    for text in *.dot; do
        dot -Tcanon "$text" >canon 2>err || flunk "dot does not read $text"
        [ ! -s err ] || flunk "dot complains of $text: $(head -n 3 err)"
    done
else
    echo 'skipped: the texts are not read by dot, which is not here'
fi

# PNG and PDF are the SVG, drawn: of its size, with its text, the same each time.
images=
depicted() {
    name=$1
    shift
    count=$((count + 1))
    for type in svg png pdf; do
        expect 0 dot "$@" -o "image_$name.$type"
        images="$images image_$name.$type"
        cp "image_$name.$type" "image_again.$type"
        expect 0 dot "$@" -o "image_again.$type"
        cmp -s "image_$name.$type" "image_again.$type" ||
            flunk "dot $* -T $type is not the same twice"
    done
}
while read -r name arguments; do
    # shellcheck disable=SC2086
    depicted "$name" $arguments
done <<'END'
graph_mlp           data/mlp.pt2
graph_llama         data/llama_core.pt2
graph_plain         data/mobilenet_v3.pt2 --layout plain
modules_bert        data/bert.pt2 --view modules
partitions_backends data/two_backends.pte --view partitions
devices_copies      data/on_cuda.pte --view devices
calls_graphs        data/nested_cond.pt2 --view calls
finding_cycle       data/crossed.pt2 --plan data/crossed_two_tags.plan.json --finding 1
END
# shellcheck disable=SC2086
python3 "$top_srcdir/tests/check_image.py" $images || failures=$((failures + 1))
for type in png pdf; do
    expect 0 dot spoiled_gate_tagged.db --view graph -o spoiled.$type
done

# What a PNG cannot hold is drawn smaller, and what nobody could read then is not drawn.
PYTHONPATH=$top_srcdir/tests/bench python3 - "$data/mlp.pt2" <<'END' || flunk 'no chains'
import pathlib, sys
import programs
for name, size in ('long', 350_000), ('endless', 700_000):
    programs.long_chain(pathlib.Path(sys.argv[1]), f'{name}.pt2', size)
END
whole='--no-fold --max-boxes 2000'
# shellcheck disable=SC2086
{
    expect 0 dot long.pt2 $whole -o long.png
    says 'note: drawn at [0-9]+ % of its size, as much as a PNG can hold'
    expect 0 dot long.pt2 $whole -o long.png -q
    [ ! -s err ] || flunk 'dot -q has a note'
    echo old >endless.png
    expect 4 dot endless.pt2 $whole -o endless.png
    says 'pixels are too many for a PNG'
    [ "$(cat endless.png)" = old ] || flunk 'a PNG that is too large changed the old file'
    expect 0 dot endless.pt2 $whole -o endless.pdf
}

# Without its plugins Graphviz lays nothing out: what was asked for cannot be had, but the
# other layout can.
GVBINDIR=/nonexistent && export GVBINDIR
for type in svg png pdf; do
    expect 4 dot data/mlp.pt2 -T $type
done
expect 4 dot data/mlp.pt2 -T png --layout graphviz
says 'layout plain draws without Graphviz'
for type in svg png pdf; do
    expect 0 dot data/mlp.pt2 --layout plain -o plain.$type
done
expect 0 dot data/mlp.pt2 -o mlp.dot
unset GVBINDIR

# Nor where Graphviz is not at all; a report says so and has the layers.
cat >without.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

void *dlopen(const char *path, int flags)
{
    void *(*next)(const char *, int);

    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return next(path && strstr(path, "gvc") ? "/nonexistent/libgvc.so" : path, flags);
}
C
if command -v cc >/dev/null; then
    cc -shared -fPIC -o without.so without.c || flunk 'without.c'
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
    LD_PRELOAD="$PWD/without.so"
    export ASAN_OPTIONS LD_PRELOAD
    expect 4 dot data/mlp.pt2 -o mlp.dot
    says 'cannot load Graphviz'
    expect 4 dot data/mlp.pt2 -T svg
    says 'layout plain draws without Graphviz'
    expect 0 dot data/mlp.pt2 -T svg --layout plain
    expect 0 report data/bert_xnnpack.pte -o bert.html
    expect 0 info data/mlp.pt2
    unset LD_PRELOAD
    grep -q 'Plain layout: cannot load Graphviz' bert.html ||
        flunk 'a report without Graphviz does not say so'
fi

# What cannot be written leaves the old picture.
echo old >kept.svg
expect 2 dot data/tiny.pte -T svg --layout plain -o no/such/folder/kept.svg
(
    ulimit -f 1
    trap '' XFSZ
    exec "$DELEGRAPH" dot data/llama.pt2 -T svg --layout plain -o kept.svg
) >out 2>err
[ $? = 5 ] || flunk 'a picture beyond the size limit does not exit with 5'
expect 2 dot data/tiny.pte --around nothing -T svg -o kept.svg
[ "$(cat kept.svg)" = old ] || flunk 'a failed picture changed the old file'

# What makes no sense together is refused.
while read -r arguments; do
    # shellcheck disable=SC2086
    expect 2 dot data/mlp.pt2 $arguments
done <<'END'
--view nothing
--view around
--view finding
--view graph --around linear_2
--view calls --finding 1
--around linear_2 --finding 1
--finding 0
--finding 9999
--hops 2
--depth 2
--view modules --depth 0
--max-boxes 19
--layout-timeout 0
--module no.such.module
--plan x --no-plan
END
echo "100%: Checks: $count, Failures: $failures, Errors: 0"
finish
