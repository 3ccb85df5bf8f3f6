# Folders may include only their own headers and those named here, and each external
# library is known to one folder.
cd "$top_srcdir" || exit 99
status=0

sources_in() {
    find "$@" \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' \) -print
}

report() {
    test -z "$2" && return
    echo "$1"
    echo "$2"
    status=1
}

may_include() {
    folder=$1
    shift
    allowed=$(printf '%s|' "$@")${folder#src/}
    wrong=$(sources_in "$folder" | xargs grep -Hn '^ *# *include "[a-z_]*/' |
        grep -Ev "\"($allowed)/")
    report "$folder may include only: $allowed" "$wrong"
}

# confined HEADERS FOLDER...: a system header, as a pattern, is included there only.
confined() {
    header=$1
    shift
    wrong=$(sources_in src kernels verifiers reports |
        grep -Ev "^($(echo "$*" | tr ' ' '|'))(/|$)" |
        xargs grep -HnE "^ *# *include <($header)>")
    report "<$header> belongs to: $*" "$wrong"
}

# A library's own code and its tests reach through "folder/file.h", never beside it.
named_by_folder() {
    wrong=$(sources_in src kernels verifiers reports |
        xargs grep -HnE '^ *# *include "[^/]*"' | grep -Ev '"(api|config|delegraph)\.h"')
    report 'headers are included as "folder/file.h"' "$wrong"
}

may_include src/base
may_include src/store     base
may_include src/graph     base store
may_include src/formats   base store graph # the model of what was read
may_include kernels       base
may_include src/exec      base store graph formats kernels
may_include src/diff      base store graph formats exec
may_include src/partition base store graph formats # JSON of plans
may_include verifiers     base store graph partition
may_include reports       base store graph partition
may_include reports/picture base
may_include src/gate      base store formats verifiers reports
may_include reports/views base store graph partition reports/picture
report 'a picture knows no store' "$(grep -nE 'SELECT|dg_(rows|store)_' reports/picture/*.[ch])"
report 'arrays are sorted by dg_sort() and searched by dg_search(): qsort() and bsearch() take no NULL' \
    "$(sources_in src kernels verifiers reports | grep -v '^src/base/sorted\.h$' | xargs grep -HnE '\b(qsort|bsearch)\(')"
confined 'sqlite3\.h'                  src/store
confined '(lib|g)elf\.h'          src/formats
confined 'libdeflate\.h'               src/formats src/cli
confined 'xxhash\.h'                   src/base
confined 'nettle/.*'                   src/base
confined 'yaml\.h'                     src/gate
confined '(graphviz/)?(cgraph|gvc)\.h' reports/picture
confined 'librsvg/.*|cairo.*\.h'       reports/picture
confined 'lapacke\.h'                  kernels/cpu/lapack.c
confined 'cuda.*\.h|cublas.*\.h|cudnn.*\.h' kernels/cuda src/exec/cuda.c
named_by_folder
# In C the tags of structs, unions and enums share one space. Left: a call of a kernel, and one that a picture folds.
report 'two structs, unions or enums share a tag' \
    "$(sources_in src kernels verifiers reports |
        xargs sed -nE 's/^ *(typedef |static |const )*(struct|union|enum) (dg_[a-z0-9_]+) *\{.*/\3/p' |
        sort | uniq -d | grep -vx dg_call)"
report 'what draws, pushes or solves is loaded by who does so: linked, it is most of the start of every command' \
    "$(readelf -d "$top_builddir/delegraph" | grep -E 'NEEDED.*(rsvg|cairo|glib|gobject|gvc|cgraph|pq|lapack)')"
exit $status
