/* Operator schemas of PyTorch 2.13.0 and ExecuTorch 1.5.1: facts, asked by name. */
#ifndef DG_BASE_OPS_H
#define DG_BASE_OPS_H

#include <stdbool.h>
#include <stddef.h>

enum dg_op_flag {
    DG_OP_CORE = 1 << 0,             /* of the Core ATen set */
    DG_OP_VIEW = 1 << 1,             /* a result may share memory with an argument */
    DG_OP_POINTWISE = 1 << 2,        /* one element out depends on one of each input */
    DG_OP_NONDETERMINISTIC = 1 << 3, /* draws from a random generator */
    DG_OP_PORTABLE = 1 << 4,         /* the portable kernels or the runtime have it */
    DG_OP_MUTATES = 1 << 5,          /* writes an argument; `.out` overloads, too */
    DG_OP_OUT = 1 << 6,              /* all it writes are its out arguments */
    DG_OP_INPLACE_VIEW = 1 << 7,     /* changes the shape of its own argument */
    DG_OP_VIEW_COPY = 1 << 8,        /* the copying twin of a view */
    DG_OP_REDUCTION = 1 << 9,        /* tagged so; not all reductions are */
    DG_OP_DYNAMIC_SHAPE = 1 << 10,   /* the shape of the result depends on data */
    DG_OP_DATA_DEPENDENT = 1 << 11,  /* a result outside of tensors depends on data */
    DG_OP_MAYBE_ALIASING = 1 << 12,  /* may alias or write without saying so */
    DG_OP_SHIPPED = 1 << 13,         /* some kernel library of the wheel has it */
    DG_OP_SCRIPT = 1 << 14,          /* known to TorchScript, not to the dispatcher */
    DG_OP_MORE_ARGS = 1 << 15,       /* takes more arguments than `args` names */
    DG_OP_MORE_RETURNS = 1 << 16,    /* gives more results than `returns` names */
};

/* One overload. The texts are PyTorch's schema syntax without the parentheses. */
struct dg_op {
    const char *name;    /* "aten::add.Tensor"; the default overload: "aten::relu" */
    const char *args;    /* "Tensor self, Tensor other, *, Scalar alpha=1" */
    const char *returns; /* "Tensor", "Tensor(a!) values, Tensor(b!) indices", "" */
    unsigned flags;      /* of enum dg_op_flag */
};

/* One argument or result. Pointers lead into the schema's text: mind the lengths. */
struct dg_op_arg {
    const char *name; /* "self"; most results have none: length 0 */
    size_t name_length;
    char type[48];       /* without alias marks: "Tensor", "SymInt[2]", "Scalar?" */
    const char *alias;   /* label of `Tensor(a!)`, "a" or "a|b"; NULL without */
    size_t alias_length; /* equal labels share memory */
    const char *default_text; /* "1", "[1, 1]", "'none'"; NULL without a default */
    size_t default_length;
    bool kwarg_only;
    bool writes; /* marked with `!` */
    bool is_out; /* receives the result: keyword-only and written */
};

/* Every overload, sorted bytewise by name. */
extern const struct dg_op dg_ops[];
extern const size_t dg_n_ops;

/* The overload of that name, which need not end with NUL; NULL if it is unknown.
 * "aten::relu" and "aten::relu.default" are one. */
const struct dg_op *dg_op_find(const char *name, size_t length);

/* Whether an overload that dg_op_find() does not know cannot be right: so in `aten`.
 * Anyone may add to the other namespaces. `name` is that of an overload. */
bool dg_op_known_namespace(const char *name, size_t length);

/* Read the argument at `*cursor` and step over it; false at the end or at "...".
 * Start at `op->args` or `op->returns`, with `*arg` from {0}; later calls must see what
 * the one before left there: it remembers the `*` before keyword-only arguments. */
bool dg_op_next_arg(const char **cursor, struct dg_op_arg *arg);

size_t dg_op_n_args(const struct dg_op *op);
size_t dg_op_n_returns(const struct dg_op *op);

#endif
