/* A .pte as a schedule, and a machine that runs it. */
#ifndef DG_TESTS_PTE_SCHEDULE_H
#define DG_TESTS_PTE_SCHEDULE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/inputs.h"
#include "exec/machine.h"
#include "formats/input.h"
#include "store/database.h"
#include "unit/suite.h"

static struct dg_input input;
static struct dg_schedule schedule;
static struct dg_machine machine;
static struct dg_inputs inputs;
static struct dg_error err;

static inline void open_file(const char *name)
{
    static char path[512];

    err = (struct dg_error){0};
    snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("top_srcdir"), name);
    ck_assert_int_eq(dg_input_open(&input, path, DG_HASH_NONE, &err), DG_OK);
}

/* Change rows, as a file that lies would have them. */
static inline void spoil(const char *sql)
{
    ck_assert(!dg_store_write_virtual(input.store, &err));
    ck_assert_msg(!dg_store_exec(input.store, sql, &err), "%s", err.text);
    dg_store_forget(input.store); /* the model was read from what is no more */
}

static inline void make_plan(void)
{
    const struct dg_schedule_files files = {.file = input.file};

    dg_schedule_pte(&schedule, input.store, &files, 1, &err);
    ck_assert_str_eq(err.text, "");
}

static inline void start(enum dg_precision precision)
{
    make_plan();
    dg_machine_open(&machine, &schedule, NULL, precision, 1, &err);
    dg_inputs_random(&inputs, &schedule, 1, &err);
    ck_assert_str_eq(err.text, "");
}

static inline void open_program(const char *name, enum dg_precision precision)
{
    open_file(name);
    start(precision);
}

static inline enum dg_status call(void)
{
    enum dg_status status = dg_machine_begin(&machine, inputs.values, &err);

    return status ? status : dg_machine_run(&machine, &err);
}

static inline void run(void)
{
    call();
    ck_assert_str_eq(err.text, "");
}

static inline void end(void)
{
    dg_inputs_clear(&inputs);
    dg_machine_close(&machine);
    dg_schedule_clear(&schedule);
    dg_input_close(&input);
    err = (struct dg_error){0};
}

static inline float *given(size_t i)
{
    return dg_tensor_data(inputs.values[i].as.tensor);
}

/* Output `i` as f64 into `to`; how many elements it has. */
static inline int64_t read_output(size_t i, double *to)
{
    struct dg_arg value = {0};
    const struct dg_tensor *tensor;
    int64_t count;

    dg_machine_output(&machine, i, &value, &err);
    ck_assert_str_eq(err.text, "");
    ck_assert_int_eq(value.kind, DG_ARG_TENSOR);
    tensor = value.as.tensor;
    count = dg_tensor_count(tensor);
    for (int64_t k = 0; k < count; k++)
        to[k] = tensor->type == DG_TYPE_F64
                    ? ((double *)dg_tensor_data(tensor))[k]
                    : (double)((float *)dg_tensor_data(tensor))[k];
    dg_arg_drop(&value);
    return count;
}

#endif
