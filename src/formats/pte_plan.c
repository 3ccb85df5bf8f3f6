/* A method of a .pte: its memory, operators, delegates and signature. */
#include "formats/pte_plan.h"

static struct dg_text name_of(struct dg_pte_plan *plan)
{
    struct dg_text name = dg_pte_text(plan->pte->program, plan->table, PLAN_NAME);

    if (name.data)
        return name;
    dg_pte_remark_on_plan(plan, dg_remark(plan->pte->program, "plan/name",
                                          "method %lld has no name",
                                          (long long)plan->method));
    return dg_text("");
}

static void begin(struct dg_pte_plan *plan)
{
    struct dg_program *program = plan->pte->program;
    struct dg_flatbuffer_table meta = dg_table_table(plan->table, PLAN_CONTAINER_META);
    struct dg_text in_spec = dg_pte_text(program, meta, META_INPUTS);
    struct dg_text out_spec = dg_pte_text(program, meta, META_OUTPUTS);
    struct dg_method_row *method;
    struct dg_graph_row *graph;

    plan->method = (int64_t)program->n_methods;
    plan->graph = (int64_t)program->n_graphs;
    method = dg_add_method(program);
    *method = (struct dg_method_row){{0}, "pte", in_spec, out_spec};
    graph = dg_add_graph(program);
    *graph = (struct dg_graph_row){plan->method, dg_text(""), "method"};
    program->methods[plan->method].name = name_of(plan);
}

/* Arena 0 is reserved: the runtime asks for the others only. */
static void read_arena_device(struct dg_pte_plan *plan, size_t first, size_t n,
                              struct dg_flatbuffer_table entry)
{
    struct dg_program *program = plan->pte->program;
    int32_t index = dg_table_i32(entry, ARENA_DEVICE_INDEX, 0);
    int8_t type = dg_table_i8(entry, ARENA_DEVICE_TYPE, 0);
    struct dg_text device = dg_pte_device(&program->memory, type,
                                          dg_table_i8(entry, ARENA_DEVICE_NUMBER, 0));

    if (index < 1 || (size_t)index >= n)
        dg_pte_remark_on_plan(plan, dg_remark(program, "device/buffer-index-range",
                                              "%s is given to arena %d of 1 to %zu",
                                              device.data, index, n ? n - 1 : 0));
    else
        program->arenas[first + (size_t)index].device = device;
    if (type == 0)
        dg_pte_remark_on_plan(plan, dg_remark(program, "device/buffer-entry-cpu",
                                              "arena %d is listed as one of the host",
                                              index));
}

static void read_arena_devices(struct dg_pte_plan *plan, size_t first, size_t n)
{
    struct dg_vector devices = dg_table_vector(plan->table, PLAN_ARENA_DEVICES);
    int *entries = dg_alloc(&plan->scratch, n, sizeof(*entries));

    /* Backwards, because the runtime takes the first entry of an arena. */
    for (size_t i = devices.n; i-- > 0;) {
        struct dg_flatbuffer_table entry = dg_vector_table(devices, i);
        int32_t index = dg_table_i32(entry, ARENA_DEVICE_INDEX, 0);

        read_arena_device(plan, first, n, entry);
        if (index > 0 && (size_t)index < n && entries[index]++ == 1)
            dg_pte_remark_on_plan(
                plan, dg_remark(plan->pte->program, "device/buffer-entry-unique",
                                "arena %d is given a device more than once", index));
    }
}

static void read_arenas(struct dg_pte_plan *plan)
{
    struct dg_program *program = plan->pte->program;
    struct dg_vector sizes = dg_table_vector(plan->table, PLAN_ARENAS);
    size_t first = program->n_arenas;

    for (size_t i = 0; i < sizes.n; i++) {
        struct dg_arena_row *row = dg_add_arena(program);

        row->method = plan->method;
        row->idx = (int64_t)i;
        row->size_bytes = (int64_t)dg_u64(sizes.at + 8 * i);
        row->device = dg_text("cpu");
    }
    read_arena_devices(plan, first, sizes.n);
}

/* "aten::add.out"; NULL for an operator without a name. */
static struct dg_text operator_name(struct dg_program *program,
                                    struct dg_flatbuffer_table table)
{
    struct dg_text name = dg_pte_text(program, table, OPERATOR_NAME);
    struct dg_text overload = dg_pte_text(program, table, OPERATOR_OVERLOAD);
    char *joined;

    if (!name.data || !overload.size)
        return name;
    joined = dg_alloc(&program->memory, name.size + overload.size + 2, 1);
    memcpy(joined, name.data, name.size);
    joined[name.size] = '.';
    memcpy(joined + name.size + 1, overload.data, overload.size);
    return (struct dg_text){joined, name.size + 1 + overload.size};
}

static void read_operators(struct dg_pte_plan *plan)
{
    struct dg_program *program = plan->pte->program;
    struct dg_vector table = dg_table_vector(plan->table, PLAN_OPERATORS);

    plan->n_operators = table.n;
    plan->operators = dg_alloc(&plan->scratch, table.n, sizeof(*plan->operators));
    for (size_t i = 0; i < table.n; i++) {
        struct dg_pte_operator *op = &plan->operators[i];
        struct dg_plan_operator_row *row = dg_add_plan_operator(program);

        op->name = operator_name(program, dg_vector_table(table, i));
        op->op = op->name.data ? dg_intern_op(program, op->name) : DG_NONE;
        op->schema = op->name.data ? dg_op_find(op->name.data, op->name.size) : NULL;
        *row = (struct dg_plan_operator_row){plan->method, (int64_t)i, op->op};
    }
}

static void read_compile_specs(struct dg_program *program, struct dg_vector specs,
                               int64_t delegate)
{
    for (size_t i = 0; i < specs.n; i++) {
        struct dg_flatbuffer_table spec = dg_vector_table(specs, i);
        struct dg_vector value = dg_table_vector(spec, SPEC_VALUE);
        struct dg_compile_spec_row *row = dg_add_compile_spec(program);

        row->delegate = delegate;
        row->pos = (int64_t)i;
        row->key = dg_pte_text(program, spec, SPEC_KEY);
        row->value = (struct dg_bytes){value.at, value.n};
    }
}

static void read_delegates(struct dg_pte_plan *plan)
{
    struct dg_program *program = plan->pte->program;
    struct dg_vector delegates = dg_table_vector(plan->table, PLAN_DELEGATES);

    plan->first_delegate = (int64_t)program->n_delegates;
    plan->n_delegates = delegates.n;
    for (size_t i = 0; i < delegates.n; i++) {
        struct dg_flatbuffer_table delegate = dg_vector_table(delegates, i);
        struct dg_delegate_row *row = dg_add_delegate(program);

        row->method = plan->method;
        row->idx = (int64_t)i;
        row->backend = dg_pte_text(program, delegate, DELEGATE_ID);
        dg_pte_find_blob(plan->pte, dg_table_table(delegate, DELEGATE_PROCESSED), row);
        dg_blobs_read(&plan->pte->blobs, plan->first_delegate + (int64_t)i);
        read_compile_specs(program, dg_table_vector(delegate, DELEGATE_SPECS),
                           plan->first_delegate + (int64_t)i);
        dg_pte_read_keys(plan->pte, plan->first_delegate + (int64_t)i);
    }
}

static void read_signature(struct dg_pte_plan *plan, unsigned field,
                           const char *direction)
{
    struct dg_vector indices = dg_table_vector(plan->table, field);
    bool is_output = field == PLAN_OUTPUTS;

    for (size_t i = 0; i < indices.n; i++) {
        int32_t index = (int32_t)dg_u32(indices.at + 4 * i);
        struct dg_signature_row *row = dg_add_signature(plan->pte->program);

        row->graph = plan->graph;
        row->direction = direction;
        row->pos = (int64_t)i;
        row->kind = "unknown";
        row->value_idx = dg_pte_stored(index);
        row->value = dg_pte_value_row(plan, index);
        if (row->value == DG_NONE)
            continue;
        row->kind = dg_pte_value(plan, index)->kind;
        row->literal = dg_pte_value(plan, index)->scalar;
        if (plan->slots[index].type == VALUE_TENSOR)
            row->planned = dg_pte_value(plan, index)->mem_id != DG_NONE;
        plan->slots[index].output |= is_output;
        plan->slots[index].initial |= !is_output;
    }
}

/* Lists that must be there even when they are empty. */
static void check_lists(struct dg_pte_plan *plan)
{
    static const struct {
        unsigned field;
        const char *rule, *name;
    } lists[] = {
        {PLAN_VALUES, "value/present", "values"},
        {PLAN_INPUTS, "plan/fields", "inputs"},
        {PLAN_OUTPUTS, "plan/fields", "outputs"},
        {PLAN_CHAINS, "plan/fields", "chains"},
        {PLAN_OPERATORS, "plan/fields", "operators"},
        {PLAN_DELEGATES, "plan/fields", "delegates"},
        {PLAN_ARENAS, "plan/fields", "non_const_buffer_sizes"},
    };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!dg_table_has(plan->table, lists[i].field))
            dg_pte_remark_on_plan(plan, dg_remark(plan->pte->program, lists[i].rule,
                                                  "the method has no list of %s",
                                                  lists[i].name));
    }
    if (dg_table_has(plan->table, PLAN_CHAINS) &&
        !dg_table_vector(plan->table, PLAN_CHAINS).n)
        dg_pte_remark_on_plan(plan, dg_remark(plan->pte->program, "plan/fields",
                                              "the list of chains is empty"));
}

void dg_pte_read_plan(struct dg_pte *pte, struct dg_flatbuffer_table table)
{
    struct dg_pte_plan plan = {.pte = pte, .table = table};

    begin(&plan);
    check_lists(&plan);
    read_arenas(&plan);
    read_operators(&plan);
    read_delegates(&plan);
    dg_pte_read_values(&plan);
    read_signature(&plan, PLAN_INPUTS, "input");
    read_signature(&plan, PLAN_OUTPUTS, "output");
    dg_pte_read_nodes(&plan);
    dg_arena_clear(&plan.scratch);
}
