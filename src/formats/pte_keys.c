/* The keys of named data that delegates look up, for backends whose blobs say them. */
#include <inttypes.h>
#include <string.h>

#include "base/dtype.h"
#include "base/text.h"
#include "formats/pte.h"

/* Delegates may share a blob, and a blob its strings: what all of them cost is bounded
 * by the file. */
enum { KEY_COST = 16, LEAST_BUDGET = 1 << 30 };

static bool spend(struct dg_pte *pte, uint64_t cost)
{
    uint64_t budget = 16 * (uint64_t)pte->file.size + LEAST_BUDGET;

    if (cost > budget - pte->key_cost) {
        if (pte->key_cost < budget)
            dg_remark(pte->program, "format/lists-repeated",
                      "delegates name so many keys that some were left out");
        pte->key_cost = budget;
        return false;
    }
    pte->key_cost += cost;
    return true;
}

/* Keys are compared with those of named data, so they are spelt alike. */
static void add_key(struct dg_pte *pte, int64_t delegate, int64_t pos,
                    struct dg_text key, const char *kind, uint64_t nbytes)
{
    struct dg_delegate_key_row *row;

    if (!spend(pte, (key.size + KEY_COST) * 64))
        return;
    row = dg_add_delegate_key(pte->program);
    row->delegate = delegate;
    row->pos = pos;
    row->key = dg_pte_utf8(pte->program, key);
    row->kind = kind;
    if (nbytes <= INT64_MAX)
        row->nbytes = (int64_t)nbytes;
}

/* Of a blob that was read. */
static void copy_keys(struct dg_pte *pte, int64_t delegate,
                      const struct dg_delegate_graph_row *graph)
{
    if (!spend(pte, graph->n_constants * KEY_COST))
        return;
    for (size_t i = 0; i < graph->n_constants; i++) {
        const struct dg_delegate_constant_row *constant =
            &pte->program->delegate_constants[graph->first_constant + i];

        if (constant->key.size)
            add_key(pte, delegate, constant->idx, constant->key, "weights",
                    (uint64_t)constant->nbytes);
    }
}

/* Bytes that are taken off the front of a payload. */
struct payload {
    struct dg_bytes rest;
    bool cut_off;
};

static const uint8_t *take(struct payload *payload, uint64_t size)
{
    const uint8_t *at = payload->rest.data;

    if (payload->cut_off || size > payload->rest.size) {
        payload->cut_off = true;
        return NULL;
    }
    payload->rest = dg_slice(payload->rest, (size_t)size, payload->rest.size - size);
    return at;
}

static uint32_t take_u32(struct payload *payload)
{
    const uint8_t *at = take(payload, 4);

    return at ? dg_u32(at) : 0;
}

static struct dg_text take_text(struct payload *payload)
{
    uint32_t size = take_u32(payload);
    const uint8_t *at = take(payload, size);

    return (struct dg_text){(const char *)at, at ? size : 0};
}

static void malformed(struct dg_pte *pte, int64_t delegate, const char *what)
{
    const struct dg_delegate_row *row = &pte->program->delegates[delegate];

    dg_remark(pte->program, "data/aoti-key-format",
              "the payload of delegate %lld (%.*s) %s", (long long)row->idx,
              (int)row->backend.size, row->backend.data, what)
        ->method = row->method;
}

/* One weight: its name in the program, its key, and how it lies in those bytes
 * (backends/cuda/cuda_weight_collector.py). */
struct weight {
    struct dg_text fqn, key;
    uint64_t nbytes, offset;
    int32_t dtype;
    uint32_t rank;
    const uint8_t *sizes; /* then strides, of 8 bytes each; NULL: there are none */
};

static bool take_weight(struct payload *payload, struct weight *weight)
{
    const uint8_t *at;

    weight->fqn = take_text(payload);
    weight->key = take_text(payload);
    at = take(payload, 8 + 4 + 4 + 8);
    if (at) {
        weight->nbytes = dg_u64(at);
        weight->dtype = (int32_t)dg_u32(at + 8);
        weight->offset = dg_u64(at + 16);
    }
    weight->rank = take_u32(payload);
    weight->sizes = take(payload, (uint64_t)weight->rank * 2 * 8);
    return !payload->cut_off;
}

static void read_weight_list(struct dg_pte *pte, int64_t delegate,
                             struct payload payload)
{
    struct dg_text library = take_text(&payload);
    uint32_t n = take_u32(&payload);
    struct weight weight;

    if (!payload.cut_off)
        add_key(pte, delegate, 0, library, "library", UINT64_MAX);
    for (uint32_t i = 0; i < n && !payload.cut_off; i++) {
        if (take_weight(&payload, &weight))
            add_key(pte, delegate, (int64_t)i + 1, weight.key, "weights",
                    weight.nbytes);
    }
    if (payload.cut_off)
        malformed(pte, delegate, "ends in the middle of its list of weights");
}

static void read_two_lines(struct dg_pte *pte, int64_t delegate, struct dg_bytes blob)
{
    const char *text = (const char *)blob.data, *end = memchr(text, '\n', blob.size);
    size_t size = end ? (size_t)(end - text) : 0;

    if (!end) {
        malformed(pte, delegate, "has no newline between two keys");
        return;
    }
    add_key(pte, delegate, 0, (struct dg_text){text, size}, "library", UINT64_MAX);
    add_key(pte, delegate, 1, (struct dg_text){end + 1, blob.size - size - 1},
            "weights", UINT64_MAX);
}

/* The runtime takes the last spec of a key. */
static struct dg_text method_name(const struct dg_program *program, int64_t delegate)
{
    for (size_t i = program->n_compile_specs; i-- > 0;) {
        const struct dg_compile_spec_row *spec = &program->compile_specs[i];

        if (spec->delegate != delegate)
            break;
        if (dg_text_is(spec->key, "method_name"))
            return (struct dg_text){(const char *)spec->value.data, spec->value.size};
    }
    return (struct dg_text){0};
}

static struct dg_text join(struct dg_pte *pte, struct dg_text text, const char *end)
{
    size_t size = strlen(end);
    char *joined = dg_alloc(&pte->program->memory, text.size + size + 1, 1);

    memcpy(joined, text.data, text.size);
    memcpy(joined + text.size, end, size);
    return (struct dg_text){joined, text.size + size};
}

/* Before there were payloads, keys were made from the name of the method. */
static void make_keys(struct dg_pte *pte, int64_t delegate)
{
    struct dg_text method = method_name(pte->program, delegate);

    if (!method.size) {
        add_key(pte, delegate, 0, dg_text("so_blob"), "library", UINT64_MAX);
        return;
    }
    add_key(pte, delegate, 0, join(pte, method, "_so_blob"), "library", UINT64_MAX);
    add_key(pte, delegate, 1, join(pte, method, "_weights_blob"), "weights",
            UINT64_MAX);
}

static const char magic[] = "ETCUDAFQN";
enum { GENERATION_AT = sizeof(magic) - 1, MAGIC_BYTES };

static bool lists_weights(struct dg_bytes blob)
{
    return blob.size >= MAGIC_BYTES && !memcmp(blob.data, magic, GENERATION_AT);
}

static struct payload list_of(struct dg_bytes blob)
{
    return (struct payload){dg_slice(blob, MAGIC_BYTES, blob.size - MAGIC_BYTES),
                            false};
}

static void read_payload(struct dg_pte *pte, int64_t delegate)
{
    struct dg_bytes blob = pte->program->delegates[delegate].blob;

    if (pte->program->delegates[delegate].blob_bytes == 0)
        make_keys(pte, delegate);
    else if (!lists_weights(blob))
        read_two_lines(pte, delegate, blob);
    else if (blob.data[GENERATION_AT] == '3')
        read_weight_list(pte, delegate, list_of(blob));
    else
        dg_remark(pte->program, "format/unknown-field",
                  "the payload of delegate %lld is of generation %c of CUDA weights;"
                  " 3 is known here",
                  (long long)pte->program->delegates[delegate].idx,
                  blob.data[GENERATION_AT]);
}

void dg_pte_read_keys(struct dg_pte *pte, int64_t delegate)
{
    const struct dg_delegate_row *row = &pte->program->delegates[delegate];

    if (!row->blob.data && row->blob_bytes)
        return;
    if (row->inside != DG_NONE)
        copy_keys(pte, delegate, &pte->program->delegate_graphs[row->inside]);
    else if (dg_text_is(row->backend, "CudaBackend") ||
             dg_text_is(row->backend, "MetalBackend"))
        read_payload(pte, delegate);
}

static struct dg_text sizes_of(struct dg_program *program, const struct weight *weight,
                               size_t from)
{
    struct dg_writer out = {0};

    for (uint32_t i = 0; i < weight->rank; i++)
        dg_print(&out, "%s%" PRId64, i ? "," : "[",
                 (int64_t)dg_u64(weight->sizes + 8 * (from + i)));
    dg_print(&out, weight->rank ? "]" : "[]");
    return dg_keep(&program->memory, &out);
}

static void add_constant(struct dg_pte *pte, int64_t library, int64_t idx,
                         const struct weight *weight)
{
    struct dg_program *program = pte->program;
    const struct dg_dtype *dtype = dg_dtype_of_c10(weight->dtype);
    struct dg_library_constant_row *row;

    if (!spend(pte, (weight->fqn.size + weight->rank * 16 + KEY_COST) * 64))
        return;
    row = dg_add_library_constant(program);
    row->library = library;
    row->idx = idx;
    row->name = dg_pte_utf8(program, weight->fqn);
    row->fqn = row->name;
    row->dtype = dtype ? dtype->name : NULL;
    row->shape = sizes_of(program, weight, 0);
    row->strides = sizes_of(program, weight, weight->rank);
    row->offset = weight->offset <= INT64_MAX ? (int64_t)weight->offset : DG_NONE;
    row->nbytes = weight->nbytes <= INT64_MAX ? (int64_t)weight->nbytes : DG_NONE;
}

/* The constants of a library, once: delegates may share it. */
static void list_constants(struct dg_pte *pte, struct dg_text_set *libraries,
                           bool *listed, struct dg_bytes blob)
{
    struct payload payload = list_of(blob);
    uint32_t library =
        dg_text_set_find(libraries, dg_pte_utf8(pte->program, take_text(&payload)));
    uint32_t n = take_u32(&payload);
    struct weight weight;

    if (library == DG_NO_TEXT || listed[library])
        return;
    listed[library] = true;
    for (uint32_t i = 0; i < n && take_weight(&payload, &weight); i++)
        add_constant(pte, library, i, &weight);
}

void dg_pte_list_constants(struct dg_pte *pte)
{
    struct dg_program *program = pte->program;
    struct dg_text_set libraries = {0};
    struct dg_arena memory = {0};
    bool *listed = dg_alloc(&memory, program->n_libraries + 1, sizeof(*listed));
    bool distinct = true;

    for (size_t i = 0; i < program->n_libraries; i++)
        distinct =
            distinct && dg_text_set_add(&libraries, program->libraries[i].name) == i;
    for (size_t i = 0; i < program->n_delegates && distinct && program->n_libraries;
         i++) {
        const struct dg_delegate_row *delegate = &program->delegates[i];

        if (dg_text_is(delegate->backend, "CudaBackend") &&
            lists_weights(delegate->blob) && delegate->blob.data[GENERATION_AT] == '3')
            list_constants(pte, &libraries, listed, delegate->blob);
    }
    dg_text_set_clear(&libraries);
    dg_arena_clear(&memory);
}
