/* The container: headers, segments, archives, and what no reader knows. */
#include "verifiers/verifier.h"

#define FIELD(name) "json_extract(artifact.version, '$." name "')"
#define PTE " artifact.kind = 'pte' "

/* clang-format off */

static const char file_size[] =
    "WITH size AS (SELECT id, size_bytes AS has, " FIELD("segment_base_offset") " AS"
    "   base, " FIELD("segment_data_size") " AS data FROM artifact WHERE" PTE
    "AND container <> 'bundled program')"
    "SELECT id AS artifact, iif(has < base + data, 'error', 'note') AS severity,"
    "   printf('the header promises %lld bytes (segments at %lld, %lld long), the file"
    " has %lld', base + data, base, data, has) AS message"
    "  FROM size WHERE base > 0 AND data > 0 AND base + data <> has";

/* Of a file that is known to be cut off, what lies behind its end is one finding. */
static const char segment_bounds[] =
    "WITH named AS (SELECT id, size_bytes AS has, container, coalesce("
    FIELD("segment_base_offset") ", 0) AS base, coalesce(" FIELD("segment_data_size")
    ", 0) AS data FROM artifact WHERE" PTE "),"
    "file AS (SELECT *, container <> 'bundled program' AND base > 0 AND data > 0"
    "   AND has < base + data AS is_cut FROM named),"
    "outside AS (SELECT file.*, segment.id AS segment, idx, segment.kind, offset,"
    "   segment.size_bytes, data > 0 AND offset + segment.size_bytes > data AS is_wrong"
    "  FROM file JOIN segment ON artifact_id = file.id AND segment.size_bytes <> 0"
    "  WHERE file_offset IS NULL OR is_wrong)"
    "SELECT id AS artifact, printf('segment %lld (%s) spans %llu..%llu behind byte %lld;"
    " the file has %lld bytes', idx, kind, offset, offset + size_bytes, base, has)"
    "  AS message, segment FROM outside WHERE is_wrong OR NOT is_cut"
    " UNION ALL SELECT id, printf('the file ends at byte %lld: %lld of %lld segments end"
    " behind it, the first is segment %lld (%s), %llu..%llu behind byte %lld', has,"
    "   count(*), (SELECT count(*) FROM segment AS s WHERE s.artifact_id = outside.id),"
    "   idx, kind, offset, offset + size_bytes, base), min(segment)"
    "  FROM outside WHERE is_cut AND NOT is_wrong GROUP BY id ORDER BY segment";

/* If any two overlap, then two that are neighbours by offset do. */
static const char segment_order[] =
    "WITH placed AS MATERIALIZED (SELECT s.id, artifact_id, idx, offset, s.size_bytes"
    "  FROM artifact JOIN segment AS s ON s.artifact_id = artifact.id"
    " WHERE artifact.kind IN ('pte', 'ptd') AND s.size_bytes > 0"
    "   AND file_offset IS NOT NULL),"
    "pair AS (SELECT id, artifact_id, idx, offset, size_bytes, lag(idx) OVER near AS other,"
    "   lag(offset) OVER near AS begin, lag(size_bytes) OVER near AS bytes"
    "  FROM placed WINDOW near AS (PARTITION BY artifact_id ORDER BY offset, id)),"
    "told AS (SELECT artifact_id, idx, offset, lag(idx) OVER list AS other,"
    "   lag(offset) OVER list AS begin"
    "  FROM placed WINDOW list AS (PARTITION BY artifact_id ORDER BY id))"
    "SELECT artifact_id AS artifact, idx, 'error' AS severity, printf('segment %lld"
    " spans %lld..%lld, segment %lld spans %lld..%lld', other, begin, begin + bytes,"
    "   idx, offset, offset + size_bytes) AS message FROM pair"
    "  WHERE begin + bytes > offset"
    " UNION ALL SELECT artifact_id, idx, 'warning', printf('segment %lld starts at %lld,"
    " segment %lld before it at %lld', idx, offset, other, begin) FROM told"
    "  WHERE offset < begin ORDER BY 1, 2";

static const char segments_without_base[] =
    "SELECT artifact.id AS artifact, iif(" FIELD("segment_base_offset") " = 0,"
    "   printf('%lld segments have bytes, and the header gives no offset for them',"
    "    count(*)), printf('the segments start at byte %lld, inside of the program,"
    " which has %lld bytes', " FIELD("segment_base_offset") ", "
    FIELD("program_size") ")) AS message"
    "  FROM artifact JOIN segment ON artifact_id = artifact.id"
    " WHERE" PTE "AND segment.size_bytes <> 0 AND (" FIELD("segment_base_offset") " = 0"
    "   OR " FIELD("segment_base_offset") " < " FIELD("program_size") ")"
    " GROUP BY artifact.id";

/* Who else refers to the segment of the constants. */
static const char constant_segment_index[] =
    "WITH held AS MATERIALIZED (SELECT artifact_id, segment_id, count(*) AS n,"
    "   max(constant.file_offset) AS place"
    "  FROM artifact JOIN constant ON artifact_id = artifact.id"
    " WHERE" PTE "AND constant.kind = 'constant' GROUP BY artifact_id, segment_id),"
    "shared AS (SELECT held.artifact_id AS id, s.idx, coalesce("
    "    (SELECT printf('is the blob of delegate %lld (%s)', d.idx, coalesce(backend,"
    "      'no backend')) FROM method AS m JOIN delegate AS d ON d.method_id = m.id"
    "     WHERE m.artifact_id = held.artifact_id AND location = 'segment'"
    "      AND blob_index = s.idx LIMIT 1),"
    "    (SELECT printf('holds named data %s', key) FROM named_data AS d"
    "     WHERE d.artifact_id = held.artifact_id AND segment_idx = s.idx LIMIT 1)) AS use"
    "  FROM held JOIN segment AS s ON s.id = segment_id AND s.size_bytes > 0)"
    "SELECT artifact_id AS artifact, printf('%lld constants lie in a segment that does"
    " not exist', n) AS message FROM held WHERE segment_id IS NULL AND place IS NULL"
    " UNION ALL SELECT id, printf('constants lie in segment %lld, which %s', idx, use)"
    "  FROM shared WHERE use IS NOT NULL";

/* clang-format on */

static const struct dg_rule rules[] = {
    {
        .name = "file-size",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the file ends where its header says",
        .reason = "a shorter file was cut off on its way; the runtime refuses it",
        .fix = "copy the file again, or export again",
        .example = "the extended header promises 4096 bytes of segments, the file ends "
                   "after 4000",
        .issue = "#3848",
        .level = "pte",
        .query = file_size,
    },
    {
        .name = "min-size",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a .pte has 64 bytes or more",
        .reason = "the runtime reads as many before all else, and refuses the file",
        .fix = "copy the file again, or export again",
        .example = "a file of 40 bytes with an empty program",
        .level = "pte",
        .refused = true,
        .query = "SELECT id AS artifact, printf('the file has %lld bytes, the runtime"
                 " reads the first 64', size_bytes) AS message"
                 "  FROM artifact WHERE" PTE "AND size_bytes < 64",
    },
    {
        .name = "segment-bounds",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every segment lies inside the file",
        .reason = "the runtime fails when it loads the segment, or reads wrong bytes",
        .fix = "copy the file again, or export again",
        .example = "segment 2 spans 8192..12288 of 10240 bytes",
        .issue = "#3848",
        .level = "pte",
        .query = segment_bounds,
    },
    {
        .name = "segment-order",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "segments come by offset and do not overlap",
        .reason = "bytes that two segments share are wrong for one of them; loaders may"
                  " count on the order",
        .fix = "export again; a tool that edits files may have broken the order",
        .example = "segment 1 begins at 512, segment 0 at 1024",
        .level = "pte ptd",
        .query = segment_order,
    },
    {
        .name = "segment-alignment",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "segments start at multiples of the alignment that most keep, or"
                     " that the first byte of all keeps",
        .reason = "a backend may crash on a blob that is not aligned",
        .fix = "export again with the default segment_alignment",
        .example = "all segments but one begin at multiples of 128, segment 3 at 4001",
        .level = "pte",
        .query =
            "WITH RECURSIVE placed AS (SELECT segment.id, artifact_id, idx,"
            "       segment.kind, file_offset FROM segment"
            "  JOIN artifact ON artifact.id = artifact_id WHERE" PTE
            "   AND segment.size_bytes > 0 AND file_offset > 0"
            "   AND segment.kind <> 'mutable'),"
            " power(n) AS (VALUES (16) UNION ALL SELECT n * 2 FROM power WHERE n < "
            "128),"
            " kept_by_most AS (SELECT artifact_id, max(n) AS n FROM (SELECT artifact_id, n"
            "  FROM placed, power GROUP BY artifact_id, n"
            "  HAVING sum(file_offset % n = 0) * 8 >= count(*) * 7"
            "   AND count(*) >= iif(n = 16, 3, 8) OR sum(file_offset % n <> 0) = 1"
            "   AND n = 16 AND count(*) > 2)"
            "  GROUP BY artifact_id),"
            " kept AS (SELECT * FROM kept_by_most"
            "  UNION ALL SELECT id, 16 FROM artifact WHERE " FIELD("segment_base_offset")
            "   % 128 = 0 AND" PTE "AND id NOT IN (SELECT artifact_id FROM kept_by_most))"
            "SELECT artifact_id AS artifact, printf('segment %lld (%s) starts at byte"
            " %lld, which is no multiple of %lld', idx, kind, file_offset, n) AS "
            "message"
            "  FROM placed JOIN kept USING (artifact_id)"
            " WHERE file_offset % n <> 0 ORDER BY id",
        .about = DG_ABOUT_UNALIGNED,
    },
    {
        .name = "segment-gap",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "no more bytes lie between segments than alignment asks for",
        .reason = "such bytes are carried around for nothing",
        .fix = "export again",
        .example =
            "segment 0 ends at 256, segment 1 begins at 65536, the alignment is 128",
        .level = "pte",
        .query =
            "WITH placed AS (SELECT segment.id, artifact_id, idx, file_offset,"
            "       lag(file_offset + segment.size_bytes) OVER (PARTITION BY "
            "artifact_id"
            "           ORDER BY file_offset) AS free"
            "  FROM segment JOIN artifact ON artifact.id = artifact_id WHERE" PTE
            "   AND segment.size_bytes > 0 AND file_offset IS NOT NULL)"
            "SELECT artifact_id AS artifact, printf('%lld unused bytes lie before"
            " segment %lld', file_offset - free, idx) AS message"
            "  FROM placed WHERE file_offset - free >= max(file_offset & -file_offset,"
            " 128) ORDER BY id",
    },
    {
        .name = "segment-unreferenced",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "something refers to every segment",
        .reason = "its bytes are carried around for nothing",
        .fix = "export again",
        .example = "segment 4 is neither a delegate's nor named data nor of constants",
        .level = "pte",
        .query = "SELECT artifact_id AS artifact, printf('nothing refers to segment"
                 " %lld of %lld bytes', idx, segment.size_bytes) AS message"
                 "  FROM segment JOIN artifact ON artifact.id = artifact_id WHERE" PTE
                 "   AND segment.kind = 'unreferenced' AND segment.size_bytes > 0"
                 " ORDER BY segment.id",
    },
    {
        .name = "segments-without-base",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the header of a file with segments says where they start: behind"
                     " the program",
        .reason = "the runtime refuses the file, or computes with the program's bytes",
        .fix = "export again: the extended header is missing or was overwritten",
        .example = "two segments of 4096 bytes, and segment_base_offset is 0",
        .level = "pte",
        .refused = true,
        .query = segments_without_base,
    },
    {
        .name = "version",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the program's schema version is 0",
        .reason = "the runtime refuses other versions (error 0x23)",
        .fix = "export for the runtime that will run it",
        .example = "Program.version is 1",
        .level = "pte",
        .refused = true,
        .query =
            "SELECT id AS artifact, printf('the schema version is %lld, the runtime"
            " knows 0', " FIELD("program") ") AS message"
                                           "  FROM artifact WHERE" PTE
                                           "AND " FIELD("program") " <> 0",
    },
    {
        .name = "constant-exclusive",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "constants lie in the program or in a segment, not in both",
        .reason = "the runtime refuses the file",
        .fix = "export again",
        .example =
            "12 constants in constant_buffer, and 12 offsets in constant_segment",
        .level = "pte",
        .refused = true,
        .query =
            "SELECT artifact.id AS artifact, printf('%lld constants lie in the program,"
            " %lld in a segment', sum(segment_id IS NULL), count(segment_id)) AS "
            "message"
            "  FROM artifact JOIN constant ON artifact_id = artifact.id WHERE" PTE
            "   AND constant.kind IN ('constant', 'reserved') GROUP BY artifact.id"
            " HAVING count(segment_id) > 0 AND sum(segment_id IS NULL) > 0",
    },
    {
        .name = "constant-deprecated",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "constants lie in a segment",
        .reason = "runtimes after 0.7 warn of constants in the program, or refuse them",
        .fix = "export again with a current ExecuTorch",
        .example = "all weights are in constant_buffer, as ExecuTorch 0.1 wrote them",
        .level = "pte",
        .refused = true,
        .query = "SELECT artifact.id AS artifact, printf('%lld constants lie in the"
                 " program itself', count(*)) AS message"
                 "  FROM artifact JOIN constant ON artifact_id = artifact.id WHERE" PTE
                 "   AND constant.kind = 'constant' AND segment_id IS NULL"
                 "   AND constant.file_offset IS NOT NULL GROUP BY artifact.id"
                 " UNION ALL SELECT id, 'constant_segment lists nothing, not even the"
                 " reserved constant 0: runtimes then look into the program'"
                 "  FROM artifact WHERE" PTE "AND NOT EXISTS (SELECT 1 FROM constant"
                 "   WHERE artifact_id = artifact.id"
                 "     AND kind IN ('constant', 'reserved'))",
    },
    {
        .name = "constant-segment-empty",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the segment of constants that tensors use has bytes",
        .reason = "the runtime takes a segment without bytes for none, looks into the"
                  " program, and refuses the method",
        .fix = "keep one constant that has elements, or make empty tensors in forward",
        .example = "the only constant is torch.tensor([])",
        .level = "pte",
        .refused = true,
        .query = "SELECT segment.artifact_id AS artifact, v.id AS value, iif(count(*) = 1,"
                 " 'a constant', printf('one of %lld constants', count(*))) || ' in a"
                 " segment without bytes' AS message"
                 "  FROM segment JOIN method ON method.artifact_id = segment.artifact_id"
                 "  JOIN \"graph\" AS g ON g.method_id = method.id"
                 "  JOIN value AS v ON v.graph_id = g.id AND v.storage = 'constant'"
                 " WHERE segment.kind = 'constant' AND segment.size_bytes = 0"
                 " GROUP BY segment.artifact_id HAVING v.id = min(v.id)",
        .about = DG_ABOUT_STORED,
    },
    {
        .name = "constant-segment-index",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the segment of the constants exists, and is theirs alone",
        .reason = "the runtime refuses the file, or computes with bytes of a delegate",
        .fix = "export again",
        .example = "constant_segment.segment_index is 3 of 3 segments",
        .level = "pte",
        .refused = true,
        .query = constant_segment_index,
    },
    {
        .name = "mutable-segment-index",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the segment of initial states exists",
        .reason = "the runtime fails when it loads the method",
        .fix = "export again",
        .example = "mutable_data_segments[0].segment_index is 9 of 4 segments",
        .level = "pte",
        .refused = true,
        .query = "SELECT artifact.id AS artifact, printf('%lld initial states lie in a"
                 " segment that does not exist', count(*)) AS message"
                 "  FROM artifact JOIN constant ON artifact_id = artifact.id WHERE" PTE
                 "   AND constant.kind = 'mutable' AND segment_id IS NULL"
                 "   AND constant.file_offset IS NULL GROUP BY artifact.id",
    },
    {
        .name = "mutable-index-ignored",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "initial states lie in the first mutable segment",
        .reason = "the runtime reads the first one whatever the file says",
        .fix = "export again with one mutable segment",
        .example = "a tensor has mutable_data_segments_idx 1; the runtime reads 0",
        .level = "pte",
    },
    {
        .name = "lists-repeated",
        .severity = DG_SEVERITY_NOTE,
        .invariant =
            "lists are operands seldom enough for every edge through them to be stored",
        .reason = "some edges are missing from the store",
        .fix = "nothing is wrong; the file is unusual",
        .example = "one list of 10,000 tensors is an operand of 10,000 calls",
        .level = "pt2 pte ptd",
    },
    {
        .name = "pt2-crc-absent",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "an archive carries checksums",
        .reason = "damage to the file does not show",
        .fix = "save with torch.serialization.set_crc32_options(True)",
        .example = "the entries of an archive have CRC 0",
        .level = "pt2",
    },
    {
        .name = "string-utf8",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "names and keys are UTF-8 without control characters",
        .reason = "tools print them wrongly or refuse them",
        .fix = "rename what has such a name in the Python program",
        .example = "a method is named \"for\\xffward\"",
        .level = "pte ptd",
        .query =
            "SELECT artifact_id AS artifact, printf('the key of named data %lld"
            " holds a control character', idx) AS message"
            "  FROM named_data WHERE key GLOB '*[' || char(1) || '-' || char(31) ||"
            " ']*' ORDER BY artifact_id, idx",
    },
    {
        .name = "pt2-archive",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "an archive holds what its parts say it holds",
        .reason = "torch.export.load may refuse the file or read other bytes",
        .fix = "save the program again",
        .example = "model_weights_config.json lists weight_3, and no such entry exists",
        .level = "pt2",
    },
    {
        .name = "unknown-field",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "delegraph knows every field of the file",
        .reason = "what it does not know it does not check",
        .fix = "use a newer delegraph",
        .example = "a node's metadata has a member that no known exporter writes",
        .level = "pt2 pte ptd",
    },
    {0},
};

const struct dg_verifier dg_verifier_format = {"format", rules};
