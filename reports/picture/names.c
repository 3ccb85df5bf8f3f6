/* Names from files as pictures show them, and as words of commands that people paste.
 */
#include "reports/picture/picture.h"

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
