/* Pickles as data: the run of the machine, and its result. */
#include "formats/pickle.h"

#include <stdlib.h>

#include "formats/pickle_parts.h"

enum { BUDGET_RATIO = 16, BUDGET_MORE = 32 << 20 };

static void run(struct dg_pickle_machine *machine)
{
    static const uint8_t begin[] = {0x80, 2};
    const uint8_t *code;

    if (machine->data.size < 2 || memcmp(machine->data.data, begin, 2) != 0)
        dg_pickle_fail(machine, "expected a pickle of protocol 2 (80 02)");
    while (!machine->failed && !machine->stopped) {
        machine->op = machine->at;
        code = dg_pickle_take(machine, 1);
        if (code && !dg_pickle_opcodes[*code].run)
            dg_pickle_fail(machine, "expected an opcode that torch.save writes");
        else if (code)
            dg_pickle_opcodes[*code].run(machine);
    }
}

enum dg_status dg_pickle_read(struct dg_pickle_value **out, struct dg_bytes data,
                              const char *source, struct dg_arena *memory,
                              struct dg_error *err)
{
    struct dg_pickle_machine machine = {
        .data = data,
        .source = source,
        .memory = memory,
        .err = err,
        .stack = dg_grow(NULL, 0, sizeof(*machine.stack)),
        .budget = BUDGET_RATIO * (uint64_t)data.size + BUDGET_MORE,
    };

    *out = NULL;
    run(&machine);
    if (!machine.failed && dg_pickle_measure(&machine, machine.stack[0]))
        *out = machine.stack[0];
    free(machine.stack);
    free(machine.memo);
    free(machine.marks);
    return machine.failed ? DG_ERR_FORMAT : DG_OK;
}

const struct dg_pickle_value *dg_pickle_get(const struct dg_pickle_value *dict,
                                            const char *key)
{
    if (dict->type != DG_PICKLE_DICT)
        return NULL;
    for (size_t i = dict->n_items; i >= 2; i -= 2) {
        const struct dg_pickle_value *name = dict->items[i - 2];

        if (name->type == DG_PICKLE_STRING && dg_text_is(name->text, key))
            return dict->items[i - 1];
    }
    return NULL;
}
