/* Delegates: their backends, compile specs and blobs, and how many calls the host
 * keeps. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "diff/finders.h"
#include "diff/inside.h"
#include "diff/waiting.h"
#include "formats/stored_tensor.h"

struct delegate {
    struct dg_text method, name, backend, digest, specs;
    int64_t id, bytes, offset, graph;
    struct dg_diff_inside *inside; /* of those whose bytes are in one program alone */
    bool matched;
};

struct delegates {
    struct delegate *items;
    size_t n_items;
};

/* As people write it, if it is that, else as SQL writes bytes. */
#define SPEC                                                                           \
    "iif(length(CAST(value AS TEXT)) = length(value) AND CAST(value AS TEXT)"          \
    "  NOT GLOB '*[^ !#-~]*', '\"' || CAST(value AS TEXT) || '\"', 'x''' || "          \
    "hex(value)"                                                                       \
    "  || '''')"

static const char delegates_sql[] =
    "SELECT method.name, coalesce(delegate.name, 'delegate ' || delegate.idx), backend,"
    "  blob_xxh3, blob_bytes, (SELECT group_concat(coalesce(key, '(no key)') ||"
    "   iif(value IS NULL, ' (no value)', '=' || " SPEC "), ' ') FROM"
    "   (SELECT key, value FROM compile_spec WHERE delegate_id = delegate.id"
    "     ORDER BY pos)), delegate.id, blob_offset, inside_id"
    " FROM delegate JOIN method ON method.id = method_id ORDER BY delegate.id";

static enum dg_status read_delegates(struct delegates *delegates,
                                     struct dg_diffing *diffing, int side,
                                     struct dg_error *err)
{
    struct dg_arena *memory = &diffing->memory;
    struct dg_rows rows =
        dg_rows_all(diffing->programs[side].store, delegates_sql, err);

    while (dg_rows_next(&rows)) {
        struct dg_text method = dg_rows_keep(memory, &rows, 0);

        if (!dg_diff_has_method(diffing, method))
            continue;
        *DG_APPEND(delegates->items, delegates->n_items) = (struct delegate){
            .method = method,
            .name = dg_rows_keep(memory, &rows, 1),
            .backend = dg_rows_keep(memory, &rows, 2),
            .digest = dg_rows_keep(memory, &rows, 3),
            .bytes = dg_rows_int_or(&rows, 4, -1),
            .specs = dg_rows_keep(memory, &rows, 5),
            .id = dg_rows_int(&rows, 6),
            .offset = dg_rows_int_or(&rows, 7, -1),
            .graph = dg_rows_int(&rows, 8),
        };
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static struct dg_difference told(const struct delegate *delegate, const char *what)
{
    return (struct dg_difference){.kind = DG_DIFF_DELEGATE,
                                  .change = DG_DIFF_CHANGED,
                                  .method = delegate->method,
                                  .what = dg_text(what),
                                  .name = delegate->name,
                                  .note = delegate->backend};
}

/* "2928 bytes, 0123456789ab" */
static struct dg_text blob_of(const struct delegate *delegate, struct dg_arena *memory)
{
    int digits = delegate->digest.size < 12 ? (int)delegate->digest.size : 12;

    if (delegate->bytes < 0)
        return dg_text("no blob");
    return dg_format(memory, "%" PRId64 " bytes%s%.*s", delegate->bytes,
                     digits ? ", " : "", digits, digits ? delegate->digest.data : "");
}

/* Keys that the blob of a delegate looks up. */
static enum dg_status read_keys(struct dg_text_set *keys, struct dg_store *store,
                                int64_t delegate, struct dg_arena *memory,
                                struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        store, "SELECT key FROM delegate_key WHERE delegate_id = ?1", delegate, err);

    while (dg_rows_next(&rows))
        dg_text_set_add(keys, dg_rows_keep(memory, &rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

/* How many bytes from `at` on belong to a key of each that lies around `at`; 0: none
 * does. Keys of XNNPACK are digests of weights: 64 letters. */
static size_t key_around(const struct dg_bytes blobs[2], size_t at,
                         const struct dg_text_set keys[2])
{
    enum { LETTERS = 64 };

    for (size_t before = 0; before < LETTERS && before <= at; before++) {
        struct dg_text names[2];

        if (at - before + LETTERS > blobs[0].size)
            continue;
        for (int s = 0; s < 2; s++)
            names[s] =
                (struct dg_text){(const char *)blobs[s].data + at - before, LETTERS};
        if (dg_text_set_find(&keys[0], names[0]) != DG_NO_TEXT &&
            dg_text_set_find(&keys[1], names[1]) != DG_NO_TEXT)
            return LETTERS - before;
    }
    return 0;
}

static bool differ_by_keys(const struct dg_bytes blobs[2],
                           const struct dg_text_set keys[2])
{
    for (size_t i = 0; i < blobs[0].size;) {
        size_t skipped = 1;

        if (blobs[0].data[i] != blobs[1].data[i])
            skipped = key_around(blobs, i, keys);
        if (!skipped)
            return false;
        i += skipped;
    }
    return true;
}

/* Whether blobs are equal but for the keys of their weights, which are digests. */
static enum dg_status only_weights(bool *only, struct dg_diffing *diffing,
                                   const struct delegate *delegates[2],
                                   struct dg_error *err)
{
    struct dg_text_set keys[2] = {0};
    struct dg_arena memory = {0};
    struct dg_bytes blobs[2];
    enum dg_status status = DG_OK;
    bool readable = delegates[0]->bytes == delegates[1]->bytes;

    for (int s = 0; s < 2 && !status; s++) {
        readable = readable && diffing->programs[s].file.data &&
                   dg_stored_bytes(diffing->programs[s].file, delegates[s]->offset,
                                   delegates[s]->bytes, &blobs[s]);
        status = read_keys(&keys[s], diffing->programs[s].store, delegates[s]->id,
                           &memory, err);
    }
    *only = !status && readable && differ_by_keys(blobs, keys);
    dg_text_set_clear(&keys[0]);
    dg_text_set_clear(&keys[1]);
    dg_arena_clear(&memory);
    return status;
}

static struct dg_text signature_of(const struct delegate *delegate)
{
    return delegate->inside ? delegate->inside->signature : (struct dg_text){0};
}

static bool are_alike_inside(const struct delegate *old, const struct delegate *new)
{
    struct dg_text signature = signature_of(old);

    return signature.data && dg_text_equal(signature, signature_of(new));
}

static enum dg_status compare_blobs(struct dg_diffing *diffing,
                                    const struct delegate *old,
                                    const struct delegate *new, struct dg_error *err)
{
    struct dg_difference difference = told(new, "blob");
    bool only = false;
    enum dg_status status;

    if (old->bytes == new->bytes && dg_text_equal(old->digest, new->digest)) {
        if (!old->digest.data && old->bytes > 0)
            dg_diff_add_unknown(diffing->diff, 0,
                                "blobs without a digest: not in the file, or a store "
                                "of load --no-hash");
        return DG_OK;
    }
    if (are_alike_inside(old, new)) {
        difference.what = dg_text("blob, not what it computes");
        difference.class = DG_DIFF_METADATAS;
    }
    status = only_weights(&only, diffing, (const struct delegate *[]){old, new}, err);
    if (only) {
        difference.what = dg_text("keys of weights");
        difference.class = DG_DIFF_WEIGHTS;
    }
    difference.old = blob_of(old, &diffing->memory);
    difference.new = blob_of(new, &diffing->memory);
    dg_diff_add(diffing->diff, &difference);
    if (old->inside && new->inside && !are_alike_inside(old, new))
        *DG_APPEND(diffing->changed_delegates, diffing->n_changed_delegates) =
            (struct dg_diff_delegates){
                {old->inside, new->inside}, new->method, new->backend};
    return status;
}

static enum dg_status compare(struct dg_diffing *diffing, const struct delegate *old,
                              const struct delegate *new, struct dg_error *err)
{
    struct dg_difference difference = told(new, "compile specs");

    if (!dg_text_equal(old->specs, new->specs)) {
        difference.old = old->specs;
        difference.new = new->specs;
        dg_diff_add(diffing->diff, &difference);
    }
    return compare_blobs(diffing, old, new, err);
}

static void add_alone(struct dg_diffing *diffing, const struct delegate *delegate,
                      int side)
{
    struct dg_difference difference = told(delegate, NULL);

    difference.change = side ? DG_DIFF_ADDED : DG_DIFF_REMOVED;
    *(side ? &difference.new : &difference.old) = blob_of(delegate, &diffing->memory);
    dg_diff_add(diffing->diff, &difference);
}

/* Delegates are one that have the same bytes, then the same inside (debug handles are
 * other bytes), then the same place in the order of those that are left. */
enum likeness { SAME_BYTES, SAME_INSIDE, SAME_ORDER };

static bool key_of(struct dg_writer *out, const struct delegate *delegate,
                   enum likeness likeness)
{
    struct dg_text own = likeness == SAME_BYTES    ? delegate->digest
                         : likeness == SAME_INSIDE ? signature_of(delegate)
                                                   : dg_text("");

    out->size = 0;
    dg_write_text(out, delegate->method);
    dg_write(out, "\x1f", 1);
    dg_write_text(out, delegate->backend);
    dg_write(out, "\x1f", 1);
    dg_write_text(out, own);
    return own.data != NULL;
}

/* What is inside of those that are left. It is read once, whoever shares it. */
static enum dg_status open_insides(struct delegates *delegates,
                                   struct dg_diffing *diffing, int side,
                                   struct dg_error *err)
{
    struct dg_text_set graphs = {0};
    struct dg_diff_inside **insides = NULL;
    size_t n_insides = 0;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < delegates->n_items && !status; i++) {
        struct delegate *delegate = &delegates->items[i];
        uint32_t number;

        if (delegate->matched || !delegate->graph)
            continue;
        number = dg_text_set_add(
            &graphs, dg_format(&diffing->memory, "%" PRId64, delegate->graph));
        if (number == n_insides) {
            status = dg_diff_inside_read(DG_APPEND(insides, n_insides), diffing, side,
                                         delegate->graph, err);
            dg_diff_inside_sign(insides[number], &diffing->memory);
        }
        delegate->inside = insides[number];
    }
    dg_text_set_clear(&graphs);
    free(insides);
    return status;
}

static enum dg_status pair(struct dg_diffing *diffing, struct delegates delegates[2],
                           enum likeness likeness, struct dg_error *err)
{
    struct dg_diff_waiting waiting = {0};
    struct dg_writer key = {0};
    enum dg_status status = DG_OK;

    for (size_t i = delegates[1].n_items; i--;) {
        if (!delegates[1].items[i].matched &&
            key_of(&key, &delegates[1].items[i], likeness))
            dg_diff_wait(&waiting, i, dg_written(&key));
    }
    for (size_t i = 0; i < delegates[0].n_items && !status; i++) {
        struct delegate *old = &delegates[0].items[i];
        size_t taken = 0;

        if (!old->matched && key_of(&key, old, likeness))
            taken = dg_diff_take(&waiting, dg_written(&key));
        if (!taken)
            continue;
        old->matched = delegates[1].items[taken - 1].matched = true;
        status = compare(diffing, old, &delegates[1].items[taken - 1], err);
    }
    dg_writer_clear(&key);
    dg_diff_waiting_clear(&waiting);
    return status;
}

/* Calls of a method of a .pte: kernels, and delegates. */
struct calls {
    int64_t kernels, delegates;
};

static void count_calls(struct calls *calls, const struct dg_diffing *diffing, int s)
{
    const struct dg_diff_side *side = &diffing->sides[s];

    for (uint32_t i = 0; i < side->n_nodes; i++) {
        uint32_t graph = side->model->nodes[i].graph, method;

        if (!side->nodes[i].place)
            continue;
        method = dg_text_set_find(&diffing->methods, side->graphs[graph - 1].method);
        if (method == DG_NO_TEXT)
            continue;
        calls[method].kernels += side->nodes[i].kind == DG_NODE_KERNEL_CALL;
        calls[method].delegates += side->nodes[i].kind == DG_NODE_DELEGATE_CALL;
    }
}

static struct dg_text calls_text(const struct calls *calls, struct dg_arena *memory)
{
    return dg_format(memory, "%" PRId64 " kernel calls, %" PRId64 " of delegates",
                     calls->kernels, calls->delegates);
}

static void compare_calls(struct dg_diffing *diffing)
{
    size_t n = diffing->methods.n_texts;
    struct calls *calls[2];

    for (int s = 0; s < 2; s++) {
        calls[s] = dg_alloc(&diffing->memory, n, sizeof(**calls));
        count_calls(calls[s], diffing, s);
    }
    for (size_t i = 0; i < n; i++) {
        struct dg_difference difference = {.kind = DG_DIFF_DELEGATE,
                                           .change = DG_DIFF_MOVED,
                                           .method = diffing->methods.texts[i],
                                           .what = dg_text("calls")};

        if (calls[0][i].delegates == calls[1][i].delegates)
            continue;
        difference.old = calls_text(&calls[0][i], &diffing->memory);
        difference.new = calls_text(&calls[1][i], &diffing->memory);
        dg_diff_add(diffing->diff, &difference);
    }
}

enum dg_status dg_diff_delegates(struct dg_diffing *diffing, struct dg_error *err)
{
    struct delegates delegates[2] = {0};
    enum dg_status status = DG_OK;

    for (int s = 0; s < 2 && !status; s++)
        status = read_delegates(&delegates[s], diffing, s, err);
    if (!status)
        status = pair(diffing, delegates, SAME_BYTES, err);
    for (int s = 0; s < 2 && !status; s++)
        status = open_insides(&delegates[s], diffing, s, err);
    if (!status)
        status = pair(diffing, delegates, SAME_INSIDE, err);
    if (!status)
        status = pair(diffing, delegates, SAME_ORDER, err);
    for (int s = 0; s < 2 && !status; s++) {
        for (size_t i = 0; i < delegates[s].n_items; i++) {
            if (!delegates[s].items[i].matched)
                add_alone(diffing, &delegates[s].items[i], s);
        }
    }
    if (!status && diffing->sides[0].is_pte)
        compare_calls(diffing);
    free(delegates[0].items);
    free(delegates[1].items);
    return status;
}
