/* Statements that were prepared before. */
#include "store/idle.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/arena.h"

/* More than delegraph has queries; those that are written as they are asked end here.
 */
enum { MOST_KEPT = 1024 };

sqlite3_stmt *dg_idle_take(struct dg_idle *idle, const char *sql)
{
    uint32_t at = dg_text_set_find(&idle->texts, dg_text(sql));

    if (at == DG_NO_TEXT || idle->statements[at].in_use)
        return NULL;
    idle->statements[at].in_use = true;
    return idle->statements[at].statement;
}

void dg_idle_give(struct dg_idle *idle, sqlite3_stmt *statement)
{
    struct dg_text sql = dg_text(sqlite3_sql(statement));
    size_t n = idle->texts.n_texts;
    uint32_t at = n < MOST_KEPT ? dg_text_set_add(&idle->texts, sql)
                                : dg_text_set_find(&idle->texts, sql);

    if (at == n)
        *DG_APPEND(idle->statements, n) = (struct dg_prepared){statement, true};
    if (at == DG_NO_TEXT || idle->statements[at].statement != statement) {
        sqlite3_finalize(statement);
        return;
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    idle->statements[at].in_use = false;
}

void dg_idle_clear(struct dg_idle *idle)
{
    for (uint32_t i = 0; i < idle->texts.n_texts; i++)
        sqlite3_finalize(idle->statements[i].statement);
    free(idle->statements);
    dg_text_set_clear(&idle->texts);
    *idle = (struct dg_idle){0};
}
