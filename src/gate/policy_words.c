/* Words of a policy's file: what stands there, and what is wrong with it. */
#include "gate/policy_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum dg_status dg_policy_refuse(const struct dg_policy_reader *reader, int line,
                                int column, const char *fmt, ...)
{
    char text[600];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return dg_fail(reader->err, DG_ERR_USAGE, "%.160s:%d:%d: %s", reader->policy->path,
                   line, column, text);
}

enum dg_status dg_policy_refuse_key(const struct dg_policy_reader *reader,
                                    const struct dg_yaml *member,
                                    const char *const *names, size_t n_names)
{
    const char *near = dg_nearest(member->key.data, names, n_names);
    struct dg_writer all = {0};
    enum dg_status status;

    for (size_t i = 0; i < n_names; i++)
        dg_print(&all, "%s%s", i ? ", " : "", names[i]);
    status = dg_policy_refuse(reader, member->key_line, member->key_column,
                              "no setting \"%.60s\" here; %s%s%s", member->key.data,
                              near ? "did you mean " : "expected one of ",
                              near ? near : all.data, near ? "?" : "");
    dg_writer_clear(&all);
    return status;
}

enum dg_status dg_policy_read_word(struct dg_policy_entry *entry,
                                   const struct dg_policy_reader *reader,
                                   const struct dg_yaml *node, const char *expected)
{
    bool nothing = node->kind != DG_YAML_WORD || !node->text.size ||
                   (!node->quoted &&
                    (dg_text_is(node->text, "null") || dg_text_is(node->text, "~")));

    *entry = (struct dg_policy_entry){
        .value = node->text, .line = node->line, .column = node->column};
    return nothing ? dg_policy_refuse(reader, node->line, node->column, "expected %s",
                                      expected)
                   : DG_OK;
}

enum dg_status dg_policy_read_words(struct dg_policy_entries *entries,
                                    const struct dg_policy_reader *reader,
                                    const struct dg_yaml *node, struct dg_text name,
                                    const char *expected)
{
    const struct dg_yaml *item = node->kind == DG_YAML_LIST ? node->first : node;
    enum dg_status status = DG_OK;

    if (!item || node->kind == DG_YAML_MAP)
        return dg_policy_refuse(reader, node->line, node->column, "expected %s",
                                expected);
    for (; item && !status; item = node->kind == DG_YAML_LIST ? item->next : NULL) {
        struct dg_policy_entry entry;

        status = dg_policy_read_word(&entry, reader, item, expected);
        entry.name = name;
        if (!status && entries->n_items == DG_POLICY_MOST_WORDS)
            status = dg_policy_refuse(reader, item->line, item->column,
                                      "more than %d words, expected %s",
                                      DG_POLICY_MOST_WORDS, expected);
        dg_policy_add(entries, entry, &reader->policy->memory);
    }
    return status;
}

enum dg_status dg_policy_read_files(struct dg_policy_entries *files,
                                    const struct dg_policy_reader *reader,
                                    const struct dg_yaml *node)
{
    static const char *const never[] = {"//", "/./", "{", ", "};
    enum dg_status status = dg_policy_read_words(
        files, reader, node, (struct dg_text){0}, "globs of programs");

    for (size_t i = 0; i < files->n_items && !status; i++) {
        const struct dg_policy_entry *entry = &files->items[i];
        struct dg_text glob = entry->value;
        bool fits =
            *glob.data != '/' && glob.data[glob.size - 1] != '/' && *glob.data != '!';

        for (size_t k = 0; k < sizeof(never) / sizeof(*never); k++)
            fits = fits && !strstr(glob.data, never[k]);
        if (!fits)
            status = dg_policy_refuse(
                reader, entry->line, entry->column,
                "\"%.80s\" fits no program: expected a glob as seen from the folder of"
                " this file, such as models/**/*.pte, or a list of them",
                glob.data);
    }
    return status;
}

enum dg_status dg_policy_check_map(const struct dg_policy_reader *reader,
                                   const struct dg_yaml *node, const char *expected)
{
    return node->kind == DG_YAML_MAP
               ? DG_OK
               : dg_policy_refuse(reader, node->line, node->column, "expected %s",
                                  expected);
}
