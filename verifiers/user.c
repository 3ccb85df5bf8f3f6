/* Rules that users write: their headers, and how they become rules. */
#include "verifiers/user.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/text_set.h"

enum key { ID, SEVERITY, TEXT, WHY, FIX, LEVEL, N_KEYS };

static const char *const keys[N_KEYS] = {"id",  "severity", "text",
                                         "why", "fix",      "level"};

enum { LONGEST_ID = 64, LONGEST_VALUE = 1000 };

static const char family[] = "user";

/* A file while its header is read. */
struct header {
    const char *path;
    struct dg_text rest; /* what is not read yet */
    int line;            /* that is read now */
    const char *values[N_KEYS];
    int lines[N_KEYS];
    int last; /* key that the next line may go on with; -1: none */
    struct dg_arena *memory;
    struct dg_error *err;
};

__attribute__((format(printf, 3, 4))) static enum dg_status
refuse(const struct header *header, int line, const char *fmt, ...)
{
    char text[320];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return dg_fail(header->err, DG_ERR_USAGE, "%.180s:%d: %s", header->path, line,
                   text);
}

static struct dg_text trim(struct dg_text text)
{
    while (text.size && isspace((unsigned char)*text.data)) {
        text.data++;
        text.size--;
    }
    while (text.size && isspace((unsigned char)text.data[text.size - 1]))
        text.size--;
    return text;
}

/* The next line without its end; data NULL: there is none. */
static struct dg_text next_line(struct header *header)
{
    struct dg_text *rest = &header->rest, line = {NULL, 0};
    const char *end = rest->size ? memchr(rest->data, '\n', rest->size) : NULL;
    size_t size = end ? (size_t)(end - rest->data) : rest->size;

    if (!rest->size)
        return line;
    line = (struct dg_text){rest->data, size};
    size += end != NULL;
    *rest = (struct dg_text){rest->data + size, rest->size - size};
    header->line++;
    return line;
}

static bool has_controls(struct dg_text text)
{
    uint32_t point = 0;

    for (size_t i = 0, n; i < text.size; i += n) {
        n = dg_character((struct dg_text){text.data + i, text.size - i}, &point);
        if (!n || dg_is_control(point))
            return true;
    }
    return false;
}

static enum dg_status set(struct header *header, int key, struct dg_text value)
{
    const char *before = header->values[key];
    struct dg_text whole =
        before
            ? dg_format(header->memory, "%s %.*s", before, (int)value.size, value.data)
            : (struct dg_text){dg_copy(header->memory, value), value.size};

    if (whole.size > LONGEST_VALUE)
        return refuse(header, header->line, "%s is longer than %d bytes", keys[key],
                      LONGEST_VALUE);
    header->values[key] = whole.data;
    header->last = key;
    return DG_OK;
}

/* The number of the key that a line begins with; N_KEYS: none. */
static int key_of(struct dg_text line)
{
    const char *colon = line.size ? memchr(line.data, ':', line.size) : NULL;
    struct dg_text key =
        trim((struct dg_text){line.data, colon ? (size_t)(colon - line.data) : 0});
    int k = 0;

    while (k < N_KEYS && !dg_text_is(key, keys[k]))
        k++;
    return k;
}

static enum dg_status refuse_key(const struct header *header, const char *wrong)
{
    const char *near = dg_nearest(wrong, keys, N_KEYS);

    return refuse(header, header->line, "no key \"%.40s\"; %s%s%s", wrong,
                  near ? "did you mean " : "expected ",
                  near ? near : "id, severity, text, why, fix or level",
                  near ? "?" : "");
}

/* "id: user/x" */
static enum dg_status read_pair(struct header *header, struct dg_text line)
{
    const char *colon = line.size ? memchr(line.data, ':', line.size) : NULL;
    size_t size = colon ? (size_t)(colon - line.data) : 0;
    struct dg_text value;
    int k = key_of(line);
    char name[48];

    if (!colon)
        return refuse(header, header->line,
                      "expected \"-- key: value\" above the SELECT; other comments go "
                      "behind it, or into /* */");
    snprintf(name, sizeof(name), "%.*s", (int)(size < 47 ? size : 47), line.data);
    if (k == N_KEYS)
        return refuse_key(header, name);
    value = trim((struct dg_text){colon + 1, line.size - size - 1});
    if (header->lines[k])
        return refuse(header, header->line, "%s is given twice; first in line %d",
                      keys[k], header->lines[k]);
    if (!value.size)
        return refuse(header, header->line, "%s is empty", keys[k]);
    header->lines[k] = header->line;
    return set(header, k, value);
}

/* What stands behind "--". Deeper in, it goes on with the value above. */
static enum dg_status read_comment(struct header *header, struct dg_text text)
{
    bool deep = text.size > 1 && isspace((unsigned char)text.data[0]) &&
                isspace((unsigned char)text.data[1]);

    text = trim(text);
    if (has_controls(text))
        return refuse(header, header->line, "a control character");
    if (!text.size) {
        header->last = -1;
        return DG_OK;
    }
    if (deep && header->last >= 0 && key_of(text) == N_KEYS)
        return set(header, header->last, text);
    return read_pair(header, text);
}

/* Leaves header->rest where the SQL begins. */
static enum dg_status read_header(struct header *header)
{
    enum dg_status status = DG_OK;

    while (!status) {
        struct header before = *header;
        struct dg_text line = trim(next_line(header));

        if (!line.data)
            break;
        if (dg_text_begins(line, "--")) {
            status =
                read_comment(header, (struct dg_text){line.data + 2, line.size - 2});
        } else if (line.size) {
            header->rest = before.rest;
            break;
        }
    }
    return status;
}

static enum dg_status check_id(const struct header *header)
{
    const char *id = header->values[ID], *name = id + sizeof(family);
    size_t size;

    if (strncmp(id, family, sizeof(family) - 1) || id[sizeof(family) - 1] != '/')
        return refuse(header, header->lines[ID], "id is \"%.80s\", expected user/NAME",
                      id);
    size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (!size || name[size] || *name == '-')
        return refuse(
            header, header->lines[ID],
            "id is \"%.80s\"; a name has small letters, digits and \"-\", and "
            "begins with none of these",
            id);
    if (size > LONGEST_ID)
        return refuse(header, header->lines[ID], "the name of the id is longer than %d",
                      LONGEST_ID);
    return DG_OK;
}

static enum dg_status read_severity(struct dg_rule *rule, const struct header *header)
{
    const char *given = header->values[SEVERITY], *near;
    const char *names[3];

    for (int i = 0; i < 3; i++) {
        names[i] = dg_severity_name(i);
        rule->severity = i;
        if (!strcmp(names[i], given))
            return DG_OK;
    }
    near = dg_nearest(given, names, 3);
    return refuse(header, header->lines[SEVERITY],
                  "severity is \"%.40s\", expected error, warning or note%s%s%s", given,
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static enum dg_status check_level(const struct header *header)
{
    static const char *const kinds[] = {"pte", "pt2", "ptd"};

    for (const char *at = header->values[LEVEL]; at && *at;) {
        struct dg_text word = {at, strcspn(at, " ")};
        bool known = false;

        for (size_t i = 0; i < 3; i++)
            known = known || dg_text_is(word, kinds[i]);
        if (!known)
            return refuse(header, header->lines[LEVEL],
                          "level has \"%.*s\", expected pte, pt2 or ptd, with spaces "
                          "between them",
                          (int)(word.size < 40 ? word.size : 40), word.data);
        at += word.size;
        at += strspn(at, " ");
    }
    return DG_OK;
}

static enum dg_status check_header(struct dg_rule *rule, const struct header *header)
{
    static const enum key needed[] = {ID, SEVERITY, TEXT};
    enum dg_status status;

    for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
        if (!header->values[needed[i]])
            return refuse(header, 1,
                          "the header lacks %s; expected a line \"-- %s: ...\"",
                          keys[needed[i]], keys[needed[i]]);
    }
    status = check_id(header);
    if (!status)
        status = read_severity(rule, header);
    return status ? status : check_level(header);
}

/* A NUL would hide what stands behind it. */
static enum dg_status check_text(struct header *header)
{
    struct dg_text text = header->rest;
    const char *nul = text.size ? memchr(text.data, 0, text.size) : NULL;
    int line = 1;

    for (const char *at = text.data; nul && at < nul; at++)
        line += *at == '\n';
    if (nul)
        return refuse(header, line, "a NUL byte");
    if (!dg_is_utf8(text))
        return refuse(header, 1, "the file is no UTF-8");
    return DG_OK;
}

static void skip_byte_order_mark(struct dg_text *text)
{
    if (dg_text_begins(*text, "\xef\xbb\xbf"))
        *text = (struct dg_text){text->data + 3, text->size - 3};
}

enum dg_status dg_user_rule_read(struct dg_rule *rule, struct dg_text text,
                                 const struct dg_user_source *source,
                                 struct dg_arena *memory, struct dg_error *err)
{
    struct header header = {
        .path = source->path, .rest = text, .last = -1, .memory = memory, .err = err};
    struct dg_user_source *kept = dg_alloc(memory, 1, sizeof(*kept));
    enum dg_status status = check_text(&header);

    *rule = (struct dg_rule){.check = dg_user_rule_run, .source = kept};
    skip_byte_order_mark(&header.rest);
    if (!status)
        status = read_header(&header);
    if (!status)
        status = check_header(rule, &header);
    if (!status && !trim(header.rest).size)
        status = refuse(&header, header.line + 1, "no SELECT behind the header");
    if (status)
        return status;
    *kept = *source;
    kept->line = header.line;
    kept->id_line = header.lines[ID];
    kept->sql = dg_copy(memory, header.rest);
    rule->name = header.values[ID] + sizeof(family);
    rule->invariant = header.values[TEXT];
    rule->reason = header.values[WHY];
    rule->fix = header.values[FIX];
    rule->level = header.values[LEVEL];
    return DG_OK;
}

enum dg_status dg_user_rule_blame(const struct dg_rule *rule, int line,
                                  struct dg_error *err)
{
    struct dg_error said = *err;
    const char *text = said.text;

    if (!strncmp(text, "query: ", 7)) /* of `query` */
        text += 7;
    return dg_fail(err, said.status, "%.180s:%d: %s/%s: %s", rule->source->path, line,
                   family, rule->name, text);
}

enum dg_status dg_user_verifier(const struct dg_verifier **out,
                                const struct dg_rule *rules, size_t n,
                                struct dg_arena *memory, struct dg_error *err)
{
    struct dg_verifier *verifier = dg_alloc(memory, 1, sizeof(*verifier));
    struct dg_rule *all = dg_alloc(memory, n + 1, sizeof(*all));
    struct dg_text_set names = {0};
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n && !status; i++) {
        uint32_t at = dg_text_set_add(&names, dg_text(rules[i].name));

        all[i] = rules[i];
        if (at < i)
            status = dg_fail(err, DG_ERR_USAGE, "%.180s:%d: id %s/%s is that of %.180s",
                             rules[i].source->path, rules[i].source->id_line, family,
                             rules[i].name, rules[at].source->path);
    }
    dg_text_set_clear(&names);
    *verifier = (struct dg_verifier){.name = family, .rules = all};
    *out = verifier;
    return status;
}
