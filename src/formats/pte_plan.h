/* A method of a .pte while it is read: its values, operators and data flow. */
#ifndef DG_FORMATS_PTE_PLAN_H
#define DG_FORMATS_PTE_PLAN_H

#include "base/ops.h"
#include "formats/pte.h"

/* What data flow has to know of a value. */
struct dg_pte_slot {
    uint8_t type;           /* enum value_type; 0: unknown */
    bool initial;           /* has a content before any instruction */
    bool moved;             /* a MoveCall wrote it last: it is a handle, not bytes */
    bool updated, copied;   /* some kernel writes it in place; that is aten::copy_ */
    bool output;            /* of the method */
    uint16_t refused, made; /* bits 1 << value_type of kinds that who reads it refuses,
                               and that who writes it may give */
    int64_t writer;         /* node that wrote it last, or DG_NONE */
    int64_t last_use;       /* last instruction that names it */
    int64_t seen;           /* by which call, while its arguments are compared */
    int64_t place;          /* its place in planned memory, or DG_NONE */
    struct dg_vector items; /* of a list of values */
};

/* Bytes of planned memory where one or more values begin. */
struct dg_pte_place {
    int64_t writer, value, nbytes; /* the last write here */
    bool read_since;
};

/* A write to planned memory. */
struct dg_pte_span {
    int64_t mem_id, begin, end, node;
};

enum { DG_PTE_SPANS = 64 };

struct dg_pte_operator {
    int64_t op; /* row, or DG_NONE */
    struct dg_text name;
    const struct dg_op *schema;
    uint8_t *access; /* of what the schema names: arguments, and results of the
                        runtime's own operators */
    uint16_t *takes; /* of the same: bits 1 << value_type */
    size_t n_access;
    size_t n_operands; /* of a call: arguments and results; 0: not known */
    bool called;
};

enum { DG_PTE_READ = 1, DG_PTE_WRITE = 2 };

/* A number that is moved to the place of another one. */
struct dg_pte_move {
    int64_t node; /* row */
    int32_t from, to;
};

/* An instruction with the values it names. */
struct dg_pte_call {
    uint8_t type;
    int32_t index; /* operator or delegate, as stored */
    int32_t jump;
    int64_t node, time; /* row; number within the method */
    int32_t *args;
    uint8_t *access;
    size_t n, room;
};

struct dg_pte_plan {
    struct dg_pte *pte;
    struct dg_flatbuffer_table table;
    int64_t method, graph;
    int64_t first_value, first_delegate; /* rows */
    struct dg_arena scratch;             /* of the arrays here */
    struct dg_pte_slot *slots;
    size_t n_slots;
    struct dg_pte_operator *operators;
    size_t n_operators, n_delegates;
    struct dg_pte_place *places;
    struct dg_pte_move *moves; /* of numbers to places of other kinds */
    size_t n_moves;
    struct dg_pte_span spans[DG_PTE_SPANS]; /* of the newest writes, in a ring */
    size_t n_spans;                         /* ever written */
};

/* Rows of the values, and their slots. */
void dg_pte_read_values(struct dg_pte_plan *plan);
struct dg_value_row *dg_pte_value(const struct dg_pte_plan *plan, int64_t index);

/* The row of value `index`, or DG_NONE when it is out of range. */
int64_t dg_pte_value_row(const struct dg_pte_plan *plan, int64_t index);

void dg_pte_read_nodes(struct dg_pte_plan *plan);

/* The slot of value `index`, or NULL when it is out of range. */
static inline struct dg_pte_slot *dg_pte_slot(const struct dg_pte_plan *plan,
                                              int64_t index)
{
    return index >= 0 && (uint64_t)index < plan->n_slots ? &plan->slots[index] : NULL;
}

/* What the blob of a delegate that is called takes and gives; n 0: it is not known. */
struct dg_blob_call dg_pte_payload(const struct dg_pte_plan *plan,
                                   const struct dg_pte_call *call);

/* Which operands a call reads and which it writes: fills call->access. What a delegate
 * does that no blob tells of follows from what was written before it. */
void dg_pte_find_access(struct dg_pte_plan *plan, struct dg_pte_call *call);

/* How many items of this list may be looked at: all or none. */
size_t dg_pte_expand(struct dg_pte *pte, struct dg_vector items);

/* Data flow: see to all calls in advance, then follow each in the order of execution,
 * which adds its edges. */
void dg_pte_begin_flow(struct dg_pte_plan *plan);
void dg_pte_foresee(struct dg_pte_plan *plan, const struct dg_pte_call *call);
void dg_pte_follow(struct dg_pte_plan *plan, const struct dg_pte_call *call);

/* The remark is about the method. */
static inline void dg_pte_remark_on_plan(const struct dg_pte_plan *plan,
                                         struct dg_remark_row *remark)
{
    remark->method = plan->method;
    remark->graph = plan->graph;
}

/* The kinds of values that the runtime accepts for an argument of a schema's type: bits
 * 1 << value_type; all of them for a type it has no kind for. */
uint16_t dg_pte_kinds_of(const char *type);

/* Remarks on what no row shows: contents that are missing, counts of chains, counts and
 * kinds of operands, operators that nothing calls, and in the end what was moved to a
 * place whose readers refuse it. */
void dg_pte_check_chain(const struct dg_pte_plan *plan,
                        struct dg_flatbuffer_table chain, size_t index);
void dg_pte_check_call(struct dg_pte_plan *plan, const struct dg_pte_call *call,
                       struct dg_flatbuffer_table instruction);
void dg_pte_check_operators(const struct dg_pte_plan *plan);
void dg_pte_check_moves(struct dg_pte_plan *plan);

#endif
