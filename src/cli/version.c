/* version: which release this is. */
#include "config.h"

#include "cli/options.h"

static int run(int argc, char **argv)
{
    struct dg_writer out = {0};
    struct dg_error err = {0};

    if (dg_options_parse(NULL, &dg_command_version, &argc, argv, &err))
        return dg_complain(&err);
    dg_print(&out, "delegraph %s\n", PACKAGE_VERSION);
    return dg_deliver(NULL, &out, DG_EXIT_FINE);
}

const struct dg_command dg_command_version = {
    .name = "version",
    .synopsis = "",
    .summary = "which release this is",
    .run = run,
};
