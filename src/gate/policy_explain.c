/* A policy as it holds, with where each word came from. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gate/policy_apply.h"

enum {
    WIDTH = 48,         /* of what stands before the origin */
    LONGEST_KEY = 1000, /* YAML takes 1,024 characters before a ":", quotes and all */
};

/* What some readers of YAML take for a number, a date or a truth value. */
static bool is_typed(struct dg_text text)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "y",     "n"};
    size_t i = 0;

    while (i < text.size &&
           (isxdigit((unsigned char)text.data[i]) || memchr("._+-xo", text.data[i], 6)))
        i++;
    if (i == text.size && isdigit((unsigned char)*text.data))
        return true;
    for (i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (text.size == strlen(words[i]) &&
            !strncasecmp(text.data, words[i], text.size))
            return true;
    return false;
}

/* Whether YAML takes it as it stands. */
static bool is_plain(struct dg_text text)
{
    bool plain = text.size && isalnum((unsigned char)*text.data) && !is_typed(text);

    for (size_t i = 0; i < text.size; i++)
        plain = plain && (isalnum((unsigned char)text.data[i]) ||
                          memchr("_./*+-%@", text.data[i], 8));
    return plain;
}

/* What YAML would not take raw, or would take for the end of a line, and what turns on
 * a terminal. */
static bool is_escaped(uint32_t point)
{
    return dg_is_control(point) || point == '"' || point == '\\' || point == 0x85 ||
           point == 0x2028 || point == 0x2029 || point == 0xfffe || point == 0xffff;
}

static void write_quoted(struct dg_writer *out, struct dg_text text)
{
    dg_print(out, "\"");
    while (text.size) {
        uint32_t point = 0;
        size_t length = dg_character(text, &point);

        if (!length || is_escaped(point))
            dg_print(out, "\\U%08x", length ? point : 0xfffd);
        else
            dg_write(out, text.data, length);
        length += !length;
        text = (struct dg_text){text.data + length, text.size - length};
    }
    dg_print(out, "\"");
}

static void write_word(struct dg_writer *out, struct dg_text text)
{
    if (is_plain(text))
        dg_write_text(out, text);
    else
        write_quoted(out, text);
}

/* Of a mapping that is indented deeper than `indent`; with its colon. */
static void write_key(struct dg_writer *out, const char *indent, struct dg_text name)
{
    struct dg_writer word = {0};

    write_word(&word, name);
    dg_print(out, "%s  %s", indent, word.size > LONGEST_KEY ? "? " : "");
    dg_write_text(out, dg_written(&word));
    if (word.size > LONGEST_KEY)
        dg_print(out, "\n%s  ", indent);
    dg_print(out, ":");
    dg_writer_clear(&word);
}

/* "  - memory/peak    # delegraph.yaml:7" */
static void write_line(struct dg_writer *out, const char *before,
                       const struct dg_policy_entry *entry,
                       const struct dg_policy *policy)
{
    struct dg_arena memory = {0};
    struct dg_writer line = {0};

    dg_print(&line, "%s", before);
    write_word(&line, entry->value);
    while (line.size < WIDTH)
        dg_write(&line, " ", 1);
    dg_print(&line, "  # ");
    dg_write_plain(&line, dg_policy_origin(policy, entry, &memory));
    dg_write_text(out, dg_written(&line));
    dg_print(out, "\n");
    dg_writer_clear(&line);
    dg_arena_clear(&memory);
}

static void write_list(struct dg_writer *out, const char *indent, const char *name,
                       const struct dg_policy_entries *entries,
                       const struct dg_policy *policy)
{
    char item[32];

    if (!entries->n_items)
        return;
    dg_print(out, "%s%s:\n", indent, name);
    snprintf(item, sizeof(item), "%s  - ", indent);
    for (size_t i = 0; i < entries->n_items; i++)
        write_line(out, item, &entries->items[i], policy);
}

/* How many words from the first on have its name. */
static size_t n_of_name(const struct dg_policy_entry *first, size_t n)
{
    size_t i = 1;

    while (i < n && dg_text_equal(first[i].name, first->name))
        i++;
    return i;
}

static void write_named(struct dg_writer *out, const char *indent, const char *name,
                        const struct dg_policy_entries *entries,
                        const struct dg_policy *policy)
{
    struct dg_writer before = {0};
    size_t n;

    if (entries->n_items)
        dg_print(out, "%s%s:\n", indent, name);
    for (size_t i = 0; i < entries->n_items; i += n) {
        const struct dg_policy_entry *first = &entries->items[i];

        n = n_of_name(first, entries->n_items - i);
        write_key(&before, indent, first->name);
        dg_print(&before, "%s", n > 1 ? "\n" : " ");
        if (n > 1) {
            dg_write_text(out, dg_written(&before));
            dg_writer_clear(&before);
            dg_print(&before, "%s    - ", indent);
        }
        for (size_t k = 0; k < n; k++)
            write_line(out, before.data, &first[k], policy);
        dg_writer_clear(&before);
    }
}

static void write_part(struct dg_writer *out, const char *indent,
                       const struct dg_policy_part *part,
                       const struct dg_policy *policy)
{
    for (int key = 0; key < DG_POLICY_KEYS; key++) {
        const char *name = dg_policy_keys[key].name;
        const struct dg_policy_entries *entries = &part->keys[key];
        char before[64];

        if (dg_policy_keys[key].shape == DG_POLICY_NAMED) {
            write_named(out, indent, name, entries, policy);
        } else if (dg_policy_keys[key].shape != DG_POLICY_WORD) {
            write_list(out, indent, name, entries, policy);
        } else if (entries->n_items) {
            snprintf(before, sizeof(before), "%s%s: ", indent, name);
            write_line(out, before, dg_policy_last(part, (enum dg_policy_key)key),
                       policy);
        }
    }
}

static void write_text(struct dg_writer *out, const char *name, struct dg_text text)
{
    if (!text.data)
        return;
    dg_print(out, "    %s: ", name);
    write_word(out, text);
    dg_print(out, "\n");
}

static void write_pass(struct dg_writer *out, const struct dg_policy_pass *pass,
                       const struct dg_policy *policy)
{
    write_line(out, "  - rule: ", &pass->rule, policy);
    write_list(out, "    ", "files", &pass->files, policy);
    write_text(out, "where", pass->where);
    write_text(out, "reason", pass->known.reason);
    write_text(out, "owner", pass->known.owner);
    write_text(out, "expires", pass->known.expires);
}

static void write_parts(struct dg_writer *out, const struct dg_policy *policy)
{
    if (policy->n_parts)
        dg_print(out, "programs:\n");
    for (size_t i = 0; i < policy->n_parts; i++) {
        dg_print(out, "  - files:\n");
        for (size_t k = 0; k < policy->parts[i].files.n_items; k++)
            write_line(out, "      - ", &policy->parts[i].files.items[k], policy);
        write_part(out, "    ", &policy->parts[i], policy);
    }
}

void dg_policy_explain(struct dg_writer *out, const struct dg_policy *policy,
                       const char *program, const struct dg_policy_part *given)
{
    struct dg_arena memory = {0};
    bool passes = false;

    write_part(out, "", dg_policy_for(policy, program, given, &memory), policy);
    if (!program)
        write_parts(out, policy);
    for (size_t i = 0; i < policy->n_passes; i++) {
        if (program && !dg_policy_means(&policy->passes[i].files, program))
            continue;
        dg_print(out, "%s", passes ? "" : "suppressions:\n");
        passes = true;
        write_pass(out, &policy->passes[i], policy);
    }
    dg_arena_clear(&memory);
}
