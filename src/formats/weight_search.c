/* Looking for the weights of a program in the bytes of a .pte. */
#include "formats/weight_search.h"

#include <stdlib.h>

#include "base/dtype.h"

enum {
    LEAST_BYTES = 16, /* of fewer bytes chance would find some */
    ANCHOR_BYTES = 8,
    FILTER_BITS = 16,
    STEP = 256,  /* bytes that are compared at once */
    EFFORT = 16, /* bytes that are compared for each one of a blob, at most */
};

struct weight {
    struct dg_constant_row *row;
    size_t element; /* bytes */
    uint64_t sum;
    uint64_t anchor; /* what stands at `anchor_at` */
    size_t anchor_at;
};

struct search {
    struct weight *weights;
    size_t n_weights, n_missing;
    unsigned elements; /* a bit for each size of element */
    uint64_t filter[(1 << FILTER_BITS) / 64];
};

static uint64_t load(const uint8_t *at, size_t size)
{
    uint64_t bits = 0;

    memcpy(&bits, at, size);
    return bits;
}

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 33) * UINT64_C(0xff51afd7ed558ccd);
    bits = (bits ^ bits >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return bits ^ bits >> 33;
}

/* Lowering transposes weights: the sum is the same in any order. */
static uint64_t sum_elements(struct dg_bytes bytes, size_t element)
{
    uint64_t sum = 0;

    for (size_t at = 0; at + element <= bytes.size; at += element)
        sum += mix(load(bytes.data + at, element) + 1);
    return sum;
}

/* Where the first two elements lie that differ; false: all are equal. */
static bool find_change(struct dg_bytes bytes, size_t element, size_t *at)
{
    for (*at = 0; *at + 2 * element <= bytes.size; *at += element) {
        if (memcmp(bytes.data + *at, bytes.data + *at + element, element) != 0)
            return true;
    }
    return false;
}

static size_t element_bytes(const struct dg_constant_row *row)
{
    const struct dg_dtype *dtype =
        row->dtype ? dg_dtype_of_name(dg_text(row->dtype)) : NULL;

    if (!dtype || !dtype->bytes)
        return 0;
    return dtype->bytes < 8 ? (size_t)dtype->bytes : 8;
}

static void collect(struct search *search, struct dg_program *program)
{
    for (size_t i = 0; i < program->n_constants; i++) {
        struct dg_constant_row *row = &program->constants[i];
        size_t element = element_bytes(row), at;
        struct weight *weight;

        if (!row->bytes.data || !element)
            continue;
        row->found = "trivial";
        if (row->bytes.size < LEAST_BYTES || !find_change(row->bytes, element, &at))
            continue;
        row->found = "no";
        if (at > row->bytes.size - ANCHOR_BYTES)
            at = row->bytes.size - ANCHOR_BYTES;
        weight = DG_APPEND(search->weights, search->n_weights);
        *weight = (struct weight){row, element, sum_elements(row->bytes, element),
                                  load(row->bytes.data + at, ANCHOR_BYTES), at};
        search->elements |= 1U << element;
    }
    search->n_missing = search->n_weights;
}

static bool is_missing(const struct weight *weight)
{
    return *weight->row->found == 'n';
}

static void find(struct search *search, struct weight *weight, const char *where)
{
    weight->row->found = where;
    search->n_missing--;
}

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_sums(const void *left, const void *right)
{
    const struct weight *a = left, *b = right;
    int order = COMPARE(a->row->bytes.size, b->row->bytes.size);

    if (!order)
        order = COMPARE(a->element, b->element);
    return order ? order : COMPARE(a->sum, b->sum);
}

static int compare_anchors(const void *left, const void *right)
{
    return COMPARE(((const struct weight *)left)->anchor,
                   ((const struct weight *)right)->anchor);
}

/* The first weight that is not less than `key`. */
static struct weight *first(const struct search *search, const struct weight *key,
                            int (*compare)(const void *, const void *))
{
    size_t low = 0, high = search->n_weights;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(&search->weights[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return &search->weights[low];
}

/* Those of one sum are found together, and seen once. */
static void find_tensor(struct search *search, struct dg_bytes bytes, size_t element)
{
    const struct weight *end = search->weights + search->n_weights;
    struct dg_constant_row row = {.bytes = bytes};
    struct weight key = {.row = &row, .element = element}, *weight;

    weight = first(search, &key, compare_sums);
    if (weight == end || weight->row->bytes.size != bytes.size ||
        weight->element != element)
        return;
    key.sum = sum_elements(bytes, element);
    weight = first(search, &key, compare_sums);
    for (; weight < end && !compare_sums(weight, &key) && is_missing(weight); weight++)
        find(search, weight, "whole");
}

static void find_tensors(struct search *search, const struct dg_searched *places,
                         size_t n_places)
{
    qsort(search->weights, search->n_weights, sizeof(*search->weights), compare_sums);
    for (size_t i = 0; i < n_places; i++) {
        for (size_t element = 1; element <= 8 && places[i].tensor; element *= 2) {
            if (search->elements & 1U << element)
                find_tensor(search, places[i].bytes, element);
        }
    }
}

/* Whether the bytes are equal; what that took is taken from *effort. */
static bool equal(const uint8_t *a, const uint8_t *b, size_t size, uint64_t *effort)
{
    for (size_t at = 0; at < size; at += STEP) {
        size_t n = size - at < STEP ? size - at : STEP;

        if (*effort < n)
            return false;
        *effort -= n;
        if (memcmp(a + at, b + at, n) != 0)
            return false;
    }
    return true;
}

static uint64_t filter_bit(uint64_t anchor)
{
    return anchor * UINT64_C(0x9e3779b97f4a7c15) >> (64 - FILTER_BITS);
}

static void find_at(struct search *search, struct dg_bytes blob, size_t at,
                    uint64_t *effort)
{
    const struct weight key = {.anchor = load(blob.data + at, ANCHOR_BYTES)};
    const struct weight *end = search->weights + search->n_weights;

    for (struct weight *weight = first(search, &key, compare_anchors);
         weight < end && weight->anchor == key.anchor && *effort; weight++) {
        struct dg_bytes bytes = weight->row->bytes;

        --*effort;
        if (is_missing(weight) && at >= weight->anchor_at &&
            dg_inside(at - weight->anchor_at, bytes.size, blob.size) &&
            equal(blob.data + at - weight->anchor_at, bytes.data, bytes.size, effort))
            find(search, weight, "inside");
    }
}

static void search_blob(struct search *search, struct dg_bytes blob)
{
    uint64_t effort = blob.size <= UINT64_MAX / EFFORT ? EFFORT * blob.size : 0;

    for (size_t at = 0; at + ANCHOR_BYTES <= blob.size && search->n_missing && effort;
         at++) {
        uint64_t bit = filter_bit(load(blob.data + at, ANCHOR_BYTES));

        if (search->filter[bit / 64] >> bit % 64 & 1)
            find_at(search, blob, at, &effort);
    }
}

static void search_blobs(struct search *search, const struct dg_searched *places,
                         size_t n_places)
{
    qsort(search->weights, search->n_weights, sizeof(*search->weights),
          compare_anchors);
    for (size_t i = 0; i < search->n_weights; i++) {
        uint64_t bit = filter_bit(search->weights[i].anchor);

        search->filter[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    for (size_t i = 0; i < n_places; i++) {
        if (places[i].blob)
            search_blob(search, places[i].bytes);
    }
}

void dg_find_weights(struct dg_program *program, const struct dg_searched *places,
                     size_t n_places)
{
    struct search search = {0};

    collect(&search, program);
    if (search.n_weights) {
        find_tensors(&search, places, n_places);
        search_blobs(&search, places, n_places);
    }
    free(search.weights);
}
