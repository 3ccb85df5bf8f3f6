/* Small FX programs, written down node by node, planned and run. */
#ifndef DG_TESTS_SMALL_PROGRAM_H
#define DG_TESTS_SMALL_PROGRAM_H

#include "unit/rules.h"

#include "exec/machine.h"

/* Arguments of a node as JSON: of one tensor, of two, of a tensor and a number; what a
 * graph returns. */
#define SELF(x) "[{\"name\":\"self\",\"tensor\":\"" x "\"}]"
#define TWO(x, y)                                                                      \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"other\",\"tensor\":\"" y    \
    "\"}]"
#define BY(x, number)                                                                  \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"other\",\"int\":" number "}]"
#define ONE(x) "[{\"name\":\"\",\"tensor\":\"" x "\"}]"

/* A program with the graph 1; further graphs are branches. */
void program_begin(void);
void program_branch(int graph, const char *path);
void program_end(void);

/* The next node of a graph. Shapes are JSON; NULL: no tensor. */
void given_input(int graph, const char *name, const char *dtype, const char *shape);
void given_get_attr(int graph, const char *name);
/* `reads`: names in the order in which `args` mentions them, "x y". */
void given_call(int graph, const char *name, const char *op, const char *args,
                const char *reads);
/* The same without a result that has a name of its own. */
void given_tuple(int graph, const char *name, const char *op, const char *args,
                 const char *reads);
void given_output(int graph, const char *args, const char *reads);

/* The signature of graph 1. A weight lies at `offset` of the program's bytes. */
void given_weight(const char *name, const char *spec, const char *dtype,
                  const char *shape, int offset, int nbytes);
void given_signature(const char *direction, const char *name, const char *spec,
                     const char *target);

/* Bytes of the "file": 0.5, 1.5, 2.5... */
enum { PROGRAM_FLOATS = 512 };
extern float program_file[PROGRAM_FLOATS];

extern struct dg_schedule program_plan;
extern struct dg_machine program_machine;
extern struct dg_arg program_inputs[8];

void plan_program(void);
/* Planned and open, inputs empty. */
void open_program(enum dg_precision precision);
void give_floats(size_t input, int rank, const int64_t *sizes, const float *values);
void give_number(size_t input, float value);
void run_program(void);
/* Runs, fails, and says this. */
void expect_failure(const char *want);
/* Elements of an output: "f32 [2] 1 2.5"; "unknown"; "int 3". */
void expect_output(size_t output, const char *want);
const struct dg_step *step_called(const char *name);
uint32_t slot_called(const char *name);

#endif
