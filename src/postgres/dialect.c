#include "postgres/dialect.h"

#include "store/schema.h"

const char dg_postgres_functions[] =
    "CREATE OR REPLACE FUNCTION instr(text, text) RETURNS integer IMMUTABLE STRICT"
    " LANGUAGE sql AS 'SELECT strpos($1, $2)';"
    "CREATE OR REPLACE FUNCTION group_concat_next(text, text) RETURNS text IMMUTABLE"
    " LANGUAGE sql AS 'SELECT CASE WHEN $1 IS NULL THEN $2 WHEN $2 IS NULL THEN $1"
    " ELSE $1 || '','' || $2 END';"
    "CREATE OR REPLACE AGGREGATE group_concat(text)"
    " (SFUNC = group_concat_next, STYPE = text);";

static const struct {
    const char *here, *there;
} spelt[] = {
#define SPELT(here, there) {here, there},
#include "postgres/dialect.def"
#undef SPELT
};

/* Whether `sql` begins with the tokens of `here`; *rest is what is behind them. */
static bool begins(struct dg_text sql, const char *here, struct dg_text *rest)
{
    struct dg_text wanted = dg_text(here), token;

    *rest = sql;
    while ((token = dg_sql_token(&wanted)).size) {
        if (!dg_text_equal(token, dg_sql_token(rest)))
            return false;
    }
    return true;
}

void dg_postgres_write(struct dg_writer *out, struct dg_text sql)
{
    const char *end = NULL; /* of the last token */
    struct dg_text at = sql, token;

    for (;;) {
        struct dg_text rest = at, ahead = at;
        const char *there = NULL;

        token = dg_sql_token(&rest);
        if (!token.size)
            break;
        if (end && token.data != end)
            dg_write(out, " ", 1);
        for (size_t i = 0; !there && i < sizeof(spelt) / sizeof(*spelt); i++) {
            if (begins(at, spelt[i].here, &ahead))
                there = spelt[i].there;
        }
        if (there)
            dg_print(out, "%s", there);
        else
            dg_write_text(out, token);
        at = there ? ahead : rest;
        end = at.data;
    }
}
