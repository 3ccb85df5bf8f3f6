/* What kernels of ExecuTorch's runtime give, and what they refuse: by the sizes, types
 * and dim orders of their arguments, before anything runs. */
#ifndef DG_GRAPH_INFER_H
#define DG_GRAPH_INFER_H

#include "base/arg.h"
#include "base/ops.h"
#include "base/text.h"

/* An argument of a call, as far as it is known. */
struct dg_known {
    enum dg_arg_kind kind; /* UNKNOWN: written while the program runs */
    int64_t idx;           /* which value of the method; -1 */
    union {
        int64_t integer;
        double real;
        const char *string;
        struct dg_known_tensor {
            enum dg_type type;
            unsigned complex; /* bytes of an element, as its type is none of those; 0 */
            bool bounded; /* its sizes may become less */
            int rank;
            int64_t sizes[DG_RANK_MOST];
            unsigned char order[DG_RANK_MOST];
        } * tensor;
        struct {
            const struct dg_known *items;
            size_t n_items;
        } list;
    } as;
};

/* Why the runtime refuses a call. */
enum dg_misfit {
    DG_FITS,
    DG_MISFIT_OPERANDS, /* sizes of operands that do not go together, a dim that is not
                           there */
    DG_MISFIT_SIZES,    /* a result of other sizes than declared */
    DG_MISFIT_TYPE,     /* operands or results of types that the kernel does not take */
    DG_MISFIT_ORDER,    /* likewise of dim orders */
};

struct dg_infer_op; /* what is known of an overload */

/* NULL: nothing. `op` is that of dg_op_find(). Allocated in `memory`. */
const struct dg_infer_op *dg_infer_op(const struct dg_op *op, struct dg_arena *memory);

/* How many operands a call must have for that: its result included, where it has no out
 * argument. */
size_t dg_infer_operands(const struct dg_infer_op *op);

/* Whether a call may be right, and *why not. `args` are those of the schema, out
 * arguments included. Nothing that is not known counts against a call. */
enum dg_misfit dg_infer_check(struct dg_writer *why, const struct dg_infer_op *op,
                              const struct dg_known *args);

#endif
