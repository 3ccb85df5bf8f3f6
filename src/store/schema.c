/* Delegraph's own DDL, statement by statement. */
#include "store/schema.h"

#include "store/store.h"

static const char schema[] =
#include "store/schema.sql.inc"
#include "store/views.sql.inc"
    ;

enum {
    TABLES_SIZE = sizeof(
#include "store/schema.sql.inc"
                      ) -
                  1
};

const char *dg_store_schema(void)
{
    return schema;
}

const char *dg_schema_views(void)
{
    return schema + TABLES_SIZE;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_';
}

/* Up to and with `end`, or all of it. */
static size_t through(struct dg_text text, size_t from, const char *end)
{
    size_t size = strlen(end);

    for (size_t i = from; i + size <= text.size; i++) {
        if (!memcmp(text.data + i, end, size))
            return i + size;
    }
    return text.size;
}

static size_t blank(struct dg_text text)
{
    if (text.size && memchr(" \t\n\f\r", *text.data, 5))
        return 1;
    if (dg_text_begins(text, "--"))
        return through(text, 2, "\n");
    return dg_text_begins(text, "/*") ? through(text, 2, "*/") : 0;
}

static struct dg_text take(struct dg_text *rest, size_t size)
{
    struct dg_text taken = {rest->data, size};

    *rest = (struct dg_text){rest->data + size, rest->size - size};
    return taken;
}

struct dg_text dg_sql_token(struct dg_text *rest)
{
    size_t size;

    while ((size = blank(*rest)) != 0)
        take(rest, size);
    size = rest->size ? 1 : 0;
    if (size && (*rest->data == '\'' || *rest->data == '"'))
        size = through(*rest, 1, (char[]){*rest->data, '\0'});
    else if (size && is_word(*rest->data))
        while (size < rest->size && is_word(rest->data[size]))
            size++;
    return take(rest, size);
}

bool dg_sql_same(struct dg_text a, struct dg_text b)
{
    struct dg_text token;

    do {
        token = dg_sql_token(&a);
        if (!dg_text_equal(token, dg_sql_token(&b)))
            return false;
    } while (token.size);
    return true;
}

static struct dg_text type_of(struct dg_text word)
{
    return dg_text(dg_text_is(word, "TABLE")  ? "table"
                   : dg_text_is(word, "VIEW") ? "view"
                                              : "index");
}

bool dg_schema_next(struct dg_text *rest, struct dg_entry *entry)
{
    struct dg_text token;

    while ((token = dg_sql_token(rest)).size) {
        const char *begin = token.data;
        bool makes = dg_text_is(token, "CREATE");

        if (makes) {
            entry->type = type_of(dg_sql_token(rest));
            entry->name = dg_sql_token(rest);
        }
        while (token.size && !dg_text_is(token, ";"))
            token = dg_sql_token(rest);
        entry->sql = (struct dg_text){begin, (size_t)(token.data - begin)};
        if (makes)
            return true;
    }
    return false;
}
