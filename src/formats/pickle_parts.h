/* What the files of the pickle machine share. */
#ifndef DG_FORMATS_PICKLE_PARTS_H
#define DG_FORMATS_PICKLE_PARTS_H

#include <stdbool.h>

#include "formats/pickle.h"

struct dg_pickle_machine {
    struct dg_bytes data;
    size_t at, op; /* next byte; where the opcode being run begins */
    const char *source;
    struct dg_arena *memory;
    struct dg_error *err;
    uint64_t budget; /* bytes that may still be allocated */
    struct dg_pickle_value **stack, **memo;
    size_t n_stack, n_memo;
    size_t *marks;
    size_t n_marks;
    struct dg_pickle_value *small[256]; /* integers made so far, to be shared */
    bool failed, stopped;
};

struct dg_pickle_opcode {
    const char *name;
    void (*run)(struct dg_pickle_machine *machine); /* NULL: refused */
};

extern const struct dg_pickle_opcode dg_pickle_opcodes[256];

/* Fail at the present opcode; `fmt` says what was expected. Returns false. */
bool dg_pickle_fail(struct dg_pickle_machine *machine, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Zeroed memory within the budget; NULL after a failure. */
void *dg_pickle_alloc(struct dg_pickle_machine *machine, size_t count, size_t size);
struct dg_pickle_value *dg_pickle_new(struct dg_pickle_machine *machine,
                                      enum dg_pickle_type type);
bool dg_pickle_append(struct dg_pickle_machine *machine, struct dg_pickle_value *list,
                      struct dg_pickle_value *item);

void dg_pickle_push(struct dg_pickle_machine *machine, struct dg_pickle_value *value);
struct dg_pickle_value *dg_pickle_pop(struct dg_pickle_machine *machine);
struct dg_pickle_value *dg_pickle_top(struct dg_pickle_machine *machine);

void dg_pickle_mark(struct dg_pickle_machine *machine);

/* Drop the innermost mark. What was above it, *count values, stays readable until the
 * next push. NULL after a failure. */
struct dg_pickle_value **dg_pickle_pop_mark(struct dg_pickle_machine *machine,
                                            size_t *count);

/* Keep the top of the stack in the memo; push what the memo has. */
void dg_pickle_memorise(struct dg_pickle_machine *machine, size_t index);
void dg_pickle_recall(struct dg_pickle_machine *machine, size_t index);

/* The next `size` bytes of the pickle; NULL after a failure. */
const uint8_t *dg_pickle_take(struct dg_pickle_machine *machine, uint64_t size);

/* What calling the global `name` ("module name") would give, or NULL after a failure.
 */
struct dg_pickle_value *dg_pickle_call(struct dg_pickle_machine *machine,
                                       struct dg_pickle_value *name,
                                       const struct dg_pickle_value *args);

/* The storage that a persistent id means. */
struct dg_pickle_value *dg_pickle_storage(struct dg_pickle_machine *machine,
                                          const struct dg_pickle_value *id);

/* Measure all containers below `root`; fails on cycles and explosions. */
bool dg_pickle_measure(struct dg_pickle_machine *machine, struct dg_pickle_value *root);

#endif
