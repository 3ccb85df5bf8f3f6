/* Statements that were prepared before: for a small program, preparing a query costs
 * more than asking it. Private to store/. */
#ifndef DG_STORE_IDLE_H
#define DG_STORE_IDLE_H

#include <stdbool.h>

#include "base/text_set.h"

struct sqlite3_stmt;

struct dg_prepared {
    struct sqlite3_stmt *statement;
    bool in_use;
};

/* Starts from {0}. */
struct dg_idle {
    struct dg_text_set texts;       /* of the statements, which own them */
    struct dg_prepared *statements; /* by number of the text */
};

/* The statement with that text, or NULL where there is none or somebody visits it. */
struct sqlite3_stmt *dg_idle_take(struct dg_idle *idle, const char *sql);

/* Who took or prepared it is done with it: kept for the next one, or finalized. */
void dg_idle_give(struct dg_idle *idle, struct sqlite3_stmt *statement);

/* Finalizes all; none may be in use. */
void dg_idle_clear(struct dg_idle *idle);

#endif
