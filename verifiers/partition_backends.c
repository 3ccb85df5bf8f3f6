/* Names of backends in plans. */
#include <string.h>

#include "base/text.h"
#include "base/text_set.h"
#include "verifiers/partition_parts.h"

/* Those that executorch 1.5.1 has, and TensorRT's, all without "Backend" at the end. */
static const char *const backends[] = {
    "Xnnpack",    "Vulkan",  "Cuda",     "Metal",   "CoreML", "Qnn",
    "MPS",        "MLX",     "Native",   "TOSA",    "EthosU", "Vgf",
    "Neuropilot", "Neutron", "Openvino", "Cadence", "Enn",    "TensorRT",
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

static enum dg_status look_at(const struct dg_findings *found,
                              const struct dg_rows *rows, struct dg_error *err)
{
    struct dg_text backend = dg_rows_slice(rows, 0);
    struct dg_finding finding = {.graph = dg_rows_int(rows, 2)};
    struct dg_arena memory = {0};
    const char *near = is_known(backend) ? NULL : meant(backend, &memory);
    enum dg_status status = DG_OK;

    if (near) {
        finding.message = dg_format(
            &memory,
            "%s is for \"%.*s\", which is no backend of ExecuTorch; did you mean"
            " \"%s\"?",
            dg_rows_text(rows, 1), DG_SHOWN(backend), near);
        status = dg_find(found, &finding, err);
    }
    dg_arena_clear(&memory);
    return status;
}

enum dg_status dg_check_backend_known(const struct dg_findings *found,
                                      struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_text_set seen = {0};
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, found->store,
                                         "SELECT backend, tag, graph_id FROM partition"
                                         " WHERE part_run_id IN " DG_NEWEST_PLANS
                                         "   AND backend <> '' ORDER BY id",
                                         err);

    if (status)
        return status;
    while (!status && dg_rows_next(&rows)) {
        struct dg_text backend = dg_rows_slice(&rows, 0);

        if (dg_text_set_find(&seen, backend) != DG_NO_TEXT)
            continue;
        status = look_at(found, &rows, err);
        backend.data = dg_copy(&memory, backend);
        dg_text_set_add(&seen, backend);
    }
    dg_text_set_clear(&seen);
    dg_arena_clear(&memory);
    return dg_rows_close(&rows, status, err);
}
