/* The named queries, split by their "-- @" lines. */
#include "cli/named.h"

static const char queries[] =
#include "cli/queries.sql.inc"
    ;

static const char mark[] = "\n-- @";

bool dg_named_next(const char **cursor, struct dg_named *query)
{
    const char *begin = *cursor ? *cursor : strstr(queries, mark);
    const char *colon, *line, *end;

    if (!begin || !*begin)
        return false;
    begin += sizeof(mark) - 1;
    colon = strchr(begin, ':');
    line = strchr(colon, '\n');
    end = strstr(line, mark);
    if (!end)
        end = line + strlen(line);
    query->name = (struct dg_text){begin, (size_t)(colon - begin)};
    query->summary = (struct dg_text){colon + 2, (size_t)(line - colon - 2)};
    query->sql = (struct dg_text){line + 1, (size_t)(end - line - 1)};
    *cursor = end;
    return true;
}
