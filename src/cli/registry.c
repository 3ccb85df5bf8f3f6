/* The commands as one table, in the order of list.h. */
#include "cli/command.h"

const struct dg_command *const dg_commands[] = {
#define COMMAND(name) &dg_command_##name,
#include "cli/list.h"
#undef COMMAND
    NULL,
};
