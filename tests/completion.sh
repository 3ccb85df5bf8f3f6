# Completion knows commands, options and their values: rules, queries, kinds, backends, limits.
command -v bash >/dev/null || exit 77
exec bash -s "$DELEGRAPH" <<'END'
eval "$("$1" completion bash)" || exit 1
failures=0 checks=0

# completes WANTED WORD...: the last word can become WANTED; bash breaks words at = and @.
completes() {
    local wanted=$1
    COMP_WORDS=(delegraph "${@:2}") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _delegraph
    checks=$((checks + 1))
    case " ${COMPREPLY[*]} " in
    *" $wanted "*) ;;
    *)
        echo "delegraph ${*:2} offers '${COMPREPLY[*]}', not $wanted"
        failures=$((failures + 1))
        ;;
    esac
}

# offers_files WORD...: nothing is known, so that bash offers files.
offers_files() {
    completes '' "$@"
    [ "${#COMPREPLY[@]}" = 0 ] || {
        echo "delegraph $* offers '${COMPREPLY[*]}', not files"
        failures=$((failures + 1))
    }
}

completes check ch
completes version ver
completes --select check model.pte --sel
completes --quiet check model.pte --qu
completes memory check --select mem
completes memory/extent check --select memory/ex
completes memory/extent check --select = memory/ex
completes graph,memory/extent check --ignore graph,memory/ex
completes peak-memory= check --limit pea
completes memory/extent report --select memory/ex
completes peak-memory= dot --limit pea
completes XnnpackBackend check --backends Xnn
completes xnnpack partition --backend x
completes xnnpack explain --backend x
completes constants ls --what cons
completes constants ls -w cons
completes memory/extent rules memory/e
completes @inputs query model.pte @in
completes inputs query model.pte @
completes inputs query model.pte @ in
completes json check model.pte --format j
completes names,weights diff a.pte b.pte --ignore names,wei
completes zsh completion z
completes partition help part
offers_files check mod
offers_files query mod
# Where bash can read them, quotes are closed; what zsh and fish write beyond that is alike.
for shell in zsh fish; do
    checks=$((checks + 1))
    bash -n <("$1" completion $shell) 2>/dev/null || {
        echo "a quote of completion $shell is not closed"
        failures=$((failures + 1))
    }
done
echo "100%: Checks: $checks, Failures: $failures, Errors: 0"
[ "$failures" = 0 ]
END
