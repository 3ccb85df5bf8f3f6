/* schema: the tables, indexes and views of a store, with their comments. */
#include "cli/options.h"

struct given {
    const char *output;
};

static const struct dg_option options[] = {
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

static int run(int argc, char **argv)
{
    struct given given = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};

    if (dg_options_parse(&given, &dg_command_schema, &argc, argv, &err))
        return dg_complain(&err);
    dg_write_text(&out, dg_text(dg_store_schema()));
    return dg_deliver(given.output, &out, DG_EXIT_FINE);
}

const struct dg_command dg_command_schema = {
    .name = "schema",
    .synopsis = "",
    .summary = "the tables and views of a store, with comments: the manual for query",
    .run = run,
    .options = options,
};
