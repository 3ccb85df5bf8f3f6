/* Buffers that do not begin with zeros, and whether a .pte keeps what they begin with.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "verifiers/memory_parts.h"
#include "verifiers/sql.h"

/* clang-format off */

/* Buffers that a .pt2 changes: its signature says so, or an operator in place does. */
#define MUTATED                                                                        \
    "model AS (SELECT a.id AS artifact, a.companion_of AS pte, m.id AS method, m.name," \
    "   g.id AS graph_id FROM artifact AS a JOIN method AS m ON m.artifact_id = a.id"  \
    "  JOIN \"graph\" AS g ON g.method_id = m.id AND g.path = ''"                      \
    " WHERE a.kind = 'pt2' AND (a.role = 'program' OR " DG_TO_BE_LOWERED ")"           \
    "   AND m.ir <> 'pte'),"                                                           \
    "changed AS (SELECT model.*, s.target FROM model"                                  \
    "  JOIN signature AS s ON s.graph_id = model.graph_id"                             \
    " WHERE s.direction = 'output' AND s.spec = 'buffer_mutation' UNION"               \
    " SELECT model.*, s.target FROM model"                                             \
    "  JOIN signature AS s ON s.graph_id = model.graph_id AND s.spec = 'buffer'"       \
    "  JOIN node AS n ON n.graph_id = model.graph_id AND n.value_id = s.value_id"      \
    "   AND n.kind = 'placeholder' JOIN edge ON edge.src = n.id AND edge.pos = 0"      \
    "  JOIN node AS user ON user.id = edge.dst JOIN op ON op.id = user.op_id"          \
    " WHERE s.direction = 'input' AND op.flags & 96 = 32),"                            \
    "mutated AS MATERIALIZED (SELECT *, row_number() OVER (PARTITION BY artifact, method,"\
    "   dtype, nbytes ORDER BY pos) AS rank, count(*) OVER (PARTITION BY artifact,"    \
    "   method, dtype, nbytes) AS n FROM (SELECT changed.*, c.dtype, c.nbytes, c.xxh3," \
    "   (SELECT min(s.pos) FROM signature AS s WHERE s.graph_id = changed.graph_id"    \
    "     AND s.direction = 'input' AND s.target = changed.target) AS pos FROM changed" \
    "  JOIN constant AS c ON c.artifact_id = changed.artifact AND c.fqn = target"      \
    "   AND c.kind = 'buffer' AND (c.method_id IS NULL OR c.method_id = method)"       \
    " WHERE c.xxh3 IS NOT NULL AND c.nbytes > 0))"

/* Tensors of a .pte that its operators update; a match has the name of the buffer, or
 * its type and size: where there are as many of these, they come in the same order. */
#define HELD                                                                           \
    "held AS MATERIALIZED (SELECT *, row_number() OVER (PARTITION BY method, name IS"  \
    "   NULL, dtype, nbytes ORDER BY id) AS rank, count(*) OVER (PARTITION BY method,"  \
    "   name IS NULL, dtype, nbytes) AS n FROM (SELECT DISTINCT m.artifact_id,"        \
    "   m.id AS method, m.name AS method_name, v.id, v.name, v.dtype, v.nbytes,"       \
    "   v.storage"                                                                     \
    "  FROM artifact AS a JOIN method AS m ON m.artifact_id = a.companion_of"          \
    "  JOIN \"graph\" AS g ON g.method_id = m.id"                                      \
    "  JOIN node AS n ON n.graph_id = g.id JOIN operand AS o ON o.node_id = n.id"      \
    "  JOIN value AS v ON v.id = o.value_id"                                           \
    " WHERE a.role = 'program' AND o.access = 'both' AND v.kind = 'tensor'))"
#define MATCHES                                                                        \
    "held.artifact_id = mutated.pte AND (held.method_name = mutated.name OR"           \
    "  (SELECT count(*) FROM method WHERE artifact_id = mutated.pte) = 1)"             \
    " AND (held.name = target OR (held.name IS NULL AND held.dtype = mutated.dtype"    \
    "  AND held.nbytes = mutated.nbytes"                                               \
    "  AND (held.n <> mutated.n OR held.rank = mutated.rank)))"

static const char candidates_sql[] =
    "WITH " MUTATED ", " HELD
    "SELECT target, nbytes, xxh3, method, NULL, 0 FROM mutated WHERE pte IS NULL"
    " UNION ALL SELECT target, mutated.nbytes, xxh3, held.method,"
    "   iif(count(*) = 1, held.id, NULL), 1"
    "  FROM mutated JOIN held ON " MATCHES
    " GROUP BY mutated.method, target, held.method"
    " HAVING sum(held.storage = 'mutable') = 0 ORDER BY 4, 1";

/* clang-format on */

/* Whether `digest` is that of so many zeros. */
static bool is_zeros(int64_t nbytes, const char *digest)
{
    struct dg_arena memory = {0};
    struct dg_text zeros;
    void *bytes = calloc((size_t)nbytes, 1);
    bool same;

    if (!bytes)
        dg_out_of_memory();
    zeros = dg_xxh3((struct dg_bytes){bytes, (size_t)nbytes}, &memory);
    same = zeros.size == strlen(digest) && !memcmp(zeros.data, digest, zeros.size);
    dg_arena_clear(&memory);
    free(bytes);
    return same;
}

static enum dg_status look_at(const struct dg_findings *found,
                              const struct dg_rows *rows, struct dg_error *err)
{
    struct dg_finding finding = {.method = dg_rows_int(rows, 3),
                                 .value = dg_rows_int_or(rows, 4, 0)};
    struct dg_writer message = {0};
    enum dg_status status;

    if (is_zeros(dg_rows_int(rows, 1), dg_rows_text(rows, 2)))
        return DG_OK;
    dg_print(&message, "buffer ");
    dg_write_text(&message, dg_rows_slice(rows, 0));
    dg_print(&message, dg_rows_int(rows, 5)
                           ? " begins with other bytes than zeros in the program, and"
                             " the method keeps none of them"
                           : " is changed and begins with other bytes than zeros");
    finding.message = dg_written(&message);
    status = dg_find(found, &finding, err);
    dg_writer_clear(&message);
    return status;
}

enum dg_status dg_memory_initial_state(const struct dg_findings *found,
                                       struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(found->store, candidates_sql, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = look_at(found, &rows, err);
    return dg_rows_close(&rows, status, err);
}
