/* The store of the pickle machine: its memory, stack, marks and memo. */
#include "formats/pickle_parts.h"

#include <stdarg.h>
#include <stdio.h>

enum { SLOT_COST = 2 * sizeof(void *) };

bool dg_pickle_fail(struct dg_pickle_machine *machine, const char *fmt, ...)
{
    unsigned code =
        machine->op < machine->data.size ? machine->data.data[machine->op] : 0;
    const char *name = dg_pickle_opcodes[code].name;
    char what[256];
    va_list args;

    if (machine->failed)
        return false;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    dg_fail(machine->err, DG_ERR_FORMAT, "%s: byte %zu, pickle opcode 0x%02x%s%s: %s",
            machine->source, machine->op, code, name ? " " : "", name ? name : "",
            what);
    machine->failed = true;
    return false;
}

static bool charge(struct dg_pickle_machine *machine, uint64_t bytes)
{
    if (bytes > machine->budget)
        return dg_pickle_fail(machine, "expected a pickle that needs less memory");
    machine->budget -= bytes;
    return true;
}

void *dg_pickle_alloc(struct dg_pickle_machine *machine, size_t count, size_t size)
{
    if (machine->failed || !charge(machine, (count * size + 15) & ~(uint64_t)15))
        return NULL;
    return dg_alloc(machine->memory, count, size);
}

struct dg_pickle_value *dg_pickle_new(struct dg_pickle_machine *machine,
                                      enum dg_pickle_type type)
{
    struct dg_pickle_value *value = dg_pickle_alloc(machine, 1, sizeof(*value));

    if (value)
        value->type = type;
    return value;
}

bool dg_pickle_append(struct dg_pickle_machine *machine, struct dg_pickle_value *list,
                      struct dg_pickle_value *item)
{
    enum { FIRST = 4 };
    size_t count = list->n_items;

    if (!count || (count >= FIRST && !(count & (count - 1)))) {
        struct dg_pickle_value **items =
            dg_pickle_alloc(machine, count ? count * 2 : FIRST, sizeof(*items));

        if (!items)
            return false;
        if (count)
            memcpy(items, list->items, count * sizeof(*items));
        list->items = items;
    }
    list->items[list->n_items++] = item;
    return true;
}

void dg_pickle_push(struct dg_pickle_machine *machine, struct dg_pickle_value *value)
{
    if (!value || machine->failed || !charge(machine, SLOT_COST))
        return;
    *DG_APPEND(machine->stack, machine->n_stack) = value;
}

/* The first slot above the innermost mark. */
static size_t base(const struct dg_pickle_machine *machine)
{
    return machine->n_marks ? machine->marks[machine->n_marks - 1] : 0;
}

struct dg_pickle_value *dg_pickle_pop(struct dg_pickle_machine *machine)
{
    if (machine->n_stack == base(machine)) {
        dg_pickle_fail(machine, "expected a value on the stack");
        return NULL;
    }
    machine->budget += SLOT_COST;
    return machine->stack[--machine->n_stack];
}

struct dg_pickle_value *dg_pickle_top(struct dg_pickle_machine *machine)
{
    if (machine->n_stack == base(machine)) {
        dg_pickle_fail(machine, "expected a value on the stack");
        return NULL;
    }
    return machine->stack[machine->n_stack - 1];
}

struct dg_pickle_value **dg_pickle_pop_mark(struct dg_pickle_machine *machine,
                                            size_t *count)
{
    size_t first;

    *count = 0;
    if (!machine->n_marks) {
        dg_pickle_fail(machine, "expected a mark on the stack");
        return NULL;
    }
    first = machine->marks[--machine->n_marks];
    *count = machine->n_stack - first;
    machine->n_stack = first;
    machine->budget += *count * SLOT_COST + SLOT_COST;
    return machine->stack + first;
}

const uint8_t *dg_pickle_take(struct dg_pickle_machine *machine, uint64_t size)
{
    const uint8_t *bytes = machine->data.data + machine->at;

    if (machine->failed)
        return NULL;
    if (!dg_inside(machine->at, size, machine->data.size)) {
        dg_pickle_fail(machine, "expected %llu more bytes", (unsigned long long)size);
        return NULL;
    }
    machine->at += size;
    return bytes;
}

/* Picklers number memo entries in a row, so a gap is refused rather than filled. */
void dg_pickle_memorise(struct dg_pickle_machine *machine, size_t index)
{
    struct dg_pickle_value *value = dg_pickle_top(machine);

    if (!value)
        return;
    if (index > machine->n_memo) {
        dg_pickle_fail(machine, "expected a memo index of at most %zu, found %zu",
                       machine->n_memo, index);
        return;
    }
    if (index < machine->n_memo)
        machine->memo[index] = value;
    else if (charge(machine, SLOT_COST))
        *DG_APPEND(machine->memo, machine->n_memo) = value;
}

void dg_pickle_recall(struct dg_pickle_machine *machine, size_t index)
{
    if (index < machine->n_memo)
        dg_pickle_push(machine, machine->memo[index]);
    else
        dg_pickle_fail(machine, "expected a memo index below %zu, found %zu",
                       machine->n_memo, index);
}

void dg_pickle_mark(struct dg_pickle_machine *machine)
{
    if (charge(machine, SLOT_COST))
        *DG_APPEND(machine->marks, machine->n_marks) = machine->n_stack;
}
