/* The container: headers, segments, archives, and what no reader knows. */
#include "verifiers/verifier.h"

#define FIELD(name) "json_extract(artifact.version, '$." name "')"
#define PTE " artifact.kind = 'pte' "

static const struct dg_rule rules[] = {
    {
        .name = "file-size",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the file ends where its header says",
        .reason = "a shorter file was cut off on its way; the runtime refuses it",
        .fix = "copy the file again, or export again",
        .issue = "#3848",
        .level = "pte",
        .query = "WITH size AS (SELECT id, size_bytes AS has, " FIELD(
            "segment_base_offset") " AS base, " FIELD("segment_data_size") " AS data"
                                                                           "  FROM "
                                                                           "artifact "
                                                                           "WHERE" PTE
                                                                           ")"
                                                                           "SELECT id "
                                                                           "AS "
                                                                           "artifact, "
                                                                           "iif(has < "
                                                                           "base + "
                                                                           "data, "
                                                                           "'error', "
                                                                           "'note') AS "
                                                                           "severity,"
                                                                           "       "
                                                                           "printf('"
                                                                           "the header "
                                                                           "promises "
                                                                           "%lld bytes "
                                                                           "(segments "
                                                                           "at %lld, "
                                                                           "%lld"
                                                                           " long), "
                                                                           "the file "
                                                                           "has %lld', "
                                                                           "base + "
                                                                           "data, "
                                                                           "base, "
                                                                           "data, has) "
                                                                           "AS message"
                                                                           "  FROM "
                                                                           "size WHERE "
                                                                           "base > 0 "
                                                                           "AND data > "
                                                                           "0 AND base "
                                                                           "+ data <> "
                                                                           "has",
    },
    {
        .name = "segment-bounds",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every segment lies inside the file",
        .reason = "the runtime fails when it loads the segment, or reads wrong bytes",
        .fix = "copy the file again, or export again",
        .issue = "#3848",
        .level = "pte",
        .query =
            "SELECT artifact_id AS artifact, printf('segment %lld (%s) spans %llu..%llu"
            " behind byte %lld; the file has %lld bytes', idx, segment.kind, offset,"
            " offset + segment.size_bytes, coalesce(" FIELD(
                "segment_base_offset") ", 0),"
                                       " artifact.size_bytes) AS message"
                                       "  FROM segment JOIN artifact ON artifact.id = "
                                       "artifact_id"
                                       " WHERE" PTE "AND segment.size_bytes <> 0 AND "
                                       "(file_offset IS NULL"
                                       "   OR (" FIELD(
                                           "segment_data_size") " > 0 AND offset + "
                                                                "segment.size_bytes "
                                                                "> " FIELD(
                                                                    "segment_"
                                                                    "data_size") ")) "
                                                                                 "ORDER"
                                                                                 " BY "
                                                                                 "segme"
                                                                                 "nt."
                                                                                 "id",
    },
    {
        .name = "segment-order",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "segments come by offset and do not overlap",
        .reason = "the format says so, and loaders may count on it",
        .fix = "export again; a tool that edits files may have broken the order",
        .level = "pte",
        .query =
            "SELECT s.artifact_id AS artifact, printf('segment %lld starts at %lld,"
            " segment %lld before it ends at %lld', s.idx, s.offset, before.idx,"
            " before.offset + before.size_bytes) AS message"
            "  FROM artifact JOIN segment AS s ON s.artifact_id = artifact.id"
            "  JOIN segment AS before ON before.id = (SELECT max(id) FROM segment"
            "       WHERE id < s.id AND artifact_id = s.artifact_id AND size_bytes > 0)"
            " WHERE" PTE "AND s.size_bytes > 0"
            "   AND s.offset < before.offset + before.size_bytes ORDER BY s.id",
    },
    {
        .name = "segment-alignment",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "segments start at multiples of the alignment that most keep",
        .reason = "a backend may crash on a blob that is not aligned",
        .fix = "export again with the default segment_alignment",
        .level = "pte",
        .query =
            "WITH RECURSIVE placed AS (SELECT segment.id, artifact_id, idx,"
            "       segment.kind, file_offset FROM segment"
            "  JOIN artifact ON artifact.id = artifact_id WHERE" PTE
            "   AND segment.size_bytes > 0 AND file_offset > 0"
            "   AND segment.kind <> 'mutable'),"
            " power(n) AS (VALUES (16) UNION ALL SELECT n * 2 FROM power WHERE n < "
            "128),"
            " kept AS (SELECT artifact_id, max(n) AS n FROM (SELECT artifact_id, n"
            "  FROM placed, power GROUP BY artifact_id, n"
            "  HAVING sum(file_offset % n = 0) * 8 >= count(*) * 7"
            "   AND count(*) >= iif(n = 16, 3, 8) OR sum(file_offset % n <> 0) = 1"
            "   AND n = 16 AND count(*) > 2)"
            "  GROUP BY artifact_id)"
            "SELECT artifact_id AS artifact, printf('segment %lld (%s) starts at byte"
            " %lld, which is no multiple of %lld', idx, kind, file_offset, n) AS "
            "message"
            "  FROM placed JOIN kept USING (artifact_id)"
            " WHERE file_offset % n <> 0 ORDER BY id",
    },
    {
        .name = "segment-gap",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "no more bytes lie between segments than alignment asks for",
        .reason = "such bytes are carried around for nothing",
        .fix = "export again",
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
        .invariant = "a file with segments says where they start",
        .reason = "the runtime refuses the file, or computes with the program's bytes",
        .fix = "export again: the extended header is missing or was overwritten",
        .level = "pte",
        .query = "SELECT artifact.id AS artifact, printf('%lld segments have bytes, and"
                 " the header gives no offset for them', count(*)) AS message"
                 "  FROM artifact JOIN segment ON artifact_id = artifact.id WHERE" PTE
                 "   AND segment.size_bytes <> 0 AND " FIELD(
                     "segment_base_offset") " = 0 GROUP BY artifact.id",
    },
    {
        .name = "version",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the program's schema version is 0",
        .reason = "the runtime refuses other versions (error 0x23)",
        .fix = "export for the runtime that will run it",
        .level = "pte",
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
        .level = "pte",
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
        .fix = "export again with a present ExecuTorch",
        .level = "pte",
        .query = "SELECT artifact.id AS artifact, printf('%lld constants lie in the"
                 " program itself', count(*)) AS message"
                 "  FROM artifact JOIN constant ON artifact_id = artifact.id WHERE" PTE
                 "   AND constant.kind = 'constant' AND segment_id IS NULL"
                 "   AND constant.file_offset IS NOT NULL GROUP BY artifact.id",
    },
    {
        .name = "constant-segment-index",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the segment of the constants exists",
        .reason = "the runtime refuses the file",
        .fix = "export again",
        .level = "pte",
        .query = "SELECT artifact.id AS artifact, printf('%lld constants lie in a"
                 " segment that does not exist', count(*)) AS message"
                 "  FROM artifact JOIN constant ON artifact_id = artifact.id WHERE" PTE
                 "   AND constant.kind = 'constant' AND segment_id IS NULL"
                 "   AND constant.file_offset IS NULL GROUP BY artifact.id",
    },
    {
        .name = "mutable-segment-index",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the segment of initial states exists",
        .reason = "the runtime fails when it loads the method",
        .fix = "export again",
        .level = "pte",
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
        .level = "pte",
    },
    {
        .name = "lists-repeated",
        .severity = DG_SEVERITY_NOTE,
        .invariant =
            "lists are operands seldom enough for every edge through them to be stored",
        .reason = "some edges are missing from the store",
        .fix = "none is needed; the file is unusual",
        .level = "pte",
    },
    {
        .name = "pt2-crc-absent",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "an archive carries checksums",
        .reason = "damage to the file does not show",
        .fix = "save with torch.serialization.set_crc32_options(True)",
        .level = "pt2",
    },
    {
        .name = "string-utf8",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "names and keys are UTF-8 without control characters",
        .reason = "tools print them wrongly or refuse them",
        .fix = "rename what has such a name in the Python program",
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
        .level = "pt2",
    },
    {
        .name = "unknown-field",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "delegraph knows every field of the file",
        .reason = "what it does not know it does not check",
        .fix = "use a newer delegraph",
        .level = "pt2 pte ptd",
    },
    {0},
};

const struct dg_verifier dg_verifier_format = {"format", rules};
