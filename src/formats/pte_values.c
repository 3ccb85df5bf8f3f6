/* EValues of a method as rows: tensors, numbers, texts and lists. */
#include <inttypes.h>
#include <string.h>

#include "base/dtype.h"
#include "base/text.h"
#include "formats/pte_plan.h"

static const char *const kinds[N_VALUE_TYPES] = {
    [VALUE_NULL] = "null",
    [VALUE_INT] = "int",
    [VALUE_BOOL] = "bool",
    [VALUE_DOUBLE] = "double",
    [VALUE_TENSOR] = "tensor",
    [VALUE_STRING] = "string",
    [VALUE_INT_LIST] = "int_list",
    [VALUE_DOUBLE_LIST] = "double_list",
    [VALUE_BOOL_LIST] = "bool_list",
    [VALUE_TENSOR_LIST] = "tensor_list",
    [VALUE_OPTIONAL_TENSOR_LIST] = "optional_tensor_list",
};

struct dg_text dg_pte_device(struct dg_arena *memory, int8_t type, int8_t index)
{
    if (type == 0)
        return dg_text("cpu");
    if (type == 1)
        return dg_format(memory, "cuda:%d", index);
    return dg_format(memory, "device<%d>:%d", type, index);
}

struct dg_text dg_pte_sizes(struct dg_arena *memory, struct dg_vector sizes)
{
    struct dg_writer out = {0};

    if (!sizes.at)
        return (struct dg_text){0};
    dg_write(&out, "[", 1);
    for (size_t i = 0; i < sizes.n; i++) {
        dg_write(&out, ",", i > 0);
        dg_write_int(&out, (int32_t)dg_u32(sizes.at + 4 * i));
    }
    dg_write(&out, "]", 1);
    return dg_keep(memory, &out);
}

struct dg_text dg_pte_dim_order(struct dg_arena *memory, struct dg_vector dim_order)
{
    struct dg_writer out = {0};

    if (!dim_order.at)
        return (struct dg_text){0};
    dg_write(&out, "[", 1);
    for (size_t i = 0; i < dim_order.n; i++) {
        dg_write(&out, ",", i > 0);
        dg_write_int(&out, dim_order.at[i]);
    }
    dg_write(&out, "]", 1);
    return dg_keep(memory, &out);
}

int64_t dg_pte_nbytes(struct dg_vector sizes, int element_bytes)
{
    int64_t bytes = element_bytes;
    bool empty = false;

    if (!element_bytes || !sizes.at)
        return DG_NONE;
    for (size_t i = 0; i < sizes.n; i++) {
        int64_t size = (int32_t)dg_u32(sizes.at + 4 * i);

        if (size < 0)
            return DG_NONE;
        empty |= size == 0;
        if (size && __builtin_mul_overflow(bytes, size, &bytes))
            return DG_NONE;
    }
    return empty ? 0 : bytes;
}

int64_t dg_pte_value_row(const struct dg_pte_plan *plan, int64_t index)
{
    return index >= 0 && (uint64_t)index < plan->n_slots ? plan->first_value + index
                                                         : DG_NONE;
}

struct dg_value_row *dg_pte_value(const struct dg_pte_plan *plan, int64_t index)
{
    return &plan->pte->program->values[plan->first_value + index];
}

/* A remark on the newest value. */
#define REMARK(plan, rule, ...)                                                        \
    remark_here(plan, dg_remark((plan)->pte->program, rule, __VA_ARGS__))

static void remark_here(const struct dg_pte_plan *plan, struct dg_remark_row *remark)
{
    remark->method = plan->method;
    remark->graph = plan->graph;
    remark->value = (int64_t)plan->pte->program->n_values - 1;
}

/* Where the bytes of a tensor come from: table of storage classes by location, index
 * and allocation. */
static const char *storage_of(bool external, bool has_data, bool is_planned)
{
    if (external)
        return is_planned ? "mutable" : "external";
    if (has_data)
        return is_planned ? "mutable" : "constant";
    return is_planned ? "planned" : "runtime";
}

static void read_storage(struct dg_value_row *row, struct dg_value_type *to,
                         struct dg_flatbuffer_table tensor)
{
    struct dg_flatbuffer_table extra = dg_table_table(tensor, TENSOR_EXTRA);
    struct dg_flatbuffer_table allocation = dg_table_table(tensor, TENSOR_ALLOCATION);
    uint64_t low = dg_table_u32(allocation, ALLOCATION_LOW, 0);
    uint64_t high = dg_table_u32(allocation, ALLOCATION_HIGH, 0);
    uint64_t offset = low | high << 32;
    bool external = dg_table_i8(extra, EXTRA_LOCATION, 0) == 1;

    row->data_index = dg_table_u32(tensor, TENSOR_DATA_INDEX, 0);
    to->storage = storage_of(external, row->data_index > 0, allocation.at);
    if (!allocation.at)
        return;
    if (external)
        row->data_index = DG_NONE;
    row->mem_id = dg_table_u32(allocation, ALLOCATION_ID, 0);
    row->mem_offset = offset > INT64_MAX ? INT64_MAX : (int64_t)offset;
}

static const char *layout_name(int8_t layout)
{
    static const char *const names[] = {"strided",    "sparse_coo", "sparse_csr",
                                        "mkldnn",     "sparse_csc", "sparse_bsr",
                                        "sparse_bsc", "jagged"};

    return layout >= 0 && (size_t)layout < sizeof(names) / sizeof(names[0])
               ? names[layout]
               : "unknown";
}

static const char *dynamism_name(int8_t dynamism)
{
    static const char *const names[] = {"static", "bounded", "unbounded"};

    return dynamism >= 0 && dynamism < 3 ? names[dynamism] : "unknown";
}

static void read_shape(const struct dg_pte_plan *plan, struct dg_value_type *to,
                       struct dg_flatbuffer_table tensor)
{
    struct dg_arena *memory = &plan->pte->program->memory;
    struct dg_vector sizes = dg_table_vector(tensor, TENSOR_SIZES);
    int8_t code = dg_table_i8(tensor, TENSOR_SCALAR_TYPE, 0);
    const struct dg_dtype *dtype = dg_dtype_of_c10(code);

    to->shape = dg_pte_sizes(memory, sizes);
    to->dim_order = dg_pte_dim_order(memory, dg_table_vector(tensor, TENSOR_DIM_ORDER));
    to->dtype = dtype ? dtype->name : NULL;
    to->nbytes = dtype ? dg_pte_nbytes(sizes, dtype->bytes) : DG_NONE;
    if (!sizes.at)
        REMARK(plan, "value/sizes", "a tensor has no sizes");
    if (!dtype)
        REMARK(plan, "value/scalar-type", "scalar_type %d is not known", code);
    else if (to->nbytes == DG_NONE && dtype->bytes && sizes.at)
        REMARK(plan, "value/sizes", "sizes %s have no number of bytes", to->shape.data);
}

static void read_tensor(const struct dg_pte_plan *plan, struct dg_value_row *row,
                        struct dg_flatbuffer_table tensor)
{
    struct dg_flatbuffer_table extra = dg_table_table(tensor, TENSOR_EXTRA);
    struct dg_program *program = plan->pte->program;
    struct dg_value_type *to = dg_alloc(&program->memory, 1, sizeof(*to));

    row->type = to;
    row->name = dg_pte_text(program, extra, EXTRA_FQN);
    to->device =
        dg_pte_device(&program->memory, dg_table_i8(extra, EXTRA_DEVICE_TYPE, 0),
                      dg_table_i8(extra, EXTRA_DEVICE_INDEX, 0));
    to->requires_grad = dg_table_u8(tensor, TENSOR_REQUIRES_GRAD, 0) != 0;
    to->storage_offset.type = DG_INTEGER;
    to->storage_offset.integer = dg_table_i32(tensor, TENSOR_STORAGE_OFFSET, 0);
    to->layout = layout_name(dg_table_i8(tensor, TENSOR_LAYOUT, 0));
    to->dynamism = dynamism_name(dg_table_i8(tensor, TENSOR_DYNAMISM, 0));
    read_storage(row, to, tensor);
    if (dg_table_i8(extra, EXTRA_LOCATION, 0) & ~1)
        REMARK(
            plan, "value/kind-known",
            "the bytes of a tensor have location %d; 0 (segment) and 1 (external) are"
            " known",
            dg_table_i8(extra, EXTRA_LOCATION, 0));
    read_shape(plan, to, tensor);
    if (dg_table_u64(extra, EXTRA_SEGMENT, 0))
        REMARK(plan, "format/mutable-index-ignored",
               "mutable_data_segments_idx is %llu; the runtime takes it for 0",
               (unsigned long long)dg_table_u64(extra, EXTRA_SEGMENT, 0));
}

static void print_item(struct dg_writer *out, const uint8_t *at, uint8_t type)
{
    uint64_t bits;
    double real;

    switch (type) {
    case VALUE_BOOL_LIST:
        dg_print(out, *at ? "true" : "false");
        break;
    case VALUE_DOUBLE_LIST:
        bits = dg_u64(at);
        memcpy(&real, &bits, sizeof(real));
        dg_write_double(out, real);
        break;
    case VALUE_INT_LIST:
        dg_print(out, "%" PRId64, (int64_t)dg_u64(at));
        break;
    default:
        dg_print(out, "%" PRId32, (int32_t)dg_u32(at));
    }
}

static size_t item_bytes(uint8_t type)
{
    if (type == VALUE_BOOL_LIST)
        return 1;
    return type == VALUE_INT_LIST || type == VALUE_DOUBLE_LIST ? 8 : 4;
}

static void read_list(const struct dg_pte_plan *plan, struct dg_value_row *row,
                      struct dg_vector items, uint8_t type)
{
    struct dg_writer out = {0};

    if (!items.at)
        return;
    dg_print(&out, "[");
    for (size_t i = 0; i < items.n; i++) {
        if (i)
            dg_print(&out, ",");
        print_item(&out, items.at + i * item_bytes(type), type);
    }
    dg_print(&out, "]");
    row->items = dg_keep(&plan->pte->program->memory, &out);
}

static void read_scalar(const struct dg_pte_plan *plan, struct dg_value_row *row,
                        struct dg_flatbuffer_table value, uint8_t type)
{
    row->scalar.type = DG_INTEGER;
    switch (type) {
    case VALUE_INT:
        row->scalar.integer = dg_table_i64(value, 0, 0);
        break;
    case VALUE_BOOL:
        row->scalar.integer = dg_table_u8(value, 0, 0) != 0;
        break;
    case VALUE_DOUBLE:
        row->scalar = dg_any_real(dg_table_f64(value, 0, 0));
        break;
    case VALUE_STRING:
        row->scalar.text = dg_pte_text(plan->pte->program, value, 0);
        row->scalar.type = row->scalar.text.data ? DG_TEXT : DG_NULL;
        break;
    default:
        row->scalar.type = DG_NULL;
    }
}

static void init_slot(struct dg_pte_slot *slot, const struct dg_value_row *row)
{
    slot->writer = slot->last_use = slot->seen = slot->place = DG_NONE;
    slot->initial = slot->type == VALUE_TENSOR &&
                    (row->name.data || !strcmp(row->type->storage, "constant") ||
                     !strcmp(row->type->storage, "external") ||
                     !strcmp(row->type->storage, "mutable"));
}

static void read_value(struct dg_pte_plan *plan, struct dg_flatbuffer_table evalue,
                       size_t index)
{
    struct dg_value_row *row = dg_add_value(plan->pte->program);
    struct dg_pte_slot *slot = &plan->slots[index];
    uint8_t type = dg_table_u8(evalue, EVALUE_TYPE, 0);
    struct dg_flatbuffer_table value = dg_table_union(evalue, EVALUE_VALUE);
    bool known = type < N_VALUE_TYPES && kinds[type];

    row->graph = plan->graph;
    row->idx = (int64_t)index;
    row->kind = known && value.at ? kinds[type] : "unknown";
    if (!known && (type || dg_table_has(evalue, EVALUE_VALUE)))
        REMARK(plan, "value/kind-known", "value type %d is not known", type);
    else if (!value.at)
        REMARK(plan, "value/present", "a value of type %s has no content",
               type ? kinds[type] : "NONE");
    if (!known || !value.at)
        type = 0;
    slot->type = type;
    if (type == VALUE_TENSOR)
        read_tensor(plan, row, value);
    else if (type > VALUE_STRING)
        read_list(plan, row, dg_table_vector(value, 0), type);
    else if (type)
        read_scalar(plan, row, value, type);
    if (type == VALUE_INT_LIST || type >= VALUE_TENSOR_LIST)
        slot->items = dg_table_vector(value, 0);
    init_slot(slot, row);
}

void dg_pte_read_values(struct dg_pte_plan *plan)
{
    struct dg_vector values = dg_table_vector(plan->table, PLAN_VALUES);

    plan->first_value = (int64_t)plan->pte->program->n_values;
    plan->n_slots = values.n;
    plan->slots = dg_alloc(&plan->scratch, values.n, sizeof(*plan->slots));
    for (size_t i = 0; i < values.n; i++)
        read_value(plan, dg_vector_table(values, i), i);
}
