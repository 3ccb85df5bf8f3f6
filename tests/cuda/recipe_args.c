/* Arguments of a recipe: tensors of random or special numbers in several layouts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/line.h"
#include "tests/cuda/recipes.h"

struct maker {
    const char *at;
    const struct variant *variant;
    uint64_t state;
};

static uint64_t next(struct maker *maker)
{
    uint64_t x = maker->state += 0x9e3779b97f4a7c15;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static double uniform(struct maker *maker)
{
    return (double)(next(maker) >> 11) * 0x1p-53;
}

static void fail(const struct maker *maker)
{
    fprintf(stderr, "a recipe goes on with: %s\n", maker->at);
    abort();
}

static double number(struct maker *maker, char kind, enum dg_type type, int64_t limit,
                     int64_t i)
{
    static const double special[] = {NAN,   INFINITY, -INFINITY, 0,  -0.0,
                                     1e-40, -1e-7,    1,         -1, 2.5};
    double x;

    if (kind == 'I')
        return (double)((int64_t)(next(maker) % (uint64_t)(2 * limit)) - limit);
    if (kind == 'J')
        return (double)(next(maker) % (uint64_t)limit);
    if (kind == 'Q')
        return (double)((i * 7 + 3) % limit);
    if (type == DG_TYPE_BOOL)
        return next(maker) & 1;
    if (type == DG_TYPE_U8)
        return (double)(next(maker) % 7);
    if (!dg_type_is_float(type))
        return (double)(int64_t)(next(maker) % 15) - 7;
    if (maker->variant->special && next(maker) % 4 == 0 && kind != 'P')
        return special[next(maker) % (sizeof(special) / sizeof(*special))];
    x = uniform(maker) + uniform(maker) + uniform(maker) - 1.5;
    return kind == 'P' ? fabs(x) + 0.1 : 2 * x;
}

static int64_t integer(struct maker *maker)
{
    char *end;
    int64_t value = strtoll(maker->at, &end, 10);

    if (end == maker->at)
        fail(maker);
    maker->at = end;
    return value;
}

/* "[2,3]" */
static int shape(struct maker *maker, int64_t *sizes)
{
    int rank = 0;

    if (*maker->at++ != '[')
        fail(maker);
    while (*maker->at != ']') {
        sizes[rank++] = integer(maker);
        maker->at += *maker->at == ',';
    }
    maker->at++;
    return rank;
}

/* Dense, or a view of a larger tensor whose dimensions lie the other way round. */
static struct dg_tensor *laid_out(const struct maker *maker, enum dg_type type,
                                  int rank, const int64_t *sizes)
{
    int64_t outer[DG_RANK_MOST], strides[DG_RANK_MOST], offset = 0;
    bool sliced = maker->variant->layout == LAYOUT_SLICED;
    struct dg_tensor *base, *view;
    struct dg_error err = {0};

    if (maker->variant->layout == LAYOUT_DENSE || !rank)
        return dg_tensor_new(&dg_host_memory, type, rank, sizes, &err);
    for (int d = 0; d < rank; d++)
        outer[d] = sliced ? 2 * sizes[d] + 1 : sizes[rank - 1 - d];
    base = dg_tensor_new(&dg_host_memory, type, rank, outer, &err);
    memset(dg_tensor_data(base), 0, base->storage->size);
    for (int d = 0; d < rank; d++) {
        strides[d] = sliced ? 2 * base->strides[d] : base->strides[rank - 1 - d];
        offset += sliced && sizes[d] ? base->strides[d] : 0;
    }
    view = dg_tensor_view(base, rank, sizes, strides, offset);
    dg_tensor_drop(base);
    return view;
}

static int64_t offset_of(const struct dg_tensor *tensor, int64_t index)
{
    int64_t offset = 0;

    for (int d = tensor->rank - 1; d >= 0; d--) {
        offset += index % tensor->sizes[d] * tensor->strides[d];
        index /= tensor->sizes[d];
    }
    return offset;
}

static struct dg_arg tensor(struct maker *maker)
{
    char kind = *maker->at++;
    enum dg_type type = kind == 'B'           ? DG_TYPE_BOOL
                        : kind == 'S'         ? DG_TYPE_F32
                        : strchr("IJQ", kind) ? DG_TYPE_I64
                                              : maker->variant->type;
    int64_t sizes[DG_RANK_MOST], limit = 1;
    int rank = shape(maker, sizes);
    struct dg_tensor *made = laid_out(maker, type, rank, sizes);
    struct dg_arg arg = {DG_ARG_TENSOR, {.tensor = made}};

    if (*maker->at == '<') {
        maker->at++;
        limit = integer(maker);
    }
    for (int64_t i = 0; i < dg_tensor_count(made); i++) {
        double value = number(maker, kind, type, limit, i);

        dg_store_f64(type,
                     (char *)dg_tensor_data(made) +
                         offset_of(made, i) * (int64_t)dg_type_bytes(type),
                     1, &value, 1);
    }
    return arg;
}

static struct dg_arg argument(struct maker *maker);

static struct dg_arg list(struct maker *maker, char end)
{
    struct dg_arg made = {DG_ARG_LIST, {.list = {calloc(16, sizeof(made)), 0}}};

    for (maker->at++; *maker->at != end;) {
        made.as.list.items[made.as.list.n_items++] = argument(maker);
        maker->at += *maker->at == ',' || *maker->at == ' ';
    }
    maker->at++;
    return made;
}

static struct dg_arg plain_number(struct maker *maker)
{
    size_t length = strspn(maker->at, "-0123456789.e");
    struct dg_arg arg = {DG_ARG_INT, {0}};

    if (!length)
        fail(maker);
    if (memchr(maker->at, '.', length) || memchr(maker->at, 'e', length)) {
        arg.kind = DG_ARG_FLOAT;
        arg.as.real = strtod(maker->at, NULL);
        maker->at += length;
    } else {
        arg.as.integer = integer(maker);
    }
    return arg;
}

static bool skips(struct maker *maker, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(maker->at, word, length))
        return false;
    maker->at += length;
    return true;
}

static struct dg_arg dtype(struct maker *maker)
{
    size_t length = strcspn(++maker->at, " )}");
    struct dg_arg arg = {DG_ARG_TYPE, {0}};
    char name[16] = "";

    memcpy(name, maker->at, length < 15 ? length : 15);
    maker->at += length;
    arg.as.type = dg_type_named(name);
    return arg;
}

static struct dg_arg text(struct maker *maker)
{
    static const char *const words[] = {
        "tanh",     "none",    "floor",     "trunc",    "valid",   "same",
        "sum",      "prod",    "mean",      "multiply", "amax",    "amin",
        "constant", "reflect", "replicate", "add",      "circular"};
    struct dg_arg arg = {DG_ARG_STRING, {0}};

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        size_t length = strlen(words[i]);

        if (!strncmp(maker->at + 1, words[i], length) &&
            maker->at[length + 1] == '\'') {
            arg.as.string = words[i];
            maker->at += length + 2;
            return arg;
        }
    }
    fail(maker);
    return arg;
}

static struct dg_arg argument(struct maker *maker)
{
    if (strchr("FNZPBIJQS", *maker->at) && maker->at[1] == '[')
        return tensor(maker);
    if (skips(maker, "none"))
        return (struct dg_arg){DG_ARG_NONE, {0}};
    if (skips(maker, "true"))
        return (struct dg_arg){DG_ARG_BOOL, {.integer = 1}};
    if (skips(maker, "false"))
        return (struct dg_arg){DG_ARG_BOOL, {.integer = 0}};
    switch (*maker->at) {
    case '(':
        return list(maker, ')');
    case '{':
        return list(maker, '}');
    case ':':
        return dtype(maker);
    case '\'':
        return text(maker);
    default:
        return plain_number(maker);
    }
}

/* Letters of tensors, which stand at the beginning of a word. */
static bool has_kind(const struct recipe *recipe, const char *kinds)
{
    for (const char *at = recipe->args; *at; at++) {
        if (at[1] == '[' && strchr(kinds, *at))
            return true;
    }
    return false;
}

bool recipe_is_untyped(const struct recipe *recipe)
{
    return !has_kind(recipe, "FNZP");
}

bool recipe_takes(const struct recipe *recipe, enum dg_type type)
{
    if (has_kind(recipe, "FP"))
        return dg_type_is_float(type);
    if (has_kind(recipe, "Z"))
        return !dg_type_is_float(type);
    return has_kind(recipe, "N") ? type != DG_TYPE_BOOL : type == DG_TYPE_F32;
}

size_t recipe_args(const struct recipe *recipe, const struct variant *variant,
                   struct dg_arg *args)
{
    struct maker maker = {recipe->args, variant, variant->seed};
    size_t n = 0;

    while (*maker.at) {
        if (n == RECIPE_ARGS_MOST)
            fail(&maker);
        args[n++] = argument(&maker);
        maker.at += *maker.at == ' ';
    }
    return n;
}
