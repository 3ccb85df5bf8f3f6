/* What was measured on a device, and what an ETRecord says, against the .pte. */
#include "graph/handles_sql.h"
#include "verifiers/verifier.h"

/* clang-format off */

static const char clock_query[] =
    "SELECT p.artifact_id AS artifact, printf('run %lld: %lld %s before it begins: the"
    " first is %s', p.idx, count(*), iif(count(*) = 1, 'event ends', 'events end'),"
    "   coalesce(e.name, part, 'without a name')) AS message, min(e.idx)"
    "  FROM profile_event AS e JOIN profile AS p ON p.id = profile_id"
    " WHERE e.end < e.begin GROUP BY p.id ORDER BY p.id";

static const char method_query[] =
    "SELECT p.artifact_id AS artifact, printf('%s of %s has %s instructions: %s is"
    " number %lld', iif(count(DISTINCT p.id) = 1, printf('run %lld: no method', p.idx),"
    "   printf('%lld runs: no method', count(DISTINCT p.id))), program.path,"
    "   iif(count(DISTINCT p.id) = 1, 'its', 'their'), coalesce(e.name, e.part), instruction)"
    "   AS message,"
    "   max(instruction * 2 + (coalesce(e.name, '') GLOB 'native_call_*'))"
    "  FROM profile_event AS e JOIN profile AS p ON p.id = profile_id"
    "  JOIN artifact AS a ON a.id = p.artifact_id"
    "  JOIN artifact AS program ON program.id = a.companion_of"
    " WHERE p.method_id IS NULL AND instruction IS NOT NULL"
    "   AND NOT EXISTS (SELECT 1 FROM remark WHERE rule = 'profile/several-methods'"
    "    AND remark.artifact_id = p.artifact_id)"
    " GROUP BY p.artifact_id ORDER BY p.artifact_id";

static const char record_query[] =
    "WITH " DG_SQL_HANDLES
    "SELECT method, NULL AS node, 'error' AS severity, printf('instruction %lld is %s: the"
    " ETRecord tells what it was made from', instruction, iif(node IS NULL, 'not there',"
    "   'a ' || replace(kind, '_', ' '))) AS message, min(instruction)"
    "  FROM told WHERE node IS NULL OR kind NOT IN ('kernel_call', 'delegate_call')"
    "  GROUP BY method"
    " UNION ALL SELECT NULL, min(told.node), 'error', printf('%s was not made from"
    " %s, as the ETRecord says%s', told.op, other_op,"
    "   iif(count(DISTINCT told.node) = 1, '', printf('; nor were %lld more from"
    " what it names', count(DISTINCT told.node) - 1))), min(told.node)"
    "  FROM told WHERE node IN (SELECT node FROM other_op) GROUP BY method"
    " UNION ALL SELECT NULL, min(node), 'error', printf('%lld of %lld instructions have"
    " results of another size than what they were made from, as the ETRecord says',"
    "   count(*), (SELECT n FROM compared)), min(node)"
    "  FROM other_size HAVING count(*) > 1"
    "   AND 2 * count(*) > (SELECT n FROM compared)";

/* clang-format on */

static const struct dg_rule rules[] = {
    {
        .name = "clock",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "what an ETDump measured ends after it begins",
        .reason = "the device's clock ran backwards or wrapped around: such times are "
                  "left out of all sums",
        .fix = "measure again, with a clock that does not stop or turn",
        .example = "DELEGATE_CALL from 5000 to 4000",
        .level = "etdump",
        .query = clock_query,
        .about = DG_ABOUT_PROFILE,
    },
    {
        .name = "method",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "what an ETDump measured are instructions of a method of the .pte",
        .reason = "it was measured with another build: its times are those of other "
                  "instructions, and are not joined",
        .fix = "give the .pte that ran on the device",
        .example = "native_call_mul.out is number 5, and instruction 5 is a delegate call",
        .level = "etdump pte",
        .query = method_query,
        .about = DG_ABOUT_PROFILE,
    },
    {
        .name = "several-methods",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "what an ETDump measured are instructions of one method alone",
        .reason = "the runtime does not say which method ran: times that may be of either "
                  "are joined to none",
        .fix = "measure methods in files of their own, of programs of their own",
        .example = "prefill and decode are one delegate call each",
        .level = "etdump pte",
        .about = DG_ABOUT_PROFILE,
    },
    {
        .name = "record",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "instructions that an ETRecord tells of are calls of the .pte",
        .reason = "it was made with another build: lines of Python and names of modules "
                  "are those of other instructions",
        .fix = "give the ETRecord that was made together with the .pte",
        .example = "instruction 12, and the method has 10",
        .level = "pt2 pte",
        .query = record_query,
        .about = DG_ABOUT_PROGRAM_FILE,
    },
    {0},
};

const struct dg_verifier dg_verifier_profile = {"profile", rules, DG_ABOUT_PROFILED};
