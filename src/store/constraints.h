/* What stands in the columns of a store that delegraph wrote. Private to store/. */
#ifndef DG_STORE_CONSTRAINTS_H
#define DG_STORE_CONSTRAINTS_H

#include <stdbool.h>

#include "base/text.h"

struct dg_constraint {
    const char *columns; /* "idx pos", of any table; "node.args" */
    enum { DG_CONSTRAINT_NUMBER, DG_CONSTRAINT_WORD, DG_CONSTRAINT_JSON } type;
    int64_t least, most; /* of a number */
    const char *words;   /* those there may be; of JSON: how it begins, or "" */
};

/* What a column holds; NULL: anything of its type. */
const struct dg_constraint *dg_constraint(struct dg_text table, struct dg_text column);

/* Whether `word` is one of those in `list`, which has blanks between them. */
bool dg_constraint_has_word(const char *list, struct dg_text word);

/* `text` ends with NUL. */
bool dg_is_json(struct dg_text text);

/* "expected ...", for people. */
void dg_constraint_print(struct dg_writer *out, const struct dg_constraint *constraint);

#endif
