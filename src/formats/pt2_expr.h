/* Symbolic expressions on their way from SymPy's srepr() to its str(). */
#ifndef DG_FORMATS_PT2_EXPR_H
#define DG_FORMATS_PT2_EXPR_H

#include "base/arena.h"

/* SymPy's precedences. */
enum { OR = 36, RELATION = 35, AND = 38, ADD = 40, MUL = 50, POW = 60, FUNC = 70 };
enum { ATOM = 1000 };

enum { RANK_NUMBER, RANK_ATOM, RANK_PRODUCT, RANK_SUM, RANK_FUNCTION, RANK_OTHER };

struct dg_term {
    enum { OTHER, NUMBER, SUM, POWER } type;
    struct dg_text text;
    int precedence;
    int64_t p, q;                  /* of a NUMBER */
    struct dg_text base, exponent; /* of a POWER */
    int base_precedence;
    int64_t exponent_p, exponent_q; /* q 0: not a number */
    int exponent_precedence;
    int rank; /* with `size` and `key`, SymPy's default_sort_key() as far as it goes */
    size_t size;
    struct dg_text key;
};

struct dg_terms {
    struct dg_term *items;
    size_t count;
};

/* What `name`, such as Add, makes of `terms`, which it may reorder. Its text is absent
 * when it does not take so many. */
struct dg_term dg_combine_terms(struct dg_arena *memory, struct dg_text name,
                                const struct dg_terms *terms);

#endif
