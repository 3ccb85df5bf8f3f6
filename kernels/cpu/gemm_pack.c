/* Tiles of matrices as the innermost loop of products reads them. */
#include "kernels/cpu/gemm_pack.h"

#include "kernels/cpu/line.h"
#include "kernels/cpu/vectorize.h"

enum {
    TURNED_DEPTH = 64
}; /* of k: sixteen lines of f64 leave room in the first cache */

static const char *element(const struct dg_gemm_side *side, int64_t across,
                           int64_t depth)
{
    return side->data + (across * side->across + depth * side->depth) *
                            (int64_t)dg_type_bytes(side->type);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#define OF(name) name##_f64
#define SCALAR double
#define OWN_TYPE DG_TYPE_F64
#define LINES reals
#define MADE reals
#define LOAD dg_load_f64
#include "kernels/cpu/gemm_pack_of.h"

#define OF(name) name##_f32
#define SCALAR float
#define OWN_TYPE DG_TYPE_F32
#define LINES singles
#define MADE reals
#define LOAD dg_load_f32
#include "kernels/cpu/gemm_pack_of.h"

#define OF(name) name##_i64
#define SCALAR int64_t
#define OWN_TYPE DG_TYPE_I64
#define LINES integers
#define MADE integers
#define LOAD dg_load_i64
#include "kernels/cpu/gemm_pack_of.h"
