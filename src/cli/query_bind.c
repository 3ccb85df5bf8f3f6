/* Values of the parameters of a query. */
#include "cli/query_bind.h"

#include <string.h>

#include "base/numeral.h"

static void bind(struct dg_rows *rows, int parameter, const char *value)
{
    bool negative = *value == '-';
    int64_t number;

    if (dg_read_count(&number, value + negative))
        dg_rows_bind_int(rows, parameter, negative ? -number : number);
    else
        dg_rows_bind_text(rows, parameter, dg_text(value));
}

static enum dg_status refuse_parameter(const struct dg_rows *rows, const char *wrong,
                                       struct dg_error *err)
{
    const char *names[16], *near;
    size_t n = 0;

    for (int i = 1; i <= dg_rows_parameters(rows) && n < 16; i++) {
        if (dg_rows_parameter(rows, i))
            names[n++] = dg_rows_parameter(rows, i);
    }
    near = dg_nearest(wrong, names, n);
    if (!near && n == 1)
        near = names[0];
    return dg_fail(err, DG_ERR_USAGE, "the query has no parameter :%.40s%s%s%s", wrong,
                   near ? "; did you mean :" : "", near ? near : "", near ? "?" : "");
}

static enum dg_status bind_given(struct dg_rows *rows, const char *given,
                                 struct dg_error *err)
{
    size_t size = strcspn(given, "=");
    char name[64] = "";
    bool bound = false;

    if (!given[size] || !size || size >= sizeof(name))
        return dg_fail(err, DG_ERR_USAGE, "--param is \"%.60s\", expected NAME=VALUE",
                       given);
    memcpy(name, given, size);
    for (int i = 1; i <= dg_rows_parameters(rows); i++) {
        const char *parameter = dg_rows_parameter(rows, i);

        if (parameter && !strcmp(parameter, name)) {
            bind(rows, i, given + size + 1);
            bound = true;
        }
    }
    return bound ? DG_OK : refuse_parameter(rows, name, err);
}

static bool is_given(const struct dg_list *given, const char *name)
{
    size_t size = strlen(name);

    for (size_t i = 0; i < given->n_items; i++) {
        const char *item = given->items[i];

        if (!strncmp(item, name, size) && item[size] == '=')
            return true;
    }
    return false;
}

enum dg_status dg_query_bind(struct dg_rows *rows, const struct dg_list *given,
                             struct dg_error *err)
{
    enum dg_status status = dg_option_once(given, "param", err);

    for (size_t i = 0; i < given->n_items && !status; i++)
        status = bind_given(rows, given->items[i], err);
    for (int i = 1; i <= dg_rows_parameters(rows) && !status; i++) {
        const char *name = dg_rows_parameter(rows, i);

        /* :hops has a default in the queries that use it. */
        if (name && strcmp(name, "hops") != 0 && !is_given(given, name))
            status =
                dg_fail(err, DG_ERR_USAGE,
                        "the query needs a value for :%.40s; expected -p %.40s=...",
                        name, name);
    }
    return status;
}
