/* Escapes of Markdown. */
#include "reports/page/markdown.h"

#include <stdbool.h>
#include <string.h>

static bool begins(struct dg_text text, size_t at, const char *word)
{
    size_t n = strlen(word);

    return at + n <= text.size && !memcmp(text.data + at, word, n);
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* An underscore between letters is no markup. */
static bool joins_words(struct dg_text text, size_t at)
{
    return text.data[at] == '_' && at && at + 1 < text.size &&
           is_word(text.data[at - 1]) && is_word(text.data[at + 1]);
}

/* An empty comment parts what GitHub would make a mention, an issue or a link of. */
static void write_character(struct dg_writer *out, struct dg_text text, size_t at,
                            const char *escaped)
{
    char c = text.data[at];

    if (c == '<')
        dg_print(out, "&lt;");
    else if (c == '>' && (!at || !*escaped))
        dg_print(out, "&gt;");
    else if (c == '&')
        dg_print(out, "&amp;");
    else if (c == '@' || c == '#' || begins(text, at, "://") ||
             begins(text, at, "www.") || begins(text, at, "GH-"))
        dg_print(out, "%c<!-- -->", c);
    else if ((strchr(escaped, c) && !joins_words(text, at)) ||
             (!at && *escaped && strchr("-+=", c)))
        dg_print(out, "\\%c", c);
    else
        dg_write(out, &c, 1);
}

static void write_text(struct dg_writer *out, struct dg_text text, const char *escaped)
{
    struct dg_writer plain = {0};

    dg_write_plain(&plain, text);
    for (size_t i = 0; i < plain.size; i++)
        write_character(out, dg_written(&plain), i, escaped);
    dg_writer_clear(&plain);
}

void dg_write_markdown(struct dg_writer *out, struct dg_text text)
{
    write_text(out, text, "\\`*_[|~$");
}

void dg_write_markdown_html(struct dg_writer *out, struct dg_text text)
{
    write_text(out, text, "");
}

/* Within <code> nothing is a mention or an issue, but all else is Markdown. */
static void write_escaped_code(struct dg_writer *out, struct dg_text text)
{
    dg_print(out, "<code>");
    for (size_t i = 0; i < text.size; i++) {
        if (strchr("\\`*_{}[]|~$<>&:.@#!", text.data[i]))
            dg_print(out, "&#%d;", text.data[i]);
        else
            dg_write(out, text.data + i, 1);
    }
    dg_print(out, "</code>");
}

void dg_write_markdown_code(struct dg_writer *out, struct dg_text text)
{
    struct dg_writer plain = {0};

    dg_write_plain(&plain, text);
    if (plain.size && strpbrk(plain.data, "`|\\"))
        write_escaped_code(out, dg_written(&plain));
    else if (plain.size)
        dg_print(out, "`%s`", plain.data);
    dg_writer_clear(&plain);
}

/* One backtick more than the longest run of them, and at least three. */
static size_t fence_of(struct dg_text text)
{
    size_t longest = 2, run = 0;

    for (size_t i = 0; i < text.size; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest + 1;
}

static void write_fence(struct dg_writer *out, size_t n)
{
    while (n--)
        dg_write(out, "`", 1);
}

void dg_write_markdown_lines(struct dg_writer *out, struct dg_text text,
                             const char *language)
{
    size_t fence = fence_of(text);

    write_fence(out, fence);
    dg_print(out, "%s\n", language);
    dg_write_text(out, text);
    if (text.size && text.data[text.size - 1] != '\n')
        dg_write(out, "\n", 1);
    write_fence(out, fence);
    dg_write(out, "\n", 1);
}
