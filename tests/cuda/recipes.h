/* Calls that every CUDA kernel is held to, written as text. */
#ifndef DG_TESTS_CUDA_RECIPES_H
#define DG_TESTS_CUDA_RECIPES_H

#include "base/arg.h"

enum { RECIPE_ARGS_MOST = 16 };

/* Arguments, apart by spaces:
 *
 *   F[2,3]      floats of the type under test; N[2,3] floats and integers, Z[2,3]
 *               integers and truth values; P[2,3] floats above 0
 *   B[2,3]      truth values
 *   I[4]<10     indices from -10 to 9; J[4]<10 from 0 to 9; Q[4]<10 different ones
 *   S[2,3]      f32 whatever the type under test
 *   3 0.5 none true :f16 'tanh' (1,2) {F[2] F[3]}
 */
struct recipe {
    const char *op, *args;
};

extern const struct recipe recipes[]; /* ends with {0} */

/* How tensors lie in memory, and what they hold. */
enum layout { LAYOUT_DENSE, LAYOUT_TRANSPOSED, LAYOUT_SLICED, N_LAYOUTS };

struct variant {
    enum dg_type type;
    enum layout layout;
    bool special; /* NaN, infinities, zeros and subnormals among the floats */
    uint64_t seed;
};

/* Whether the recipe says something of this type; `untyped`: of none. */
bool recipe_takes(const struct recipe *recipe, enum dg_type type);
bool recipe_is_untyped(const struct recipe *recipe);

/* Arguments on the host; how many. Drop each. */
size_t recipe_args(const struct recipe *recipe, const struct variant *variant,
                   struct dg_arg *args);

#endif
