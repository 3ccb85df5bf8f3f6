/* Options that were given, written as they stood on the command line. */
#include "cli/options.h"

#include <inttypes.h>

#include "reports/picture/picture.h"

static void write_word(struct dg_writer *out, const struct dg_option *option,
                       const char *word)
{
    struct dg_arena memory = {0};
    bool file = option->type == DG_OPTION_FILE || option->type == DG_OPTION_FILES;

    dg_print(out, " --%s %s", option->name,
             (file ? dg_shell_path : dg_shell_word)(&memory, dg_text(word)).data);
    dg_arena_clear(&memory);
}

static void write_list(struct dg_writer *out, const struct dg_option *option,
                       const struct dg_list *list)
{
    for (size_t i = 0; i < list->n_items; i++)
        write_word(out, option, list->items[i]);
}

static void write_option(struct dg_writer *out, const struct dg_option *option,
                         const void *field)
{
    switch (option->type) {
    case DG_OPTION_FLAG:
        if (*(const bool *)field)
            dg_print(out, " --%s", option->name);
        break;
    case DG_OPTION_COUNT:
    case DG_OPTION_NUMBER:
    case DG_OPTION_BYTES:
        if (*(const int64_t *)field)
            dg_print(out, " --%s %" PRId64, option->name, *(const int64_t *)field);
        break;
    case DG_OPTION_SECONDS:
        if (*(const double *)field > 0)
            dg_print(out, " --%s %g", option->name, *(const double *)field);
        break;
    case DG_OPTION_LIST:
    case DG_OPTION_FILES:
        write_list(out, option, field);
        break;
    case DG_OPTION_TEXT:
    case DG_OPTION_CHOICE:
    case DG_OPTION_FILE:
        if (*(const char *const *)field)
            write_word(out, option, *(const char *const *)field);
        break;
    default:
        break;
    }
}

void dg_options_write(struct dg_writer *out, const void *given,
                      const struct dg_option *options)
{
    for (; options->type; options++)
        write_option(out, options, (const char *)given + options->offset);
}
