/* A schedule with inputs, and values that are given for them. */
#ifndef DG_TESTS_INPUT_CASE_H
#define DG_TESTS_INPUT_CASE_H

#include <stdio.h>
#include <string.h>

#include "exec/inputs.h"
#include "unit/suite.h"

enum { MOST = 8 };

static struct dg_schedule schedule;
static struct dg_slot slots[MOST];
static struct dg_io ports[MOST];
static struct dg_dimension_range ranges[MOST];
static struct dg_step steps[MOST];
static struct dg_named_value values[MOST];
static struct dg_value_set set;
static struct dg_inputs inputs;
static struct dg_error err;
static char numbers[256];

static inline struct dg_arg tensor(enum dg_type type, int rank, int64_t first,
                                   int64_t second)
{
    const int64_t sizes[] = {first, second};

    return (struct dg_arg){DG_ARG_TENSOR,
                           {.tensor = dg_tensor_over(type, rank, sizes, numbers)}};
}

static inline void begin(void)
{
    schedule = (struct dg_schedule){
        .slots = slots, .inputs = ports, .ranges = ranges, .steps = steps};
    set = (struct dg_value_set){.values = values};
    inputs = (struct dg_inputs){0};
    err = (struct dg_error){0};
}

static inline void given_port(const char *name, const char *kind, struct dg_arg initial)
{
    size_t i = schedule.n_inputs++;

    slots[schedule.n_slots] =
        (struct dg_slot){.kind = DG_SLOT_INPUT, .initial = initial};
    ports[i] = (struct dg_io){.slot = (uint32_t)schedule.n_slots++,
                              .name = name,
                              .kind = kind,
                              .spec = "user_input"};
}

/* x f32 [2,s0], ids i64 [s0], n an int */
static inline void given_program(void)
{
    begin();
    given_port("x", "tensor", tensor(DG_TYPE_F32, 2, 2, 3));
    given_port("ids", "tensor", tensor(DG_TYPE_I64, 1, 3, 0));
    given_port("n", "sym_int", (struct dg_arg){0});
    schedule.n_ranges = 2;
    ranges[0] = (struct dg_dimension_range){0, 1, "s0", 2, 8, 3};
    ranges[1] = (struct dg_dimension_range){1, 0, "s0", 2, 8, 3};
}

static inline void given_value(const char *name, bool named, struct dg_arg arg)
{
    values[set.n_values++] = (struct dg_named_value){name, arg, named};
}

static inline void end(void)
{
    dg_inputs_clear(&inputs);
    for (size_t i = 0; i < schedule.n_slots; i++)
        dg_arg_drop(&slots[i].initial);
    for (size_t i = 0; i < set.n_values; i++)
        dg_arg_drop(&values[i].value);
    begin();
}

static inline struct dg_expected expected(void)
{
    struct dg_expected expected;

    dg_expected_begin(&expected, &schedule, &set);
    return expected;
}

#endif
