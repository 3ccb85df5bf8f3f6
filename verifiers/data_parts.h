/* What the rules about data share: SQL of what files hold and what programs want, and
 * the longer queries. */
#ifndef DG_VERIFIERS_DATA_PARTS_H
#define DG_VERIFIERS_DATA_PARTS_H

#include "verifiers/sql.h"

/* clang-format off */

/* A program and the .ptd files given with it; a .ptd alone is a program of its own. */
#define FILES                                                                          \
    "files AS MATERIALIZED (SELECT id, kind, coalesce(companion_of, id) AS program,"   \
    "   replace(path, rtrim(path, replace(path, '/', '')), '') AS name FROM artifact"  \
    "  WHERE role IS NULL OR role = 'data')"

#define HAS_DATA(program)                                                              \
    "EXISTS (SELECT 1 FROM files AS f WHERE f.program = " program                      \
    " AND f.kind = 'ptd')"

/* Named data of those files; with digests where they are needed. Segments of a file
 * have consecutive ids. */
#define STORED_FROM(columns, join)                                                     \
    "stored AS MATERIALIZED (SELECT files.program, files.id AS artifact, files.kind,"  \
    "   files.name AS file, n.*" columns                                               \
    "  FROM files JOIN named_data AS n ON n.artifact_id = files.id" join ")"
#define STORED STORED_FROM("", "")
#define STORED_WITH_DIGESTS                                                            \
    "first AS MATERIALIZED (SELECT artifact_id, min(id) - idx AS base FROM segment"    \
    "  GROUP BY artifact_id), "                                                        \
    STORED_FROM(", s.id AS segment, s.xxh3, s.sha256",                                 \
        " LEFT JOIN first ON first.artifact_id = files.id"                             \
        " LEFT JOIN segment AS s ON s.id = base + n.segment_idx"                       \
        "  AND s.artifact_id = files.id")

/* Constant, external and mutable tensors: of those before 'n' store.c has an index. */
#define IN_FILE " v.storage < 'n' "
#define PTE_VALUES                                                                     \
    "FROM value AS v CROSS JOIN \"graph\" AS g ON g.id = v.graph_id"                   \
    "  CROSS JOIN method AS m ON m.id = g.method_id AND m.ir = 'pte' "
#define IN_FILE_OF_PTE PTE_VALUES "WHERE" IN_FILE

/* A constant by its number: those of a list of offsets have consecutive ids. */
#define BASES(condition)                                                               \
    "bases AS MATERIALIZED (SELECT artifact_id, min(id) - idx AS base FROM constant"   \
    "  WHERE " condition " GROUP BY artifact_id)"
#define AT_BASE                                                                        \
    "c.id = base + v.data_index AND c.idx = v.data_index"                              \
    " AND c.artifact_id = m.artifact_id"

/* Of the tensors in files, those that a key leads to. */
#define HAS_KEY " (v.storage = 'external' OR v.storage = 'mutable' AND data_index IS NULL) "
#define TENSOR_KEYS                                                                    \
    "tensors AS MATERIALIZED (SELECT m.artifact_id AS program, v.id AS value, v.idx,"  \
    "   v.name AS key, v.dtype, v.shape, v.dim_order, v.nbytes "                       \
    IN_FILE_OF_PTE "AND" HAS_KEY "AND coalesce(v.name, '') <> '')"

#define DELEGATE_KEYS                                                                  \
    "keys AS MATERIALIZED (SELECT method.artifact_id AS program, method.id AS method," \
    "   delegate.id AS delegate, delegate.idx, delegate.backend, delegate.blob_bytes," \
    "   k.pos, k.key, k.kind, k.nbytes"                                                \
    "  FROM delegate_key AS k JOIN delegate ON delegate.id = k.delegate_id"            \
    "  JOIN method ON method.id = delegate.method_id)"

/* Keys of delegates that no file has. */
#define NOWHERE                                                                        \
    "SELECT program, key FROM keys EXCEPT SELECT program, key FROM stored"

#define OF_AOTI(backend) " " backend " IN ('CudaBackend', 'MetalBackend') "

/* Keys as readers see them best: digests are long. */
#define SHORT(key)                                                                     \
    "iif(length(" key ") > 60, substr(" key ", 1, 16) || '...' || substr(" key ", -16),"    \
    " " key ")"

/* The key of weights that a partition without any has: it is of no bytes at all. */
#define NO_WEIGHTS                                                                     \
    "'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855_weights_blob'"

/* clang-format on */

/* Constants in segments. */
extern const char dg_query_constant_index[], dg_query_constant_extent[],
    dg_query_constant_offset_order[], dg_query_constant_unused[],
    dg_query_constant_typed_twice[], dg_query_mutable_extent[];

/* Keys. */
extern const char dg_query_named_segment_index[], dg_query_named_key_null[],
    dg_query_named_key_unique[], dg_query_named_key_collision[],
    dg_query_named_key_missing[], dg_query_named_key_resolves[],
    dg_query_ptd_required[], dg_query_named_unused[], dg_unread_keys[];

/* .ptd files, and tensors against what they say of them. */
extern const char dg_query_ptd_magic[], dg_query_ptd_bounds[], dg_query_layout_match[], dg_query_layout_missing[],
    dg_query_layout_nbytes[];

/* Bytes and their digests. */
extern const char dg_query_duplicate_bytes[], dg_query_aoti_key_format[],
    dg_query_named_key_digest[],
    dg_without_digests[], dg_without_sha256[], dg_without_sha256_inside[];

#endif
