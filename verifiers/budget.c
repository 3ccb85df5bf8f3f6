/* Rules that hold measures of a program to the limits given with --limit. One
 * without a query is about several programs: src/cli/against_folder.c. */
#include "verifiers/budget_parts.h"

#define NO_LIMIT(name)                                                                 \
    "SELECT 'no limit is given (--limit " name "=NUMBER)' WHERE NOT EXISTS"            \
    " (SELECT 1 FROM setting WHERE name = 'limit." name "'"                            \
    "   OR name GLOB 'limit." name ".*')"

#define NOT_LOWERED                                                                    \
    "SELECT 'the program is not lowered' WHERE NOT EXISTS (SELECT 1 FROM artifact"     \
    "  WHERE kind = 'pte') AND NOT EXISTS (SELECT 1 FROM delegate)"

#define NO_PLAN " NOT EXISTS (SELECT 1 FROM part_run)"

/* A limit that cannot be judged is not kept: a gate must not pass for want of a check.
 */
#define JUDGED .check = dg_budget_judge, .unjudged = dg_budget_unjudged

static const struct dg_rule rules[] = {
    {
        .name = "delegated-share",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the share of calls that delegates run is not below the limit",
        .reason = "the program is slower than was agreed: operators fell back to the"
                  " host",
        .fix =
            "delegraph explain PROGRAM.pt2 --backend NAME tells of an exported program"
            " why an operator would stay on the host",
        .example = "--limit delegated-share=0.9, and 12 of 40 calls are delegated",
        .issue = "#12495",
        .level = "pt2 pte",
        .not_checked =
            NO_LIMIT("delegated-share") " UNION ALL " NOT_LOWERED " AND" NO_PLAN,
        JUDGED,
    },
    {
        .name = "delegated-ops",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the share of operators that delegates run, those inside of them"
                     " counted, is not below the limit",
        .reason = "the program is slower than was agreed: operators fell back to the"
                  " host",
        .fix = "delegraph explain PROGRAM.pt2 --backend NAME tells of an exported"
               " program why an operator would stay on the host",
        .example = "--limit delegated-ops=90%, and 10 of 12 operators are inside of"
                   " delegates",
        .level = "pt2 pte",
        .not_checked =
            NO_LIMIT("delegated-ops") " UNION ALL " NOT_LOWERED " AND" NO_PLAN,
        JUDGED,
    },
    {
        .name = "delegated-flops",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the share of FLOPs that delegates compute is not below the limit",
        .reason = "the heavy operators run on the host: a count of calls hides one"
                  " convolution among a hundred casts",
        .fix = "delegraph explain PROGRAM.pt2 --backend NAME tells of an exported"
               " program why an operator would stay on the host",
        .example =
            "--limit delegated-flops=0.99, and a convolution with 8 % of all FLOPs"
            " stays on the host",
        .level = "pt2 pte",
        .not_checked =
            NO_LIMIT("delegated-flops") " UNION ALL " NOT_LOWERED " AND" NO_PLAN,
        JUDGED,
    },
    {
        .name = "delegated-bytes",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the share of memory traffic that is of delegates is not below the"
                     " limit",
        .reason = "operators that only move bytes run on the host, where they are slow"
                  " though they compute nothing",
        .fix = "delegraph info PROGRAM.pt2 adds up memory traffic; delegate permutes,"
               " copies and concatenations, too",
        .example =
            "--limit delegated-bytes=90%, and copies on the host are a fifth of all"
            " traffic",
        .level = "pt2 pte",
        .not_checked =
            NO_LIMIT("delegated-bytes") " UNION ALL " NOT_LOWERED " AND" NO_PLAN,
        JUDGED,
    },
    {
        .name = "partition-count",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "there are no more delegates, or tags of a plan, than the limit",
        .reason = "each delegate costs a call, and often copies and memory of its own",
        .fix = "make fewer and larger partitions",
        .example = "--limit partition-count=4, and a program has 7 delegates",
        .issue = "#9118",
        .level = "pt2 pte",
        .not_checked = NO_LIMIT("partition-count"),
        JUDGED,
    },
    {
        .name = "boundary-bytes",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no more bytes than the limit pass between host and delegates",
        .reason = "what passes is often copied or converted, at each run",
        .fix = "put operators between two delegates into one of them",
        .example = "--limit boundary-bytes=1000000, and 4 MB go into a delegate",
        .issue = "#12550",
        .level = "pt2 pte",
        .not_checked = NO_LIMIT("boundary-bytes") " UNION ALL " NOT_LOWERED,
        JUDGED,
    },
    {
        .name = "copies",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "there are no more copies between devices than the limit",
        .reason = "each waits for the device, at each run",
        .fix =
            "delegate what stands between two delegates of a device; delegraph devices"
            " shows where copies are inserted",
        .example = "--limit copies=2, and a program copies to the device and back three"
                   " times",
        .level = "pte",
        .not_checked = NO_LIMIT("copies"),
        JUDGED,
    },
    {
        .name = "file-size",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the program and its data are not larger than the limit",
        .reason = "it does not fit into the place that was set aside for it",
        .fix = "query @size shows where the bytes are; quantize, or share weights",
        .example = "--limit file-size=10000000, and the .pte has 12 MB",
        .issue = "#7088",
        .level = "pt2 pte",
        .not_checked = NO_LIMIT("file-size"),
        JUDGED,
    },
    {
        .name = "peak-memory",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no method plans more memory than the limit",
        .reason = "the target cannot allocate it, and loading the method fails",
        .fix = "query @peak shows the tensors that live when memory is fullest",
        .example = "--limit peak-memory=1000000, and forward plans 2 MB",
        .issue = "#8911",
        .level = "pte",
        .not_checked = NO_LIMIT("peak-memory"),
        JUDGED,
    },
    {
        .name = "planned-memory",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no method plans more memory on a device than the limit",
        .reason =
            "a device has memory of its own: loading the method fails where that is"
            " full, whatever is left on the host",
        .fix =
            "info PROGRAM.pte --memory shows what lies where; query @peak the tensors"
            " that live when memory is fullest",
        .example =
            "--limit planned-memory.cuda=12MiB, and forward plans 16 MiB on cuda:0",
        .level = "pte",
        .not_checked = NO_LIMIT("planned-memory"),
        JUDGED,
    },
    {
        .name = "host-ops",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no more kinds of operators than the limit run on the host",
        .reason = "each needs a kernel, and makes the runtime larger",
        .fix = "delegate more of them; query @ops shows how often each is called",
        .example = "--limit host-ops=0, and aten::add.out runs on the host",
        .issue = "#4742",
        .level = "pte",
        .not_checked = NO_LIMIT("host-ops"),
        JUDGED,
    },
    {
        .name = "host-calls",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no more kernels than the limit are called on the host",
        .reason = "each call costs time on the host, while delegates wait",
        .fix = "delegate more of them; query @ops shows how often each is called",
        .example = "--limit host-calls=10, and 18 weights are cast on the host at each"
                   " run",
        .level = "pte",
        .not_checked = NO_LIMIT("host-calls"),
        JUDGED,
    },
    {
        .name = "new-program",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a program that limits of growth are for has an older one",
        .reason =
            "nothing says how much it may grow: a file that was renamed looks new",
        .fix = "put the older one into the folder of --against under this name; or let"
               " the policy say severity: {budget/new-program: note}",
        .example = "--against yesterday, and yesterday has no file of its name",
        .level = "pt2 pte",
        .query = "SELECT id AS artifact, printf('%s has no program of this name: limits"
                 " of growth are not judged', setting.value) AS message FROM setting"
                 " JOIN artifact ON companion_of IS NULL"
                 " WHERE setting.name = 'new-program' ORDER BY id",
        .not_checked = "SELECT 'it has an older one, or no limit of growth' WHERE NOT"
                       " EXISTS (SELECT 1 FROM setting WHERE name = 'new-program')",
    },
    {
        .name = "same-old",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no two programs are compared with one older program",
        .reason = "one of them is held to another program's size and delegation",
        .fix = "keep the older ones in folders as the programs are; or let the policy"
               " name another folder for one of them (against)",
        .example = "build/a/model.pte and build/b/model.pte, and one"
                   " yesterday/model.pte",
        .level = "pt2 pte",
        .not_checked = "SELECT 'it is compared with no older program' WHERE NOT EXISTS"
                       " (SELECT 1 FROM setting WHERE name = 'against')",
    },
    {0},
};

const struct dg_verifier dg_verifier_budget = {"budget", rules};
