/* Looking for the weights of a program in the bytes of a .pte. */
#include "formats/weight_search.h"

#include <stdlib.h>

#include "base/dtype.h"
#include "base/number.h"
#include "base/sorted.h"

enum {
    LEAST_BYTES = 16, /* of fewer bytes chance would find some */
    ANCHOR_BYTES = 8,
    FILTER_BITS = 16,
    STEP = 256,  /* bytes that are compared at once */
    EFFORT = 16, /* bytes that are compared for each one of a blob, at most */
};

struct weight {
    struct dg_constant_row *row;
    const struct dg_dtype *dtype;
    size_t element; /* bytes */
    uint64_t sum;
    uint64_t anchor; /* what stands at `anchor_at` */
    size_t anchor_at;
};

struct search {
    struct weight *weights;
    size_t n_weights, n_missing;
    unsigned elements; /* a bit for each size of element */
    size_t widening;   /* how many times its bytes a tensor has that is a weight */
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

static bool is_missing(const struct weight *weight)
{
    return *weight->row->found == 'n';
}

/* Trivial ones are not looked for, but a tensor that is one is known. */
static void add_weight(struct search *search, struct dg_constant_row *row,
                       const struct dg_dtype *dtype)
{
    struct weight *weight = DG_APPEND(search->weights, search->n_weights);
    size_t at = 0, size = row->bytes.size;

    *weight = (struct weight){.row = row,
                              .dtype = dtype,
                              .element = dtype->bytes < 8 ? (size_t)dtype->bytes : 8,
                              .anchor = UINT64_MAX}; /* as few blobs have it */
    weight->sum = sum_elements(row->bytes, weight->element);
    search->elements |= 1U << weight->element;
    if (size < LEAST_BYTES || !find_change(row->bytes, weight->element, &at))
        row->found = "trivial";
    if (row->found)
        return;
    row->found = "no";
    search->n_missing++;
    weight->anchor_at = at < size - ANCHOR_BYTES ? at : size - ANCHOR_BYTES;
    weight->anchor = load(row->bytes.data + weight->anchor_at, ANCHOR_BYTES);
}

static void collect(struct search *search, struct dg_program *program)
{
    for (size_t i = 0; i < program->n_constants; i++) {
        struct dg_constant_row *row = &program->constants[i];
        const struct dg_dtype *dtype =
            row->dtype ? dg_dtype_of_name(dg_text(row->dtype)) : NULL;

        if (row->bytes.data && dtype && dtype->bytes)
            add_weight(search, row, dtype);
    }
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

static int compare_classes(const void *left, const void *right)
{
    const struct weight *a = left, *b = right;
    int order = COMPARE(a->row->bytes.size, b->row->bytes.size);

    if (!order)
        order = COMPARE((uintptr_t)a->dtype, (uintptr_t)b->dtype);
    return order ? order : COMPARE(a->sum, b->sum);
}

static int compare_anchors(const void *left, const void *right)
{
    return COMPARE(((const struct weight *)left)->anchor,
                   ((const struct weight *)right)->anchor);
}

/* The first weight that is not less than `key`. */
static struct weight *first(const struct search *search, const struct weight *key,
                            dg_compare_fn *compare)
{
    return search->weights +
           DG_SORTED_BEFORE(search->weights, search->n_weights, key, compare);
}

/* Those of one sum are found together, and seen once. */
static void find_tensor(struct search *search, struct dg_searched *place,
                        size_t element)
{
    const struct weight *end = search->weights + search->n_weights;
    struct dg_bytes bytes = place->bytes;
    struct dg_constant_row row = {.bytes.size = bytes.size / search->widening};
    struct weight key = {.row = &row, .element = element}, *weight;

    weight = first(search, &key, compare_sums);
    if (weight == end || weight->row->bytes.size * search->widening != bytes.size ||
        weight->element != element)
        return;
    key.sum = sum_elements(bytes, element);
    weight = first(search, &key, compare_sums);
    if (weight < end && !compare_sums(weight, &key))
        place->known = true;
    for (; weight < end && !compare_sums(weight, &key) && is_missing(weight); weight++)
        find(search, weight, "whole");
}

static void find_tensors(struct search *search, struct dg_searched *places,
                         size_t n_places)
{
    dg_sort(search->weights, search->n_weights, sizeof(*search->weights), compare_sums);
    for (size_t i = 0; i < n_places; i++) {
        for (size_t element = 1; element <= 8 && places[i].tensor; element *= 2) {
            if (search->elements & 1U << element)
                find_tensor(search, &places[i], element);
        }
    }
}

static uint64_t sum_widened(struct dg_bytes halves)
{
    uint64_t sum = 0;

    for (size_t at = 0; at + 2 <= halves.size; at += 2) {
        float value = dg_f16_value((uint16_t)load(halves.data + at, 2));

        sum += mix(load((const uint8_t *)&value, sizeof(value)) + 1);
    }
    return sum;
}

/* XNNPACK stores weights of f16 as f32, bit for bit what these halves are. */
static void find_widened(struct search *search, struct dg_searched *places,
                         size_t n_places)
{
    struct search wide = {.elements = 1U << sizeof(float), .widening = 2};

    for (size_t i = 0; i < search->n_weights; i++) {
        const struct weight *weight = &search->weights[i];

        if (is_missing(weight) && weight->dtype == dg_dtype_of_name(dg_text("f16")))
            *DG_APPEND(wide.weights, wide.n_weights) =
                (struct weight){.row = weight->row,
                                .element = sizeof(float),
                                .sum = sum_widened(weight->row->bytes)};
    }
    wide.n_missing = wide.n_weights;
    if (wide.n_weights)
        find_tensors(&wide, places, n_places);
    search->n_missing -= wide.n_weights - wide.n_missing;
    free(wide.weights);
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

static void find_at(struct search *search, struct dg_searched *place, size_t at,
                    uint64_t *effort)
{
    struct dg_bytes blob = place->bytes;
    const struct weight key = {.anchor = load(blob.data + at, ANCHOR_BYTES)};
    const struct weight *end = search->weights + search->n_weights;

    for (struct weight *weight = first(search, &key, compare_anchors);
         weight < end && weight->anchor == key.anchor && *effort; weight++) {
        struct dg_bytes bytes = weight->row->bytes;

        --*effort;
        if (is_missing(weight) && at >= weight->anchor_at &&
            dg_inside(at - weight->anchor_at, bytes.size, blob.size) &&
            equal(blob.data + at - weight->anchor_at, bytes.data, bytes.size, effort)) {
            find(search, weight, "inside");
            place->known = true;
        }
    }
}

static void search_blob(struct search *search, struct dg_searched *place)
{
    struct dg_bytes blob = place->bytes;
    uint64_t effort = blob.size <= UINT64_MAX / EFFORT ? EFFORT * blob.size : 0;

    for (size_t at = 0; at + ANCHOR_BYTES <= blob.size && search->n_missing && effort;
         at++) {
        uint64_t bit = filter_bit(load(blob.data + at, ANCHOR_BYTES));

        if (search->filter[bit / 64] >> bit % 64 & 1)
            find_at(search, place, at, &effort);
    }
}

static void search_blobs(struct search *search, struct dg_searched *places,
                         size_t n_places)
{
    dg_sort(search->weights, search->n_weights, sizeof(*search->weights),
            compare_anchors);
    for (size_t i = 0; i < search->n_weights; i++) {
        uint64_t bit = filter_bit(search->weights[i].anchor);

        if (!is_missing(&search->weights[i]))
            continue;
        search->filter[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    for (size_t i = 0; i < n_places; i++) {
        if (places[i].blob)
            search_blob(search, &places[i]);
    }
}

static int compare_places(const void *left, const void *right)
{
    const struct dg_searched *a = left, *b = right;
    int order = COMPARE(a->tensor, b->tensor);

    if (!order)
        order = COMPARE(a->bytes.size, b->bytes.size);
    return order ? order : COMPARE((uintptr_t)a->dtype, (uintptr_t)b->dtype);
}

/* What stands for missing weights of a type and size. */
struct stand_ins {
    size_t n_others; /* tensors that are no weight of the program */
    bool uniform;    /* a tensor of equal elements, whether it is one or not */
};

static void add_stand_ins(struct stand_ins *found, const struct dg_searched *places,
                          size_t n_places, const struct dg_searched *key)
{
    size_t low = DG_SORTED_BEFORE(places, n_places, key, compare_places);
    size_t element = key->dtype ? key->dtype->bytes : 4, at;

    for (; low < n_places && !compare_places(&places[low], key); low++) {
        found->n_others += !places[low].known;
        found->uniform =
            found->uniform || !find_change(places[low].bytes, element, &at);
    }
}

static struct stand_ins find_stand_ins(const struct weight *weight,
                                       const struct dg_searched *places,
                                       size_t n_places)
{
    struct stand_ins found = {0};
    struct dg_searched key = {.bytes.size = weight->row->bytes.size, .tensor = true};

    add_stand_ins(&found, places, n_places, &key);
    key.dtype = weight->dtype;
    add_stand_ins(&found, places, n_places, &key);
    return found;
}

static void find_others(struct search *search, struct dg_searched *places,
                        size_t n_places)
{
    const struct weight *before = NULL, *end = search->weights + search->n_weights;
    struct stand_ins left = {0};

    dg_sort(search->weights, search->n_weights, sizeof(*search->weights),
            compare_classes);
    dg_sort(places, n_places, sizeof(*places), compare_places);
    for (struct weight *weight = search->weights; weight < end; before = weight++) {
        bool same = before && before->dtype == weight->dtype &&
                    before->row->bytes.size == weight->row->bytes.size;

        if (!same)
            left = find_stand_ins(weight, places, n_places);
        if (!is_missing(weight))
            continue;
        if (same && before->sum == weight->sum)
            weight->row->found = before->row->found;
        else if (left.n_others && left.n_others--)
            weight->row->found = "other";
        else if (left.uniform)
            weight->row->found = "uniform";
    }
}

void dg_find_weights(struct dg_program *program, struct dg_searched *places,
                     size_t n_places)
{
    struct search search = {.widening = 1};

    collect(&search, program);
    if (search.n_missing) {
        find_tensors(&search, places, n_places);
        find_widened(&search, places, n_places);
        search_blobs(&search, places, n_places);
        find_others(&search, places, n_places);
    }
    free(search.weights);
}
