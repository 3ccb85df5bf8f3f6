/* Names from files as Graphviz labels and as XML: whatever they hold, they stay text.
 */
#include "reports/picture/picture.h"
#include "reports/picture/svg.h"

/* Bytes of the UTF-8 character at the start; 0 when there is none. */
static size_t character(struct dg_text text)
{
    for (size_t size = 1; size <= 4 && size <= text.size; size++)
        if (dg_is_utf8((struct dg_text){text.data, size}))
            return size;
    return 0;
}

static struct dg_text rest(struct dg_text text, size_t size)
{
    return (struct dg_text){text.data + size, text.size - size};
}

static size_t count_characters(struct dg_text text)
{
    size_t count = 0;

    for (; text.size; count++) {
        size_t size = character(text);

        text = rest(text, size ? size : 1);
    }
    return count;
}

static struct dg_text skip_characters(struct dg_text text, size_t count)
{
    for (; count && text.size; count--) {
        size_t size = character(text);

        text = rest(text, size ? size : 1);
    }
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

/* XML 1.0 has no place for some, not even as references; others turn the direction of
 * the text around them: U+202A to U+202E, U+2066 to U+2069. */
static bool is_forbidden(const unsigned char *at, size_t size)
{
    bool c1 = size == 2 && at[0] == 0xc2 && at[1] < 0xa0;
    bool noncharacter = size == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe;
    bool turns = size == 3 && at[0] == 0xe2 &&
                 ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
                  (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));

    return c1 || noncharacter || turns;
}

static void write_character(struct dg_writer *out, const char *at, size_t size)
{
    unsigned char byte = (unsigned char)*at;

    if (!size || is_forbidden((const unsigned char *)at, size))
        dg_print(out, "\xef\xbf\xbd");
    else if (byte < 0x20 || byte == 0x7f)
        dg_print(out, "\\\\x%02x", byte);
    else if (byte == '\\')
        dg_print(out, "\\\\");
    else if (byte == '&')
        dg_print(out, "&amp;");
    else
        dg_write(out, at, size);
}

void dg_write_label(struct dg_writer *out, struct dg_text text)
{
    while (text.size) {
        size_t size = character(text);

        write_character(out, text.data, size);
        text = rest(text, size ? size : 1);
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
            size = character(rest(text, at));
            if (!size || is_forbidden((const unsigned char *)here, size) ||
                *here == 0x7f)
                instead = "\xef\xbf\xbd";
            size = size ? size : 1;
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
