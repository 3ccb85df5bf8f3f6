/* Running an operator on values written as literals, and what it should give.
 *
 *     EXPECT("aten::add.Tensor", ARGS(TENSOR(F32, DIMS(2), 1, 2), INT(3)),
 *            TENSOR(F32, DIMS(2), 4, 5));
 *
 * Arguments that are left out have their default. NaN equals NaN; -0 does not equal 0.
 */
#ifndef DG_TESTS_KERNEL_CASE_H
#define DG_TESTS_KERNEL_CASE_H

#include <math.h>

#include "kernels/kernel.h"
#include "unit/suite.h"

/* How the next calls compute; suites that change it set it back. */
extern enum dg_precision case_precision;
extern int case_threads;

struct case_dims {
    int rank;
    const int64_t *sizes;
};

/* An array literal that may be empty, behind one element that is not counted. */
#define CASE_LITERAL(type, ...) ((const type[]){0, __VA_ARGS__} + 1)
#define CASE_COUNT(type, ...)                                                          \
    (sizeof((const type[]){0, __VA_ARGS__}) / sizeof(type) - 1)

#define DIMS(...)                                                                      \
    ((struct case_dims){(int)CASE_COUNT(int64_t, __VA_ARGS__),                         \
                        CASE_LITERAL(int64_t, __VA_ARGS__)})

/* TENSOR(F32, DIMS(2, 2), 1, 2, 3, 4); a single value fills the whole tensor. */
#define TENSOR(type, dims, ...)                                                        \
    case_tensor(DG_TYPE_##type, dims, CASE_COUNT(double, __VA_ARGS__),                 \
                CASE_LITERAL(double, __VA_ARGS__))
/* For integers that a double does not hold. */
#define BIG_INTEGERS(dims, ...)                                                        \
    case_big_integers(dims, CASE_COUNT(int64_t, __VA_ARGS__),                          \
                      CASE_LITERAL(int64_t, __VA_ARGS__))

struct dg_arg case_tensor(enum dg_type type, struct case_dims dims, size_t n_values,
                          const double *values);
struct dg_arg case_big_integers(struct case_dims dims, size_t n_values,
                                const int64_t *values);
struct dg_arg case_list(size_t n_items, const struct dg_arg *items);
struct dg_arg case_ints(size_t n_values, const int64_t *values);

/* The same values, but not contiguous: every dimension has a gap. */
struct dg_arg spread(struct dg_arg tensor);
/* The view with two dimensions swapped. */
struct dg_arg swapped(struct dg_arg tensor, int dim, int other);

#define INT(value) ((struct dg_arg){DG_ARG_INT, .as.integer = (value)})
#define FLOAT(value) ((struct dg_arg){DG_ARG_FLOAT, .as.real = (value)})
#define TRUTH(value) ((struct dg_arg){DG_ARG_BOOL, .as.integer = (value)})
#define TEXT(value) ((struct dg_arg){DG_ARG_STRING, .as.string = (value)})
#define DTYPE(name) ((struct dg_arg){DG_ARG_TYPE, .as.type = DG_TYPE_##name})
#define NOTHING ((struct dg_arg){0})
#define INTS(...)                                                                      \
    case_ints(CASE_COUNT(int64_t, __VA_ARGS__), CASE_LITERAL(int64_t, __VA_ARGS__))
#define LIST(...)                                                                      \
    case_list(sizeof((const struct dg_arg[]){__VA_ARGS__}) / sizeof(struct dg_arg),    \
              (const struct dg_arg[]){__VA_ARGS__})

struct case_args {
    size_t n;
    struct dg_arg *items;
};

/* The calls below drop the arguments and the expected values. */
#define ARGS(...)                                                                      \
    ((struct case_args){sizeof((struct dg_arg[]){__VA_ARGS__}) /                       \
                            sizeof(struct dg_arg),                                     \
                        (struct dg_arg[]){__VA_ARGS__}})

/* One result, bit for bit: kind, dtype, shape, values. */
#define EXPECT(op, args, result) EXPECT_ALL(op, args, ARGS(result))
/* As many results as are listed. */
#define EXPECT_ALL(op, args, results) case_expect(__LINE__, op, args, results, 0)
/* Values within `tolerance` of what is expected, relative to 1 or to the value. */
#define EXPECT_NEAR(op, args, tolerance, result)                                       \
    case_expect(__LINE__, op, args, ARGS(result), tolerance)
/* A call that fails so, with `text` in what it says. */
#define EXPECT_REFUSED(op, args, status, text)                                         \
    case_refused(__LINE__, op, args, status, text)

void case_expect(int line, const char *op, struct case_args args,
                 struct case_args expected, double tolerance);
void case_refused(int line, const char *op, struct case_args args,
                  enum dg_status status, const char *text);

/* Run `op`: the results, which the caller drops with case_drop(). `args` stay. */
struct case_run {
    enum dg_status status;
    struct dg_error err;
    struct dg_arg results[8];
    size_t n_results;
};
struct case_run case_run(const char *op, struct case_args args);
void case_drop(struct case_run *run);
void case_drop_args(struct case_args args);

#endif
