/* What the globals in pickles of torch.save stand for. */
#include <stdio.h>

#include "formats/pickle_parts.h"

enum { MAX_RANK = 64, MAX_METADATA = 64 };

static bool is_opaque(const struct dg_pickle_value *value, const char *begins)
{
    return value->type == DG_PICKLE_OPAQUE && dg_text_begins(value->text, begins);
}

/* Whether argument `i` is there and has that type; fails if not. */
static bool check(struct dg_pickle_machine *machine, const struct dg_pickle_value *args,
                  size_t i, enum dg_pickle_type type)
{
    static const char *const names[] = {
        "None",    "a bool", "an int", "a float",  "a string",  "bytes",
        "a tuple", "a list", "a dict", "a tensor", "a storage", "a name",
    };

    if (i < args->n_items && args->items[i]->type == type)
        return true;
    return dg_pickle_fail(machine, "expected %s as item %zu, found %s", names[type], i,
                          i < args->n_items ? names[args->items[i]->type] : "the end");
}

static bool check_count(struct dg_pickle_machine *machine,
                        const struct dg_pickle_value *args, size_t least, size_t most)
{
    return (args->n_items >= least && args->n_items <= most) ||
           dg_pickle_fail(machine, "expected %zu to %zu arguments, found %zu", least,
                          most, args->n_items);
}

/* torch.float32 and its like; NULL when unknown. */
static const struct dg_dtype *dtype_of(const struct dg_pickle_value *value)
{
    struct dg_text name = value->text;

    if (!is_opaque(value, "torch "))
        return NULL;
    return dg_dtype_of_torch_name((struct dg_text){name.data + 6, name.size - 6});
}

static bool is_untyped(struct dg_text name)
{
    return dg_text_is(name, "torch.storage UntypedStorage") ||
           dg_text_is(name, "torch UntypedStorage") ||
           dg_text_is(name, "torch.storage TypedStorage");
}

static bool is_key(struct dg_text key)
{
    enum { MOST_DIGITS = 20 };

    for (size_t i = 0; i < key.size && i < MOST_DIGITS; i++) {
        if (key.data[i] < '0' || key.data[i] > '9')
            return false;
    }
    return key.size && key.size <= MOST_DIGITS;
}

static bool check_storage(struct dg_pickle_machine *machine,
                          const struct dg_pickle_value *id)
{
    if (id->type != DG_PICKLE_TUPLE || id->n_items != 5)
        return dg_pickle_fail(machine, "expected a persistent id of 5 items");
    if (!check(machine, id, 0, DG_PICKLE_STRING) ||
        !check(machine, id, 1, DG_PICKLE_OPAQUE) ||
        !check(machine, id, 2, DG_PICKLE_STRING) ||
        !check(machine, id, 3, DG_PICKLE_STRING) ||
        !check(machine, id, 4, DG_PICKLE_INT))
        return false;
    if (!dg_text_is(id->items[0]->text, "storage"))
        return dg_pickle_fail(machine, "expected the persistent id of a storage");
    if (!is_key(id->items[2]->text))
        return dg_pickle_fail(machine, "expected a storage key of 1 to 20 digits");
    return true;
}

struct dg_pickle_value *dg_pickle_storage(struct dg_pickle_machine *machine,
                                          const struct dg_pickle_value *id)
{
    struct dg_pickle_value *type, *value;
    const struct dg_dtype *dtype = NULL;
    struct dg_text name;
    int64_t bytes;

    if (!check_storage(machine, id))
        return NULL;
    type = id->items[1];
    name = type->text;
    if (!is_untyped(name)) {
        if (is_opaque(type, "torch "))
            dtype = dg_dtype_of_storage((struct dg_text){name.data + 6, name.size - 6});
        if (!dtype)
            return type;
    }
    if (id->items[4]->integer < 0 ||
        __builtin_mul_overflow(id->items[4]->integer, dtype ? dtype->bytes : 1,
                               &bytes)) {
        dg_pickle_fail(machine, "expected a storage of 0 to 2^63 bytes");
        return NULL;
    }
    value = dg_pickle_new(machine, DG_PICKLE_STORAGE);
    if (value)
        value->tensor = dg_pickle_alloc(machine, 1, sizeof(*value->tensor));
    if (machine->failed)
        return NULL;
    value->text = id->items[2]->text;
    *value->tensor = (struct dg_pickle_tensor){
        .dtype = dtype,
        .storage = value->text,
        .location = id->items[3]->text,
        .storage_bytes = (uint64_t)bytes,
    };
    return value;
}

/* Sizes or strides: argument `i`, a tuple of `*rank` integers that are not negative. */
static const int64_t *read_ints(struct dg_pickle_machine *machine,
                                const struct dg_pickle_value *args, size_t i,
                                size_t *rank)
{
    const struct dg_pickle_value *tuple;
    int64_t *ints;

    if (!check(machine, args, i, DG_PICKLE_TUPLE))
        return NULL;
    tuple = args->items[i];
    *rank = tuple->n_items;
    if (*rank > MAX_RANK) {
        dg_pickle_fail(machine, "expected a rank of at most %d, found %zu", MAX_RANK,
                       *rank);
        return NULL;
    }
    ints = dg_pickle_alloc(machine, *rank, sizeof(*ints));
    for (size_t j = 0; ints && j < *rank; j++) {
        if (!check(machine, tuple, j, DG_PICKLE_INT))
            return NULL;
        ints[j] = tuple->items[j]->integer;
        if (ints[j] < 0) {
            dg_pickle_fail(machine, "expected no negative size or stride");
            return NULL;
        }
    }
    return ints;
}

/* Sizes, strides and requires_grad: three arguments from `first` on. */
static bool read_view(struct dg_pickle_machine *machine,
                      struct dg_pickle_tensor *tensor,
                      const struct dg_pickle_value *args, size_t first)
{
    size_t n_strides = 0;

    tensor->sizes = read_ints(machine, args, first, &tensor->rank);
    tensor->strides = read_ints(machine, args, first + 1, &n_strides);
    if (machine->failed || !check(machine, args, first + 2, DG_PICKLE_BOOL))
        return false;
    if (n_strides != tensor->rank)
        return dg_pickle_fail(machine, "expected as many strides as sizes");
    tensor->requires_grad = args->items[first + 2]->integer;
    return true;
}

static bool flag(const struct dg_pickle_value *metadata, const char *name)
{
    const struct dg_pickle_value *value = dg_pickle_get(metadata, name);

    return value && value->type == DG_PICKLE_BOOL && value->integer;
}

static struct dg_pickle_value *new_tensor(struct dg_pickle_machine *machine)
{
    struct dg_pickle_value *value = dg_pickle_new(machine, DG_PICKLE_TENSOR);

    if (value)
        value->tensor = dg_pickle_alloc(machine, 1, sizeof(*value->tensor));
    return machine->failed ? NULL : value;
}

/* (storage, offset, sizes, strides, requires_grad, hooks[, dtype][, metadata]) */
static struct dg_pickle_value *tensor(struct dg_pickle_machine *machine,
                                      const struct dg_pickle_value *args,
                                      bool has_dtype)
{
    size_t least = 6 + has_dtype;
    struct dg_pickle_value *value;

    if (!check_count(machine, args, least, least + 1) ||
        !check(machine, args, 0, DG_PICKLE_STORAGE) ||
        !check(machine, args, 1, DG_PICKLE_INT) ||
        (has_dtype && !check(machine, args, 6, DG_PICKLE_OPAQUE)))
        return NULL;
    value = new_tensor(machine);
    if (!value)
        return NULL;
    *value->tensor = *args->items[0]->tensor;
    value->tensor->offset = args->items[1]->integer;
    if (value->tensor->offset < 0)
        dg_pickle_fail(machine, "expected no negative offset");
    if (has_dtype)
        value->tensor->dtype = dtype_of(args->items[6]);
    if (args->n_items > least && args->items[least]->n_items > MAX_METADATA)
        dg_pickle_fail(machine, "expected at most %d items of metadata", MAX_METADATA);
    if (args->n_items > least && !machine->failed) {
        value->tensor->conjugated = flag(args->items[least], "conj");
        value->tensor->negated = flag(args->items[least], "neg");
    }
    return read_view(machine, value->tensor, args, 2) ? value : NULL;
}

static struct dg_pickle_value *tensor_v2(struct dg_pickle_machine *machine,
                                         const struct dg_pickle_value *args)
{
    return tensor(machine, args, false);
}

static struct dg_pickle_value *tensor_v3(struct dg_pickle_machine *machine,
                                         const struct dg_pickle_value *args)
{
    return tensor(machine, args, true);
}

/* (dtype, sizes, strides, requires_grad) */
static struct dg_pickle_value *meta_tensor(struct dg_pickle_machine *machine,
                                           const struct dg_pickle_value *args)
{
    struct dg_pickle_value *value;

    if (!check_count(machine, args, 4, 4) || !check(machine, args, 0, DG_PICKLE_OPAQUE))
        return NULL;
    value = new_tensor(machine);
    if (!value)
        return NULL;
    value->tensor->dtype = dtype_of(args->items[0]);
    value->tensor->location = dg_text("meta");
    return read_view(machine, value->tensor, args, 1) ? value : NULL;
}

/* (tensor, requires_grad, hooks[, state]) */
static struct dg_pickle_value *parameter(struct dg_pickle_machine *machine,
                                         const struct dg_pickle_value *args)
{
    struct dg_pickle_value *value;

    if (!check_count(machine, args, 3, 4))
        return NULL;
    if (args->items[0]->type == DG_PICKLE_OPAQUE)
        return args->items[0];
    if (!check(machine, args, 0, DG_PICKLE_TENSOR) ||
        !check(machine, args, 1, DG_PICKLE_BOOL))
        return NULL;
    value = new_tensor(machine);
    if (!value)
        return NULL;
    *value->tensor = *args->items[0]->tensor;
    value->tensor->parameter = true;
    value->tensor->requires_grad = args->items[1]->integer;
    return value;
}

/* () or a list of pairs */
static struct dg_pickle_value *ordered_dict(struct dg_pickle_machine *machine,
                                            const struct dg_pickle_value *args)
{
    struct dg_pickle_value *dict = dg_pickle_new(machine, DG_PICKLE_DICT);
    const struct dg_pickle_value *pairs;

    if (!dict || !args->n_items)
        return dict;
    if (!check_count(machine, args, 0, 1) || !check(machine, args, 0, DG_PICKLE_LIST))
        return NULL;
    pairs = args->items[0];
    for (size_t i = 0; i < pairs->n_items; i++) {
        const struct dg_pickle_value *pair = pairs->items[i];

        if ((pair->type != DG_PICKLE_LIST && pair->type != DG_PICKLE_TUPLE) ||
            pair->n_items != 2) {
            dg_pickle_fail(machine, "expected pairs of a key and a value");
            return NULL;
        }
        if (!dg_pickle_append(machine, dict, pair->items[0]) ||
            !dg_pickle_append(machine, dict, pair->items[1]))
            return NULL;
    }
    return dict;
}

/* torch.Size: the tuple it is made from. */
static struct dg_pickle_value *size(struct dg_pickle_machine *machine,
                                    const struct dg_pickle_value *args)
{
    if (!check_count(machine, args, 1, 1) || !check(machine, args, 0, DG_PICKLE_TUPLE))
        return NULL;
    return args->items[0];
}

/* "torch.strided" */
static struct dg_pickle_value *layout(struct dg_pickle_machine *machine,
                                      const struct dg_pickle_value *args)
{
    if (!check_count(machine, args, 1, 1) || !check(machine, args, 0, DG_PICKLE_STRING))
        return NULL;
    return args->items[0];
}

/* ("cuda"[, 0]): a string as torch prints it. */
static struct dg_pickle_value *device(struct dg_pickle_machine *machine,
                                      const struct dg_pickle_value *args)
{
    enum { MOST_CHARACTERS = 32, ROOM = 64 };
    struct dg_pickle_value *value;
    struct dg_text type;
    char *text;

    if (!check_count(machine, args, 1, 2) || !check(machine, args, 0, DG_PICKLE_STRING))
        return NULL;
    if (args->n_items == 1)
        return args->items[0];
    if (!check(machine, args, 1, DG_PICKLE_INT))
        return NULL;
    type = args->items[0]->text;
    if (type.size > MOST_CHARACTERS) {
        dg_pickle_fail(machine, "expected a device of at most %d characters",
                       MOST_CHARACTERS);
        return NULL;
    }
    value = dg_pickle_new(machine, DG_PICKLE_STRING);
    text = dg_pickle_alloc(machine, ROOM, 1);
    if (!value || !text)
        return NULL;
    snprintf(text, ROOM, "%.*s:%lld", (int)type.size, type.data,
             (long long)args->items[1]->integer);
    value->text = dg_text(text);
    return value;
}

/* (function, type, its arguments, attributes): what torch writes for a tensor with
 * attributes in Python, and for subclasses, which stay opaque. */
static struct dg_pickle_value *from_type(struct dg_pickle_machine *machine,
                                         const struct dg_pickle_value *args)
{
    struct dg_pickle_value *type;

    if (!check_count(machine, args, 4, 4) ||
        !check(machine, args, 0, DG_PICKLE_OPAQUE) ||
        !check(machine, args, 1, DG_PICKLE_OPAQUE) ||
        !check(machine, args, 2, DG_PICKLE_TUPLE))
        return NULL;
    type = args->items[1];
    if (!dg_text_is(type->text, "torch Tensor") &&
        !dg_text_is(type->text, "torch.nn.parameter Parameter"))
        return type;
    return dg_pickle_call(machine, args->items[0], args->items[2]);
}

struct dg_pickle_value *dg_pickle_call(struct dg_pickle_machine *machine,
                                       struct dg_pickle_value *name,
                                       const struct dg_pickle_value *args)
{
    static const struct {
        const char *name;
        struct dg_pickle_value *(*make)(struct dg_pickle_machine *,
                                        const struct dg_pickle_value *);
    } known[] = {
        {"collections OrderedDict", ordered_dict},
        {"torch._utils _rebuild_tensor_v2", tensor_v2},
        {"torch._utils _rebuild_tensor_v3", tensor_v3},
        {"torch._utils _rebuild_meta_tensor_no_storage", meta_tensor},
        {"torch._utils _rebuild_parameter", parameter},
        {"torch._utils _rebuild_parameter_with_state", parameter},
        {"torch._tensor _rebuild_from_type_v2", from_type},
        {"torch Size", size},
        {"torch device", device},
        {"torch.serialization _get_layout", layout},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (dg_text_is(name->text, known[i].name))
            return known[i].make(machine, args);
    }
    return name;
}
