/* One function per opcode of a pickle. */
#include "formats/pickle_parts.h"

static void run_proto(struct dg_pickle_machine *machine)
{
    const uint8_t *version = dg_pickle_take(machine, 1);

    if (version && (*version != 2 || machine->op != 0))
        dg_pickle_fail(machine, "expected protocol 2 once, at the beginning; found %u",
                       (unsigned)*version);
}

static void run_stop(struct dg_pickle_machine *machine)
{
    machine->stopped = true;
    if (machine->n_stack != 1 || machine->n_marks)
        dg_pickle_fail(machine, "expected one value on the stack, found %zu",
                       machine->n_stack);
    else if (machine->at != machine->data.size)
        dg_pickle_fail(machine, "expected the end, found %zu more bytes",
                       machine->data.size - machine->at);
}

static void run_none(struct dg_pickle_machine *machine)
{
    static struct dg_pickle_value none = {.type = DG_PICKLE_NONE};

    dg_pickle_push(machine, &none);
}

static void push_bool(struct dg_pickle_machine *machine, bool is_true)
{
    static struct dg_pickle_value values[] = {
        {.type = DG_PICKLE_BOOL, .integer = 0},
        {.type = DG_PICKLE_BOOL, .integer = 1},
    };

    dg_pickle_push(machine, &values[is_true]);
}

static void run_newtrue(struct dg_pickle_machine *machine)
{
    push_bool(machine, true);
}

static void run_newfalse(struct dg_pickle_machine *machine)
{
    push_bool(machine, false);
}

static struct dg_pickle_value *new_int(struct dg_pickle_machine *machine,
                                       int64_t integer)
{
    struct dg_pickle_value *value = dg_pickle_new(machine, DG_PICKLE_INT);

    if (value)
        value->integer = integer;
    return value;
}

static void run_binint(struct dg_pickle_machine *machine)
{
    const uint8_t *at = dg_pickle_take(machine, 4);

    if (at)
        dg_pickle_push(machine, new_int(machine, (int32_t)dg_u32(at)));
}

static void run_binint1(struct dg_pickle_machine *machine)
{
    const uint8_t *at = dg_pickle_take(machine, 1);

    if (at && !machine->small[*at])
        machine->small[*at] = new_int(machine, *at);
    if (at)
        dg_pickle_push(machine, machine->small[*at]);
}

static void run_binint2(struct dg_pickle_machine *machine)
{
    const uint8_t *at = dg_pickle_take(machine, 2);

    if (at)
        dg_pickle_push(machine, new_int(machine, dg_u16(at)));
}

static void push_text(struct dg_pickle_machine *machine, enum dg_pickle_type type,
                      struct dg_text text)
{
    struct dg_pickle_value *value = dg_pickle_new(machine, type);

    if (value)
        value->text = text;
    dg_pickle_push(machine, value);
}

static void run_long1(struct dg_pickle_machine *machine)
{
    const uint8_t *size = dg_pickle_take(machine, 1);
    const uint8_t *at = size ? dg_pickle_take(machine, *size) : NULL;
    uint64_t integer = 0;

    if (!at)
        return;
    if (*size > 8) {
        push_text(machine, DG_PICKLE_OPAQUE, dg_text("builtins int"));
        return;
    }
    if (*size && at[*size - 1] & 0x80)
        integer = UINT64_MAX;
    for (int i = *size - 1; i >= 0; i--)
        integer = integer << 8 | at[i];
    dg_pickle_push(machine, new_int(machine, (int64_t)integer));
}

static void run_binfloat(struct dg_pickle_machine *machine)
{
    const uint8_t *at = dg_pickle_take(machine, 8);
    struct dg_pickle_value *value = at ? dg_pickle_new(machine, DG_PICKLE_FLOAT) : NULL;
    uint64_t bits = 0;

    if (!value)
        return;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | at[i];
    memcpy(&value->real, &bits, sizeof(value->real));
    dg_pickle_push(machine, value);
}

static void run_binunicode(struct dg_pickle_machine *machine)
{
    const uint8_t *size = dg_pickle_take(machine, 4);
    const uint8_t *at = size ? dg_pickle_take(machine, dg_u32(size)) : NULL;
    struct dg_text text = {(const char *)at, size ? dg_u32(size) : 0};

    if (!at)
        return;
    if (!dg_is_utf8(text))
        dg_pickle_fail(machine, "expected UTF-8 in a string");
    push_text(machine, DG_PICKLE_STRING, text);
}

static void run_short_binstring(struct dg_pickle_machine *machine)
{
    const uint8_t *size = dg_pickle_take(machine, 1);
    const uint8_t *at = size ? dg_pickle_take(machine, *size) : NULL;
    struct dg_text text = {(const char *)at, size ? *size : 0};

    if (at)
        push_text(machine, dg_is_utf8(text) ? DG_PICKLE_STRING : DG_PICKLE_BYTES, text);
}

static void run_empty_dict(struct dg_pickle_machine *machine)
{
    dg_pickle_push(machine, dg_pickle_new(machine, DG_PICKLE_DICT));
}

static void run_empty_list(struct dg_pickle_machine *machine)
{
    dg_pickle_push(machine, dg_pickle_new(machine, DG_PICKLE_LIST));
}

static void run_empty_set(struct dg_pickle_machine *machine)
{
    push_text(machine, DG_PICKLE_OPAQUE, dg_text("builtins set"));
}

static void push_tuple(struct dg_pickle_machine *machine,
                       struct dg_pickle_value **items, size_t count)
{
    struct dg_pickle_value *tuple = dg_pickle_new(machine, DG_PICKLE_TUPLE);

    if (tuple && count)
        tuple->items = dg_pickle_alloc(machine, count, sizeof(*items));
    if (machine->failed)
        return;
    if (count)
        memcpy(tuple->items, items, count * sizeof(*items));
    tuple->n_items = count;
    dg_pickle_push(machine, tuple);
}

static void run_empty_tuple(struct dg_pickle_machine *machine)
{
    push_tuple(machine, NULL, 0);
}

static void run_tuple(struct dg_pickle_machine *machine)
{
    size_t count;
    struct dg_pickle_value **items = dg_pickle_pop_mark(machine, &count);

    if (items)
        push_tuple(machine, items, count);
}

/* TUPLE1, TUPLE2 and TUPLE3: opcodes in a row. */
static void run_short_tuple(struct dg_pickle_machine *machine)
{
    struct dg_pickle_value *items[3];
    size_t count = machine->data.data[machine->op] - 0x84;

    for (size_t i = count; i > 0; i--)
        items[i - 1] = dg_pickle_pop(machine);
    if (!machine->failed)
        push_tuple(machine, items, count);
}

/* Append to the container on top of the stack. What is not known stays opaque. */
static void extend(struct dg_pickle_machine *machine, enum dg_pickle_type type,
                   struct dg_pickle_value **items, size_t count)
{
    struct dg_pickle_value *into = dg_pickle_top(machine);

    if (!into || into->type == DG_PICKLE_OPAQUE)
        return;
    if (into->type != type)
        dg_pickle_fail(machine, "expected a %s to put items into",
                       type == DG_PICKLE_DICT ? "dict" : "list");
    else if (type == DG_PICKLE_DICT && count % 2)
        dg_pickle_fail(machine, "expected keys and values in pairs");
    for (size_t i = 0; i < count && !machine->failed; i++)
        dg_pickle_append(machine, into, items[i]);
}

static void run_append(struct dg_pickle_machine *machine)
{
    struct dg_pickle_value *item = dg_pickle_pop(machine);

    if (item)
        extend(machine, DG_PICKLE_LIST, &item, 1);
}

static void run_setitem(struct dg_pickle_machine *machine)
{
    struct dg_pickle_value *value = dg_pickle_pop(machine),
                           *key = value ? dg_pickle_pop(machine) : NULL;

    if (key)
        extend(machine, DG_PICKLE_DICT, (struct dg_pickle_value *[]){key, value}, 2);
}

static void run_appends(struct dg_pickle_machine *machine)
{
    size_t count;
    struct dg_pickle_value **items = dg_pickle_pop_mark(machine, &count);

    if (items)
        extend(machine, DG_PICKLE_LIST, items, count);
}

static void run_setitems(struct dg_pickle_machine *machine)
{
    size_t count;
    struct dg_pickle_value **items = dg_pickle_pop_mark(machine, &count);

    if (items)
        extend(machine, DG_PICKLE_DICT, items, count);
}

static void run_binput(struct dg_pickle_machine *machine)
{
    const uint8_t *at = dg_pickle_take(machine, 1);

    if (at)
        dg_pickle_memorise(machine, *at);
}

static void run_long_binput(struct dg_pickle_machine *machine)
{
    const uint8_t *at = dg_pickle_take(machine, 4);

    if (at)
        dg_pickle_memorise(machine, dg_u32(at));
}

static void run_binget(struct dg_pickle_machine *machine)
{
    const uint8_t *at = dg_pickle_take(machine, 1);

    if (at)
        dg_pickle_recall(machine, *at);
}

static void run_long_binget(struct dg_pickle_machine *machine)
{
    const uint8_t *at = dg_pickle_take(machine, 4);

    if (at)
        dg_pickle_recall(machine, dg_u32(at));
}

/* One of the two lines behind GLOBAL, without its end. */
static struct dg_text take_line(struct dg_pickle_machine *machine)
{
    const uint8_t *at = machine->data.data + machine->at, *end;
    struct dg_text line = {0};

    end = memchr(at, '\n', machine->data.size - machine->at);
    if (!end) {
        dg_pickle_fail(machine, "expected a line that ends");
        return line;
    }
    line = (struct dg_text){(const char *)at, (size_t)(end - at)};
    machine->at += line.size + 1;
    for (size_t i = 0; i < line.size; i++) {
        if ((uint8_t)line.data[i] <= ' ' || line.data[i] == 0x7f)
            dg_pickle_fail(machine, "expected a Python name");
    }
    if (!line.size || !dg_is_utf8(line))
        dg_pickle_fail(machine, "expected a Python name");
    return line;
}

static void run_global(struct dg_pickle_machine *machine)
{
    struct dg_text module = take_line(machine), name = {0};
    char *text;

    if (!machine->failed)
        name = take_line(machine);
    text = dg_pickle_alloc(machine, module.size + name.size + 1, 1);
    if (!text)
        return;
    memcpy(text, module.data, module.size);
    text[module.size] = ' ';
    memcpy(text + module.size + 1, name.data, name.size);
    push_text(machine, DG_PICKLE_OPAQUE,
              (struct dg_text){text, module.size + name.size + 1});
}

/* REDUCE and NEWOBJ: call the one below the top with the tuple on top. */
static void run_call(struct dg_pickle_machine *machine)
{
    struct dg_pickle_value *args = dg_pickle_pop(machine),
                           *name = args ? dg_pickle_pop(machine) : NULL;

    if (!name)
        return;
    if (name->type != DG_PICKLE_OPAQUE || args->type != DG_PICKLE_TUPLE)
        dg_pickle_fail(machine, "expected a global and a tuple of arguments");
    else
        dg_pickle_push(machine, dg_pickle_call(machine, name, args));
}

/* The state of a dict or of an unknown object is dropped. */
static void run_build(struct dg_pickle_machine *machine)
{
    struct dg_pickle_value *state = dg_pickle_pop(machine),
                           *object = state ? dg_pickle_top(machine) : NULL;

    if (object && object->type != DG_PICKLE_DICT && object->type != DG_PICKLE_OPAQUE &&
        object->type != DG_PICKLE_TENSOR)
        dg_pickle_fail(machine, "expected an object that has state");
}

static void run_binpersid(struct dg_pickle_machine *machine)
{
    struct dg_pickle_value *id = dg_pickle_pop(machine);

    if (id)
        dg_pickle_push(machine, dg_pickle_storage(machine, id));
}

const struct dg_pickle_opcode dg_pickle_opcodes[256] = {
    ['('] = {"MARK", dg_pickle_mark},
    [')'] = {"EMPTY_TUPLE", run_empty_tuple},
    ['.'] = {"STOP", run_stop},
    ['G'] = {"BINFLOAT", run_binfloat},
    ['J'] = {"BININT", run_binint},
    ['K'] = {"BININT1", run_binint1},
    ['M'] = {"BININT2", run_binint2},
    ['N'] = {"NONE", run_none},
    ['Q'] = {"BINPERSID", run_binpersid},
    ['R'] = {"REDUCE", run_call},
    ['U'] = {"SHORT_BINSTRING", run_short_binstring},
    ['X'] = {"BINUNICODE", run_binunicode},
    [']'] = {"EMPTY_LIST", run_empty_list},
    ['a'] = {"APPEND", run_append},
    ['b'] = {"BUILD", run_build},
    ['c'] = {"GLOBAL", run_global},
    ['e'] = {"APPENDS", run_appends},
    ['h'] = {"BINGET", run_binget},
    ['j'] = {"LONG_BINGET", run_long_binget},
    ['q'] = {"BINPUT", run_binput},
    ['r'] = {"LONG_BINPUT", run_long_binput},
    ['s'] = {"SETITEM", run_setitem},
    ['t'] = {"TUPLE", run_tuple},
    ['u'] = {"SETITEMS", run_setitems},
    ['}'] = {"EMPTY_DICT", run_empty_dict},
    [0x80] = {"PROTO", run_proto},
    [0x81] = {"NEWOBJ", run_call},
    [0x85] = {"TUPLE1", run_short_tuple},
    [0x86] = {"TUPLE2", run_short_tuple},
    [0x87] = {"TUPLE3", run_short_tuple},
    [0x88] = {"NEWTRUE", run_newtrue},
    [0x89] = {"NEWFALSE", run_newfalse},
    [0x8a] = {"LONG1", run_long1},
    [0x8f] = {"EMPTY_SET", run_empty_set},
};
