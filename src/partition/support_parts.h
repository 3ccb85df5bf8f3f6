/* Lists of supported operators in memory, and what nodes are held against. Private to
 * the files support*.c. Absent conditions are zero, -1, NULL or an open range. */
#ifndef DG_PARTITION_SUPPORT_PARTS_H
#define DG_PARTITION_SUPPORT_PARTS_H

#include "base/dtype.h"
#include "base/ops.h"
#include "base/text.h"
#include "partition/partition.h"
#include "partition/support.h"

enum { DG_SUPPORT_NESTING = 8 }; /* of one match within another */

struct dg_support_range {
    int64_t min, max;
};

/* An argument is one item, or a list of them. */
enum dg_support_type {
    DG_ITEM_NONE, /* None; what cannot be read, too */
    DG_ITEM_BOOL,
    DG_ITEM_INT,
    DG_ITEM_FLOAT,
    DG_ITEM_STRING,
    DG_ITEM_SYMBOL, /* a node that gives a number */
    DG_ITEM_TENSOR, /* a node that gives a tensor, or something else that is no number
                     */
};

struct dg_support_item {
    enum dg_support_type type;
    int64_t integer; /* of bool and int; of nodes: dg_support_call.by_input; -1: not
                        known */
    double real;
    struct dg_text text;
};

struct dg_support_items {
    struct dg_support_item *items;
    size_t n_items;
};

/* Sizes that dimension `dim` may have; negative ones count from the end. */
struct dg_support_size {
    int64_t dim;
    struct dg_support_items sizes;
};

struct dg_support_match;
struct dg_support_matcher;

/* Conditions on one tensor. */
struct dg_support_tensor {
    const struct dg_dtype **dtypes;
    size_t n_dtypes;
    struct dg_support_range rank;
    bool is_static;  /* no symbolic size */
    bool is_backed;  /* no size that depends on data */
    bool not_empty;  /* no dimension of size 0 */
    bool only;       /* and nothing but tensors */
    bool alike;      /* of several: one dtype for all */
    bool same_order; /* of results: dimensions in memory as those of the first input */
    int constant;    /* parameter, buffer, lifted constant: 1 must be, 0 must not */
    struct dg_support_size *sizes;
    size_t n_sizes;
    const struct dg_support_match *producer;
    struct dg_support_range elements;
    int *packed; /* as an image: which dimension from the end may be packed */
    size_t n_packed;
    int64_t limits[3]; /* of the image */
};

/* Conditions on one argument. */
struct dg_support_arg {
    struct dg_support_tensor tensor; /* first: readers of its fields are given this */
    struct dg_text name;             /* of the schema */
    int64_t position;                /* instead of a name; -1: none */
    struct dg_support_items in, not_in;
    struct dg_support_range range, count, tensors;
    bool literal;                 /* no symbolic number */
    struct dg_support_items dims; /* the set of dimensions it names */
    bool dims_of_output;          /* negative ones count by the rank of the result */
    struct dg_text at_most;       /* no item above that of this other argument */
    bool keep;                    /* of a group: what it names goes with the call */
};

struct dg_support_users {
    int64_t max;
    struct dg_support_match *all,
        *some; /* each user is one of all; some user is one of some */
    size_t n_all, n_some;
};

/* What a node must look like. */
struct dg_support_match {
    struct dg_text *ops; /* wildcards * and ? */
    size_t n_ops;
    bool taken; /* the list takes it */
    bool fixed; /* nothing in it asks for what is taken */
    bool keep;  /* of a group: such a node goes with the call */
    struct dg_support_tensor inputs, outputs;
    struct dg_support_arg *args;
    size_t n_args;
    struct dg_support_users *users;
};

struct dg_support_rule {
    struct dg_support_match match;
    bool refuse;
    struct dg_text name, why;
};

struct dg_support {
    struct dg_text name;
    struct dg_support_rule *rules; /* the first that decides counts */
    size_t n_rules;
    struct dg_support_match *groups; /* each that a call matches adds to its group */
    size_t n_groups;
    bool values;             /* whether conditions ask for types and sizes */
    bool strides;            /* likewise */
    bool skip_unused;        /* results that only a file names do not count */
    struct dg_text *arg_ops; /* of whose calls conditions ask for arguments */
    size_t n_arg_ops;
    struct dg_arena memory;
};

/* Whether `text` is one that some pattern with its wildcards * and ? means. */
bool dg_wildcard_any(const struct dg_text *patterns, size_t n, struct dg_text text);

/* Whether such an operator can be. If not, *near is the nearest one or NULL; it lives
 * in `memory`. */
bool dg_op_can_be(struct dg_arena *memory, struct dg_text spelling, const char **near);

/* What the nodes of a graph are, read once. Arguments are read of nodes i with
 * wanted[i]; `wanted` NULL: of none. Start from {0}. */
struct dg_support_value {
    const struct dg_dtype *dtype; /* NULL: no tensor, or not known */
    const int64_t *sizes;         /* INT64_MIN: symbolic */
    const int64_t *strides;       /* NULL: not known, or not asked for */
    int32_t rank;                 /* -1: not known */
    bool known, tensor, unbacked;
};

struct dg_support_call_arg {
    struct dg_text name;
    struct dg_support_item *items;
    size_t n_items;
};

struct dg_support_call {
    struct dg_support_call_arg *args;
    size_t n_args;
    bool by_input; /* its items name inputs of the call by number, not nodes */
};

/* Defaults of schemas that were read: few of them are asked for again and again. */
enum { DG_SUPPORT_DEFAULTS = 64 };

struct dg_support_default {
    const char *text; /* in the schema */
    struct dg_support_items items;
};

/* An argument of an operator that was asked for, likewise. */
struct dg_support_schema {
    const char *op, *name; /* asked for */
    int64_t asked, position;
    struct dg_op_arg arg;
    bool known;
};

struct dg_support_facts {
    struct dg_support_default defaults[DG_SUPPORT_DEFAULTS];
    struct dg_support_schema schemas[DG_SUPPORT_DEFAULTS];
    struct dg_support_value *values; /* of each node; NULL: not asked for */
    struct dg_support_call *calls;   /* of those that were wanted; NULL: of none */
    struct dg_arena memory;
};

enum dg_status dg_support_read(struct dg_support_facts *facts,
                               const struct dg_support *support,
                               const struct dg_nodes *nodes, const bool *wanted,
                               struct dg_store *store, struct dg_error *err);
void dg_support_facts_clear(struct dg_support_facts *facts);

/* Whether the dimensions of two tensors lie in memory in one order, as far as known. */
bool dg_support_same_order(const struct dg_support_value *a,
                           const struct dg_support_value *b);

/* An argument of call `node` by name or position. One that the call leaves out has the
 * default of its schema. False: there is no such argument. */
bool dg_support_arg_of(struct dg_support_call_arg *out, struct dg_support_facts *facts,
                       const struct dg_nodes *nodes, uint32_t node, struct dg_text name,
                       int64_t position);

/* The first named argument that no operator of the match has; NULL where there is none,
 * or where some operator's arguments are not known. */
const struct dg_support_arg *
dg_support_unknown_arg(const struct dg_support_match *match);

/* Verdicts of matches within others that stay as they are: many nodes may read one. */
enum { DG_SUPPORT_KNOWN = 1024 };

struct dg_support_known {
    const struct dg_support_match *match;
    uint32_t node;
    bool holds;
};

/* Nodes that go with a call; a node may come twice. */
struct dg_support_kept {
    uint32_t *nodes;
    size_t n_nodes;
    uint64_t n_steps; /* matches that may still be tried; at 0 nothing matches */
};

/* Nodes against matches. */
struct dg_support_matcher {
    const struct dg_support *support;
    const struct dg_nodes *nodes;
    struct dg_support_facts *facts;
    struct dg_support_known *known; /* DG_SUPPORT_KNOWN of them, by hash */
    uint32_t node;                  /* whose reasons are told */
    struct dg_text rule;            /* its name, or NULL */
    bool blind;                     /* users are not decided yet */
    const bool *open; /* calls that are not decided yet, before the present one */
    bool waits;       /* a match asked for what is not decided yet */
    bool all;         /* look for every reason; else stop at the first */
    struct dg_support_kept *kept; /* filled with what matches keep; NULL: not asked */
    unsigned n_reasons;
    dg_refused_fn *told; /* NULL: only count */
    void *context;
    struct dg_writer text;
    enum dg_status status;
    struct dg_error *err;
};

/* Whether `node` is such a node, its operator aside. */
bool dg_support_holds(struct dg_support_matcher *matcher,
                      const struct dg_support_match *match, uint32_t node);

/* A reason for which the node is refused. Returns false, for the condition. */
bool dg_support_refuse(struct dg_support_matcher *matcher, const char *reason,
                       const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* `node` goes with the call that is matched, if what goes with it is asked for. */
void dg_support_keep_node(struct dg_support_matcher *matcher, uint32_t node);

/* The same with its operator, as one condition: which part of it fails is not told. */
bool dg_support_matches(struct dg_support_matcher *matcher,
                        const struct dg_support_match *match, uint32_t node);

/* Never NULL. */
const struct dg_support_value *dg_support_value_of(struct dg_support_matcher *matcher,
                                                   uint32_t node);

/* What messages call a tensor or an argument: its name, or else a format for its
 * number. Most are never called anything. */
struct dg_support_who {
    struct dg_text name;
    const char *format; /* of PRId64 */
    int64_t number;
};
const char *dg_support_who_is(char text[64], const struct dg_support_who *who);

/* The conditions on tensor and on arguments. */
bool dg_support_tensor_holds(struct dg_support_matcher *matcher,
                             const struct dg_support_tensor *tensor, uint32_t node,
                             const struct dg_support_who *who);
bool dg_support_arg_holds(struct dg_support_matcher *matcher,
                          const struct dg_support_arg *arg, uint32_t node);

/* The groups of calls that are supported, as their list has them: of nodes that go with
 * them, and of constants. `groups->group_of` lives in `memory`. DG_ERR_FORMAT: matches
 * within one another go round by so many ways that it would take too long. */
enum dg_status dg_support_find_groups(struct dg_groups *groups, struct dg_arena *memory,
                                      struct dg_support_matcher *matcher);

/* Rules from JSON text, which must outlive *support; `source` names it in messages. */
enum dg_status dg_support_parse(struct dg_support *support, struct dg_text text,
                                const char *source, struct dg_error *err);

#endif
