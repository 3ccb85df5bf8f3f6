/* Every verb in every format, for each kind of file. */
#include "fuzz/commands.h"

#include <stddef.h>

#define READING                                                                        \
    "info @", "info @ --format json --hash", "info @ --memory", "ls @",                \
        "ls @ --what values --format csv", "ls @ --what constants --format json",      \
        "ls @ --what ops --format jsonl", "ls @ --what signature --format plain",      \
        "ls @ --what segments --format csv", "ls @ --what delegates",                  \
        "ls @ --what arenas --format json", "ls @ --what named-data", "ls @ --tree",   \
        "ls @ --tree --format json", "show @ #1", "show @ value#2 --format json",      \
        "show @ delegate#1", "show @ op#1", "show @ constant#1 --format json",         \
        "show @ method#1", "show @ segment#1", "check @", "check @ --format json",     \
        "check @ --ops portable --runtime 0.2 --limit peak-memory=1000 --fail-on note",              \
        "check @ --against % --limit file-size=+1% --limit peak-memory=+0 --limit "     \
        "planned-memory=+0 --limit host-calls=+0",                                      \
        "check % --against @ --limit file-size=+1% --limit delegated-share=-1% "        \
        "--limit delegated-flops=-0 --limit boundary-bytes=+0 --format json",           \
        "check @ --against @ --limit delegated-bytes=-0 --limit copies=+0",             \
        "check @ --for executorch --backends XnnpackBackend --timing",                 \
        "check @ --select memory,cuda,device --skip-h2d-inputs",                       \
        "check @ --backends none --format sarif",                                      \
        "check @ --backends none --format junit",                                      \
        "check @ --backends none --format md", "check @ --format github",              \
        "check @ --report gitlab=- --report jsonl=#/out --report csv=#/out2",          \
        "check @ --baseline tests/golden/baselines/known.json",                        \
        "check @ --rules doc/rules.d --rules tests/golden/rules.d/short",              \
        "query @ @kernels", "query @ @modules --format json",                          \
        "query @ @peak --format csv", "query @ @delegates --format jsonl",             \
        "query @ @dtypes --format plain",                                              \
        "query @ 'SELECT * FROM v_node' --format csv",                                 \
        "query @ 'SELECT * FROM v_value' --format json",                               \
        "query @ 'SELECT * FROM v_delegate' --format text", "dot @",                   \
        "dot @ --view modules -T svg --layout plain",                                  \
        "dot @ --view partitions -T svg --layout-timeout 1", "dot @ --view devices",   \
        "dot @ --view calls -T svg --layout plain", "dot @ --view graph --no-fold",    \
        "dot @ --against @ --layout plain -T svg", "report @ --against @ --format md", \
        "report @", "report @ --format md", "report @ --format text --width 100"

/* A store is no program to load. */
#define LOADING "load @ -o #/out.db", "load @ --no-hash -o #/out.db"

#define PLANNING                                                                       \
    "partition @", "partition @ --backend xnnpack --format json",                      \
        "partition @ --backend vulkan --lower",                                        \
        "partition @ --mode aoti --lower --format json -o -",                          \
        "partition @ --mode single", "partition @ --unsupported-ops aten::relu",       \
        "partition @ --as-torch --skip-horizontal-fusion -o -", "explain @",           \
        "explain @ --backend xnnpack --format json", "explain @ --backend aoti",       \
        "devices @", "devices @ --format json --skip-h2d-inputs",                      \
        "devices @ --no-device-planning"

#define DIFFING                                                                        \
    "diff @ @", "diff @ % --format json", "diff % @ --format md",                      \
        "diff @ % --ignore findings,weights"

#define RUNNING                                                                        \
    "run @ --threads 1 --seed 1", "run @ --threads 1 --seed 2 --format json",          \
        "run @ --threads 1 --each --format json", "run @ --threads 1 --isolate",       \
        "run @ --threads 1 --bisect --save #/out.npz",                                 \
        "run @ --threads 1 --store #/run.db", "run @ --threads 1 --against %",         \
        "run % --threads 1 --against @"

static const char *const pte[] = {
    READING,
    DIFFING,
    LOADING,
    PLANNING,
    RUNNING,
    "check @ --program tests/data/mlp.pt2",
    "check @ --program tests/data/mlp.pt2 --numerics",
    "check @ --numerics --expected tests/fuzz/corpus/tensor_file/arrays.npz",
    "devices tests/data/on_cuda_exir.pt2 --against @",
    "check @ --data tests/data/external_tagged_weights.ptd",
    NULL};
static const char *const pt2[] = {
    READING,
    DIFFING,
    LOADING,
    PLANNING,
    RUNNING,
    "check tests/data/portable.pte --program @",
    "check tests/data/unplanned.pte --program @ --numerics",
    "devices @ --against tests/data/on_cuda.pte",
    NULL};
static const char *const store[] = {READING,
                                    PLANNING,
                                    DIFFING,
                                    "trend @",
                                    "trend @ model",
                                    "trend @ model --format svg",
                                    "report @ --fleet",
                                    "report @ --fleet --format md",
                                    "report @ --fleet --format text --last 2",
                                    NULL};
static const char *const ptd[] = {
    READING,
    LOADING,
    "check tests/data/external_tagged.pte --data @",
    "check tests/data/external_tagged.pte @ --format json",
    "run tests/data/external_tagged.pte --threads 1 --data @",
    "run tests/data/external_tagged.pte @ --threads 1 --format json",
    NULL};
static const char *const etdump[] = {
    READING,
    LOADING,
    "info tests/data/profiled.pte --etdump @",
    "query tests/data/profiled.pte --etdump @ @slowest",
    "check tests/data/profiled.pte --etdump @ --format json",
    NULL};
static const char *const etrecord[] = {
    READING,
    "diff @ tests/data/profiled_record.etrecord --format json",
    "diff tests/data/profiled_record.etrecord @ --format md",
    LOADING,
    PLANNING,
    "check tests/data/profiled.pte --program @",
    "show tests/data/profiled.pte op_5 --program @",
    "query tests/data/profiled.pte --program @ @slowest",
    NULL};
static const char *const bpte[] = {READING,
                                   LOADING,
                                   "run @ --threads 1",
                                   "run @ --threads 1 --format json",
                                   "run % --threads 1 --inputs @",
                                   "run % --threads 1 --expected @",
                                   "check @ --numerics --format json",
                                   "check @ --numerics --format junit",
                                   NULL};
static const char *const plan[] = {
    "info % --plan @ --force",
    "info % --plan @",
    "check % --plan @",
    "check % --plan @ --force --format json",
    "explain % --plan @ --force",
    "explain % --plan @ --force --format json",
    "report % --plan @ --force",
    "report % --plan @ --force --format md",
    "dot % --plan @ --force",
    "dot % --plan @ --view partitions -T svg --layout plain --force",
    "partition % --mode aoti --prior @ --force",
    "partition % --mode aoti --prior @ --force --format json",
    "run % --threads 1 --plan @ --force",
    NULL};
static const char *const support[] = {"partition % --support @",
                                      "partition % --support @ --format json",
                                      "partition % --support @ -o -",
                                      "explain % --support @",
                                      "explain % --support @ --format json",
                                      "partition % --mode group --groups @",
                                      "partition % --support @ --mode aoti",
                                      NULL};
static const char *const inputs[] = {
    "run % --threads 1 --inputs @",
    "run % --threads 1 --inputs @ --format json",
    "run % --threads 1 --expected @",
    "run % --threads 1 --expected @ --format json",
    "run % --threads 1 --inputs @ --inputs @ --repeat 2",
    "check % --numerics --expected @",
    "check % --numerics --inputs @ --expected @ --format json",
    "info @",
    "check @",
    NULL};
static const char *const baseline[] = {
    "check % --baseline @",
    "check % --baseline @ --format json -v",
    "check tests/data/on_cuda_planned_on_host.pte --baseline @ --format sarif",
    "baseline prune tests/data/on_cuda_planned_on_host.pte --baseline @",
    "baseline update % --baseline @",
    NULL};

static const char *const policy[] = {
    "check % --config @",
    "check % --config @ --format json -v",
    "check tests/data/on_cuda_planned_on_host.pte --config @ --format github",
    "check tests/data/on_cuda_planned_on_host.pte --config @ --explain-config",
    "report % --config @ --format md",
    NULL};

const struct mutant_kind mutant_kinds[] = {
    {"pte", ".pte ", pte},
    {"pt2", ".pt2 ", pt2},
    {"ptd", ".ptd ", ptd},
    {"etdump", ".etdp ", etdump},
    {"etrecord", ".etrecord ", etrecord},
    {"bpte", ".bpte ", bpte},
    {"store", ".db ", store},
    {"plan", ".plan.json ", plan},
    {"support", ".support.json ", support},
    {"inputs", ".npz .npy .pt ", inputs},
    {"baseline", ".baseline.json ", baseline},
    {"policy", ".policy.yaml ", policy},
    {0},
};

const char mutant_program_endings[] = ".pte .pt2 ";
