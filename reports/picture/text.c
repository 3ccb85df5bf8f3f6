/* Names from files as Graphviz labels, as XML and as words of commands that people
 * paste: whatever they hold, they stay text. */
#include "reports/picture/picture.h"
#include "reports/picture/svg.h"

/* Bytes of the character at the start, be it well formed or not. */
static size_t step(struct dg_text text)
{
    uint32_t point;
    size_t size = dg_character(text, &point);

    return size ? size : 1;
}

static struct dg_text rest(struct dg_text text, size_t size)
{
    return (struct dg_text){text.data + size, text.size - size};
}

static size_t count_characters(struct dg_text text)
{
    size_t count = 0;

    for (; text.size; count++)
        text = rest(text, step(text));
    return count;
}

static struct dg_text skip_characters(struct dg_text text, size_t count)
{
    for (; count && text.size; count--)
        text = rest(text, step(text));
    return text;
}

struct dg_text dg_elide(struct dg_arena *memory, struct dg_text text, size_t most)
{
    size_t count = count_characters(text), tail = most / 2, head = most - 1 - tail;
    struct dg_text end;

    if (!text.data || count <= most)
        return text;
    end = skip_characters(text, count - tail);
    return dg_format(memory, "%.*s\xe2\x80\xa6%.*s",
                     (int)(text.size - skip_characters(text, head).size), text.data,
                     (int)end.size, end.data);
}

/* XML 1.0 has no place for some, not even as references; others are no text to show. */
static bool is_forbidden(struct dg_text text)
{
    uint32_t point;

    return !dg_character(text, &point) || point == 0xfffe || point == 0xffff ||
           dg_is_control(point);
}

void dg_write_label(struct dg_writer *out, struct dg_text text)
{
    for (; text.size; text = rest(text, step(text))) {
        unsigned char byte = (unsigned char)*text.data;

        if (byte < 0x20 || byte == 0x7f)
            dg_print(out, "\\\\x%02x", byte);
        else if (is_forbidden(text))
            dg_print(out, "\xef\xbf\xbd");
        else if (byte == '\\')
            dg_print(out, "\\\\");
        else if (byte == '&')
            dg_print(out, "&amp;");
        else
            dg_write(out, text.data, step(text));
    }
}

static const char *xml_reference(unsigned char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\r':
        return "&#13;";
    default:
        return byte < 0x20 && byte != '\n' && byte != '\t' ? "\xef\xbf\xbd" : NULL;
    }
}

void dg_write_xml(struct dg_writer *out, struct dg_text text)
{
    size_t done = 0, at = 0;

    while (at < text.size) {
        const char *here = text.data + at,
                   *instead = xml_reference((unsigned char)*here);
        size_t size = 1;

        if ((unsigned char)*here >= 0x7f) {
            size = step(rest(text, at));
            if (is_forbidden(rest(text, at)))
                instead = "\xef\xbf\xbd";
        }
        if (instead) {
            dg_write(out, text.data + done, at - done);
            dg_write_text(out, dg_text(instead));
            done = at + size;
        }
        at += size;
    }
    if (text.size > done)
        dg_write(out, text.data + done, text.size - done);
}

void dg_write_element(struct dg_writer *out, const char *before, struct dg_text text,
                      const char *after)
{
    dg_print(out, "%s", before);
    dg_write_xml(out, text);
    dg_print(out, "%s", after);
}

struct dg_text dg_short_op(struct dg_text op)
{
    size_t begin = 0, end = op.size;

    for (size_t i = 0; i + 1 < op.size; i++)
        if (op.data[i] == ':' && op.data[i + 1] == ':')
            begin = i + 2;
    if (dg_text_begins(op, "_operator."))
        begin = strlen("_operator.");
    for (size_t i = begin + 1; i < op.size && end == op.size; i++)
        if (op.data[i] == '.')
            end = i;
    return (struct dg_text){op.data ? op.data + begin : NULL, end - begin};
}

static bool is_plain(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || (byte && strchr("_./:=+,@%-", byte));
}

struct dg_text dg_shell_word(struct dg_arena *memory, struct dg_text word)
{
    struct dg_writer out = {0};
    size_t n_plain = 0;

    while (n_plain < word.size && is_plain(word.data[n_plain]))
        n_plain++;
    if (n_plain == word.size && word.size && word.data[0] != '-')
        return word;
    dg_print(&out, "'");
    for (size_t i = 0; i < word.size; i++)
        if (word.data[i] == '\'')
            dg_print(&out, "'\\''");
        else
            dg_write(&out, &word.data[i], 1);
    dg_print(&out, "'");
    return dg_keep(memory, &out);
}

struct dg_text dg_shell_path(struct dg_arena *memory, struct dg_text path)
{
    if (dg_text_is(path, "-"))
        return path;
    if (dg_text_begins(path, "-"))
        path = dg_format(memory, "./%.*s", (int)path.size, path.data);
    return dg_shell_word(memory, path);
}
