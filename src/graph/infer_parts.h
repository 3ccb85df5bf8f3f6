/* What the functions that infer sizes share. Private to graph/. */
#ifndef DG_GRAPH_INFER_PARTS_H
#define DG_GRAPH_INFER_PARTS_H

#include "graph/infer.h"

enum { DG_INFER_ARGS = 40 };

enum dg_inferred {
    DG_INFER_NOTHING,
    DG_INFER_RANK,  /* sizes may become less than call->sizes, or are not known */
    DG_INFER_BOUND, /* they are what the bounds of one operand give */
    DG_INFER_SIZES,
    DG_INFER_REFUSED, /* call->why says it */
};

/* A call whose results are looked for. */
struct dg_infer_call {
    const struct dg_infer_op *op;
    const struct dg_known *args;
    size_t out;   /* which result: an out argument, or an item of the list of them */
    size_t n_out; /* of how many */
    struct dg_writer *why;
    int rank; /* of the result, as are the sizes */
    int64_t sizes[DG_RANK_MOST];
};

typedef enum dg_inferred dg_infer_fn(struct dg_infer_call *call);

/* What a kernel asks of types. The types of results: */
enum dg_infer_types {
    FREE,        /* any */
    SAME,        /* that of the first tensor */
    SAME_INDEX,  /* so the first result, the others are i64 */
    EQUAL,       /* all tensors have one type */
    CASTS,       /* each operand can be cast to it */
    CAST,        /* what torch computes in can be cast to it */
    SIZE_CAST,   /* likewise, and of complex numbers it is real: sizes of them */
    COMMON,      /* it is what torch computes in */
    NUMBER,      /* likewise, of a tensor and a number */
    NUMBER_CAST, /* what torch computes in can be cast to it, likewise */
    BOUNDED,     /* what torch computes in, of a tensor and numbers as bounds */
    TRUTH,       /* bool */
    TRUTH_OR_U8, /* likewise, or u8 */
    INDEX,       /* i64 */
    REAL,        /* a float */
    COPIED,      /* what the first tensor can be copied into */
};

/* The types of operands and results that a kernel knows, a bit for each dg_type. */
#define DG_BIT(type) (1u << DG_TYPE_##type)
enum {
    DG_INFER_INTS = DG_BIT(U8) | DG_BIT(I8) | DG_BIT(I16) | DG_BIT(I32) | DG_BIT(I64),
    DG_INFER_FLOATS = DG_BIT(F16) | DG_BIT(BF16) | DG_BIT(F32) | DG_BIT(F64),
    DG_INFER_NUMBERS = DG_INFER_INTS | DG_INFER_FLOATS,
    DG_INFER_REALS = DG_INFER_NUMBERS | DG_BIT(BOOL),
    DG_INFER_BITS = DG_INFER_INTS | DG_BIT(BOOL),
    DG_INFER_COMPLEX = 1 << 30, /* for which there is no dg_type */
    DG_INFER_ALL = DG_INFER_REALS | DG_INFER_COMPLEX,
    DG_INFER_ALL_NUMBERS = DG_INFER_NUMBERS | DG_INFER_COMPLEX,
    DG_INFER_ANYTHING = -1,
};

/* What a kernel asks of dim orders. */
enum dg_infer_order {
    ANY_ORDER,
    ONE_ORDER,    /* all tensors default, or all channels last */
    SELF_ORDER,   /* so its first tensor and its results */
    PLAIN_ORDER,  /* all tensors default */
    PLAIN_SELF,   /* its first tensor and its results default */
    WINDOW_ORDER, /* each of these default or channels last */
};

struct dg_infer_row {
    const char *op;
    dg_infer_fn *sizes;
    enum dg_infer_types types;
    unsigned accepts;
    enum dg_infer_order order;
};

struct dg_infer_op {
    const struct dg_infer_row *row;
    const struct dg_op *schema;
    struct dg_op_arg args[DG_INFER_ARGS];
    size_t n_args, n_inputs;
    bool limited; /* some argument asks for what kernels cannot do */
};

#define INFER(op, sizes, types, accepts, order) dg_infer_fn dg_infer_##sizes;
#include "graph/infer.def"
#undef INFER

/* infer_types.c, infer_order.c: whether they are what the kernel asks for. */
enum dg_misfit dg_infer_types(const struct dg_infer_call *call);
enum dg_misfit dg_infer_order(const struct dg_infer_call *call);

/* The result that the call is about. */
const struct dg_known *dg_infer_result(const struct dg_infer_call *call);
bool dg_infer_is_named(const struct dg_op_arg *arg, const char *name);
/* Each tensor of the arguments from `first` to `end`, and of lists among them. */
typedef void dg_infer_visit_fn(void *context, const struct dg_known *known,
                               const struct dg_op_arg *arg);
void dg_infer_visit(const struct dg_infer_call *call, size_t first, size_t end,
                    dg_infer_visit_fn *visit, void *context);

/* The argument called `name`; NULL: there is none. */
const struct dg_known *dg_infer_arg(const struct dg_infer_call *call, const char *name);
/* The tensor that is argument `name`, or the first that the schema has (NULL); NULL:
 * none, or it is not known. */
const struct dg_known_tensor *dg_infer_tensor(const struct dg_infer_call *call,
                                              const char *name);
/* False: the number is not known. Where nothing is passed it is `otherwise`. */
bool dg_infer_int(const struct dg_infer_call *call, const char *name, int64_t otherwise,
                  int64_t *value);
/* How many numbers the list has; -1: not known. Nothing is a list of none. */
int dg_infer_ints(const struct dg_infer_call *call, const char *name, int64_t *values);

/* The result has these sizes. */
enum dg_inferred dg_infer_like(struct dg_infer_call *call,
                               const struct dg_known_tensor *tensor);
/* A dimension of a tensor of this rank, counted from 0; false: call->why is filled. */
bool dg_infer_dim(const struct dg_infer_call *call, const char *name, int64_t dim,
                  int rank, int *result);
/* The bits of several of them. */
enum dg_inferred dg_infer_dims(const struct dg_infer_call *call, const char *name,
                               int rank, unsigned *dims);
/* Whether two sizes are surely different. */
bool dg_infer_differ(const struct dg_known_tensor *a, int i,
                     const struct dg_known_tensor *b, int k);
int64_t dg_infer_count(const struct dg_known_tensor *tensor);
/* "refuses sizes [2,3], [4]" of the tensors among the operands. */
enum dg_inferred dg_infer_refuse(const struct dg_infer_call *call);
/* Sizes that follow from those of `tensor` and from known numbers alone. */
enum dg_inferred dg_infer_exact(const struct dg_known_tensor *tensor);

#endif
