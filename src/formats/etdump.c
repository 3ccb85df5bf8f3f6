/* The reader of ETDumps: what a device measured while it ran a .pte. */
#include <inttypes.h>

#include "formats/flatbuffer_fields.h"
#include "formats/pte.h"
#include "formats/reader.h"

TYPE(profile_event, "ProfileEvent", STRING("name"), SCALAR("chain_index", 4),
     SCALAR("instruction_id", 4), SCALAR("delegate_debug_id_int", 4),
     STRING("delegate_debug_id_str"), VECTOR("delegate_debug_metadata", 1),
     SCALAR("start_time", 8), SCALAR("end_time", 8));
TYPE(allocation_event, "AllocationEvent", SCALAR("allocator_id", 4),
     SCALAR("allocation_size", 8));
TYPE(flag, "Bool", SCALAR("bool_val", 1));
TYPE(single, "Float", SCALAR("float_val", 4));
TYPE(number, "Int or Double", SCALAR("val", 8));
TYPE(tensor, "Tensor", SCALAR("scalar_type", 1), VECTOR("sizes", 8),
     VECTOR("strides", 8), SCALAR("offset", 8));
TYPE(tensor_list, "TensorList", CHILDREN("tensors", tensor));
TYPE(value, "Value", SCALAR("val", 1), CHILD("tensor", tensor),
     CHILD("tensor_list", tensor_list), CHILD("int_value", number),
     CHILD("float_value", single), CHILD("double_value", number),
     CHILD("bool_value", flag), CHILD("output", flag));
TYPE(debug_event, "DebugEvent", SCALAR("chain_index", 8), SCALAR("instruction_id", 4),
     CHILD("debug_entry", value), SCALAR("delegate_debug_id_int", 4),
     STRING("delegate_debug_id_str"), STRING("name"));
TYPE(event, "Event", CHILD("profile_event", profile_event),
     CHILD("allocation_event", allocation_event), CHILD("debug_event", debug_event));
TYPE(allocator, "Allocator", STRING("name"));
TYPE(run_data, "RunData", STRING("name"), SCALAR("bundled_input_index", 4),
     CHILDREN("allocators", allocator), CHILDREN("events", event));
TYPE(etdump, "ETDump", SCALAR("version", 4), CHILDREN("run_data", run_data));

enum { VERSION, RUN_DATA };
enum { RUN_NAME, RUN_INPUT, RUN_ALLOCATORS, RUN_EVENTS };
enum { EVENT_PROFILE, EVENT_ALLOCATION, EVENT_DEBUG };
enum {
    TIME_NAME,
    TIME_CHAIN,
    TIME_INSTRUCTION,
    TIME_PART_NUMBER,
    TIME_PART_NAME,
    TIME_METADATA,
    TIME_BEGIN,
    TIME_END
};
enum { ALLOCATION_ALLOCATOR, ALLOCATION_SIZE };
enum {
    VALUE_CHAIN,
    VALUE_INSTRUCTION,
    VALUE_ENTRY,
    VALUE_PART_NUMBER,
    VALUE_PART_NAME,
    VALUE_NAME
};

enum { SIZE_BYTES = 4, IDENTIFIER_AT = 8 };

static bool recognises(struct dg_bytes file)
{
    return file.size >= IDENTIFIER_AT + 4 &&
           !memcmp(file.data + IDENTIFIER_AT, "ED", 2) &&
           file.data[IDENTIFIER_AT + 2] >= '0' && file.data[IDENTIFIER_AT + 2] <= '9';
}

struct reading {
    struct dg_program *program;
    struct dg_vector allocators; /* of the run */
    size_t n_beyond;             /* clocks beyond what a row can say */
};

/* What a backend calls a part of its delegate: a number, or a name. */
static struct dg_text part_of(struct reading *reading, struct dg_flatbuffer_table table,
                              unsigned number, unsigned name)
{
    int32_t id = dg_table_i32(table, number, -1);

    if (dg_table_has(table, name))
        return dg_pte_text(reading->program, table, name);
    if (id == -1)
        return (struct dg_text){0};
    return dg_format(&reading->program->memory, "%" PRId32, id);
}

static int64_t instruction_of(int64_t chain, int32_t instruction)
{
    return chain < 0 || instruction < 0 ? DG_NONE : instruction;
}

static int64_t clock_of(struct reading *reading, struct dg_flatbuffer_table table,
                        unsigned field)
{
    uint64_t time = dg_table_u64(table, field, 0);

    if (time <= INT64_MAX)
        return (int64_t)time;
    reading->n_beyond++;
    return DG_NONE;
}

static void read_time(struct reading *reading, struct dg_profile_event_row *row,
                      struct dg_flatbuffer_table table)
{
    row->kind = "time";
    row->name = dg_pte_text(reading->program, table, TIME_NAME);
    row->chain = dg_table_i32(table, TIME_CHAIN, 0);
    row->instruction =
        instruction_of(row->chain, dg_table_i32(table, TIME_INSTRUCTION, -1));
    row->part = part_of(reading, table, TIME_PART_NUMBER, TIME_PART_NAME);
    row->begin = clock_of(reading, table, TIME_BEGIN);
    row->end = clock_of(reading, table, TIME_END);
}

static void read_allocation(struct reading *reading, struct dg_profile_event_row *row,
                            struct dg_flatbuffer_table table)
{
    uint32_t allocator = (uint32_t)dg_table_i32(table, ALLOCATION_ALLOCATOR, 0);
    uint64_t size = dg_table_u64(table, ALLOCATION_SIZE, 0);

    row->kind = "allocation";
    row->nbytes = size <= INT64_MAX ? (int64_t)size : DG_NONE;
    if (allocator < reading->allocators.n)
        row->name = dg_pte_text(reading->program,
                                dg_vector_table(reading->allocators, allocator), 0);
}

static void read_value(struct reading *reading, struct dg_profile_event_row *row,
                       struct dg_flatbuffer_table table)
{
    uint64_t chain = dg_table_u64(table, VALUE_CHAIN, 0);

    row->kind = "value";
    row->name = dg_pte_text(reading->program, table, VALUE_NAME);
    row->chain = chain <= INT32_MAX ? (int64_t)chain : DG_NONE;
    row->instruction =
        instruction_of(row->chain, dg_table_i32(table, VALUE_INSTRUCTION, -1));
    row->part = part_of(reading, table, VALUE_PART_NUMBER, VALUE_PART_NAME);
}

static void read_event(struct reading *reading, int64_t profile, size_t idx,
                       struct dg_flatbuffer_table table)
{
    struct dg_flatbuffer_table time = dg_table_table(table, EVENT_PROFILE),
                               allocation = dg_table_table(table, EVENT_ALLOCATION),
                               value = dg_table_table(table, EVENT_DEBUG);
    struct dg_profile_event_row *row;

    if (!time.at && !allocation.at && !value.at)
        return;
    row = dg_add_profile_event(reading->program);
    row->profile = profile;
    row->idx = (int64_t)idx;
    if (time.at)
        read_time(reading, row, time);
    else if (allocation.at)
        read_allocation(reading, row, allocation);
    else
        read_value(reading, row, value);
}

static void read_run(struct reading *reading, size_t idx,
                     struct dg_flatbuffer_table table)
{
    struct dg_vector events = dg_table_vector(table, RUN_EVENTS);
    struct dg_profile_row *row = dg_add_profile(reading->program);
    int32_t input = dg_table_i32(table, RUN_INPUT, -1);

    row->idx = (int64_t)idx;
    row->name = dg_pte_text(reading->program, table, RUN_NAME);
    row->input = input >= 0 ? input : DG_NONE;
    reading->allocators = dg_table_vector(table, RUN_ALLOCATORS);
    for (size_t i = 0; i < events.n; i++)
        read_event(reading, (int64_t)idx, i, dg_vector_table(events, i));
}

static void read_runs(struct reading *reading, struct dg_vector runs)
{
    for (size_t i = 0; i < runs.n; i++)
        read_run(reading, i, dg_vector_table(runs, i));
    if (reading->n_beyond)
        dg_remark(reading->program, "profile/clock",
                  "%zu times are beyond 2^63, as where a clock ran backwards",
                  reading->n_beyond);
}

/* The buffer lies behind its own size, as flatcc writes it. */
static enum dg_status check_frame(struct dg_bytes file, struct dg_error *err)
{
    uint32_t size = dg_u32(file.data);

    if (memcmp(file.data + IDENTIFIER_AT, "ED00", 4))
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte %d: this is format version %.4s; ED00 is understood",
                       IDENTIFIER_AT, (const char *)file.data + IDENTIFIER_AT);
    if (size > file.size - SIZE_BYTES)
        return dg_fail(err, DG_ERR_FORMAT,
                       "byte 0: an ETDump of %" PRIu32
                       " bytes in a file of %zu: the file is cut off or corrupt",
                       size, file.size);
    return DG_OK;
}

static enum dg_status read_etdump(struct dg_bytes file, bool verify_all,
                                  struct dg_program *program, struct dg_error *err)
{
    struct reading reading = {.program = program};
    struct dg_bytes buffer;
    struct dg_flatbuffer_table root;
    size_t n_unknown;
    enum dg_status status = check_frame(file, err);

    if (status)
        return status;
    buffer = dg_slice(file, SIZE_BYTES, dg_u32(file.data));
    status = dg_flatbuffer_verify_sized(buffer, &etdump, &n_unknown, err);
    if (status)
        return status;
    root = dg_flatbuffer_root(buffer, &etdump);
    program->kind = "etdump";
    program->container = dg_text("ETDump");
    program->version =
        dg_format(&program->memory, "{\"identifier\":\"ED00\",\"etdump\":%" PRIu32 "}",
                  dg_table_u32(root, VERSION, 0));
    if (n_unknown)
        dg_remark(program, "format/unknown-field",
                  "%zu fields are newer than the schema that is known here", n_unknown);
    read_runs(&reading, dg_table_vector(root, RUN_DATA));
    return DG_OK;
}

const struct dg_reader dg_reader_etdump = {"etdp", recognises, read_etdump};
