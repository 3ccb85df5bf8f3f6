/* Names of backends: in plans, and of delegates. */
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/text_set.h"
#include "verifiers/backends.h"
#include "verifiers/partition_parts.h"

/* Those that executorch 1.5.1 has, and TensorRT's, all without "Backend" at the end. */
static const char *const backends[] = {
    "Xnnpack",  "Vulkan",  "Cuda", "Metal",    "CoreML", "Qnn",        "MPS",
    "MLX",      "Native",  "TOSA", "EthosU",   "Vgf",    "Neuropilot", "Neutron",
    "Openvino", "Cadence", "Enn",  "TensorRT", "CoreAI",
};

enum { N_BACKENDS = sizeof(backends) / sizeof(*backends) };

static struct dg_text without_suffix(struct dg_text name)
{
    static const char suffix[] = "Backend";
    size_t size = sizeof(suffix) - 1;

    if (name.size > size && !memcmp(name.data + name.size - size, suffix, size))
        name.size -= size;
    return name;
}

/* The known backend that is meant by an unknown name, or NULL. Short names are all near
 * to each other. */
static const char *meant(struct dg_text name, struct dg_arena *memory)
{
    enum { SHORTEST = 4, LONGEST = 64 };
    const char *names[2 * N_BACKENDS], *near;
    struct dg_text stem = without_suffix(name);
    size_t n = 0;

    if (stem.size < SHORTEST || stem.size > LONGEST)
        return NULL;
    for (size_t i = 0; i < N_BACKENDS; i++)
        names[n++] = backends[i];
    for (size_t i = 0; i < N_BACKENDS && stem.size == name.size; i++)
        names[n++] = dg_format(memory, "%sBackend", backends[i]).data;
    near = dg_nearest(dg_copy(memory, stem), names, n);
    if (!near)
        return NULL;
    stem = without_suffix(dg_text(near));
    return dg_format(memory, "%.*sBackend", DG_SHOWN(stem)).data;
}

static bool is_known(struct dg_text name)
{
    struct dg_text stem = without_suffix(name);
    bool known = false;

    for (size_t i = 0; i < N_BACKENDS && !known; i++)
        known = stem.size < name.size && dg_text_is(stem, backends[i]);
    return known;
}

const char *dg_backend_shipped(size_t i, struct dg_arena *memory)
{
    return i < N_BACKENDS ? dg_format(memory, "%sBackend", backends[i]).data : NULL;
}

const char *dg_backend_misspelled(struct dg_text name, struct dg_arena *memory)
{
    const char *given = dg_copy(memory, name), *whole;

    for (size_t i = 0;
         !is_known(name) && (whole = dg_backend_shipped(i, memory)) != NULL; i++) {
        if (!strcasecmp(given, backends[i]) || !strcasecmp(given, whole))
            return whole;
    }
    return NULL;
}

/* Each backend of a file once: the first tag that wants it, or its first delegate. */
static const char used[] =
    "SELECT backend, artifact_id, NULL AS method, graph_id, min(partition.id), tag AS"
    "   who, count(*) AS n, 'partitions are' AS many"
    "  FROM partition JOIN part_run ON part_run.id = part_run_id"
    " WHERE part_run_id IN " DG_NEWEST_PLANS " AND backend <> ''"
    " GROUP BY artifact_id, backend"
    " UNION ALL SELECT backend, artifact_id, method_id, NULL, min(delegate.id),"
    "   printf('delegate %lld', delegate.idx), count(*), 'delegates are'"
    "  FROM delegate JOIN method ON method.id = method_id JOIN artifact"
    "   ON artifact.id = artifact_id AND companion_of IS NULL"
    " WHERE backend <> '' AND (artifact_id, backend) NOT IN (SELECT artifact_id, "
    "backend"
    "    FROM partition JOIN part_run ON part_run.id = part_run_id"
    "   WHERE part_run_id IN " DG_NEWEST_PLANS " AND backend <> '')"
    " GROUP BY artifact_id, backend ORDER BY 2, 3, 5";

enum { BACKEND, ARTIFACT, METHOD, GRAPH, FIRST, WHO, COUNT, MANY };

static void say_who(struct dg_writer *out, const struct dg_rows *rows)
{
    if (dg_rows_int(rows, COUNT) == 1)
        dg_print(out, "%s is for ", dg_rows_text(rows, WHO));
    else
        dg_print(out, "%lld %s for ", (long long)dg_rows_int(rows, COUNT),
                 dg_rows_text(rows, MANY));
    dg_print(out, "\"");
    dg_write_text(out, dg_rows_slice(rows, BACKEND));
    dg_print(out, "\", ");
}

/* What is wrong with the backend; NULL: nothing. `given`: those that the runtime has.
 */
static const char *judge(struct dg_writer *out, const struct dg_rows *rows,
                         const struct dg_text_set *given, struct dg_arena *memory)
{
    struct dg_text backend = dg_rows_slice(rows, BACKEND);
    const char *near;

    if (given->n_texts) {
        if (dg_text_set_find(given, backend) != DG_NO_TEXT)
            return NULL;
        say_who(out, rows);
        dg_print(out, "and --backends lists only ");
        for (size_t i = 0; i < given->n_texts; i++) {
            dg_print(out, "%s", i ? ", " : "");
            dg_write_text(out, given->texts[i]);
        }
        return "error";
    }
    if (is_known(backend))
        return NULL;
    say_who(out, rows);
    near = meant(backend, memory);
    if (near)
        dg_print(out, "which is no backend of ExecuTorch; did you mean \"%s\"?", near);
    else
        dg_print(out, "which is not known here");
    return near ? "warning" : "note";
}

static enum dg_status look_at(const struct dg_findings *found,
                              const struct dg_rows *rows,
                              const struct dg_text_set *given, struct dg_error *err)
{
    struct dg_writer out = {0};
    struct dg_arena memory = {0};
    struct dg_finding finding = {.artifact = dg_rows_int(rows, ARTIFACT),
                                 .method = dg_rows_int_or(rows, METHOD, 0),
                                 .graph = dg_rows_int_or(rows, GRAPH, 0),
                                 .severity = judge(&out, rows, given, &memory)};
    enum dg_status status = DG_OK;

    finding.message = dg_written(&out);
    if (finding.severity)
        status = dg_find(found, &finding, err);
    dg_writer_clear(&out);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status read_given(const struct dg_findings *found,
                                 struct dg_text_set *given, struct dg_arena *memory,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        found->store, "SELECT value FROM setting WHERE name = 'backend'", err);

    while (dg_rows_next(&rows)) {
        struct dg_text name = dg_rows_slice(&rows, 0);

        name.data = dg_copy(memory, name);
        dg_text_set_add(given, name);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_check_backend_known(const struct dg_findings *found,
                                      struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_text_set given = {0};
    struct dg_rows rows;
    enum dg_status status = read_given(found, &given, &memory, err);

    if (!status && !(status = dg_rows_open(&rows, found->store, used, err))) {
        while (!status && dg_rows_next(&rows))
            status = look_at(found, &rows, &given, err);
        status = dg_rows_close(&rows, status, err);
    }
    dg_text_set_clear(&given);
    dg_arena_clear(&memory);
    return status;
}
