/* PTX: text, of which the head and the names of kernels are read. It is free-form:
 * words stand in lines as they like, between comments. */
#define _GNU_SOURCE
#include <inttypes.h>

#include "formats/library_facts.h"

enum { MOST_BEFORE_HEAD = 1 << 16 }; /* bytes of comments, of what is taken for PTX */

struct ptx {
    struct dg_text rest;
    struct dg_bytes file;
    size_t depth;      /* of braces */
    bool open_comment; /* that does not end */
    struct dg_library_fact fact;
};

static void skip(struct ptx *ptx, size_t size)
{
    ptx->rest = (struct dg_text){ptx->rest.data + size, ptx->rest.size - size};
}

static size_t up_to(struct dg_text text, const char *end)
{
    const char *found = memmem(text.data, text.size, end, strlen(end));

    return found ? (size_t)(found - text.data) + strlen(end) : text.size;
}

static void skip_comment(struct ptx *ptx)
{
    struct dg_text inside = {ptx->rest.data + 2, ptx->rest.size - 2};
    size_t size = up_to(inside, "*/");

    ptx->open_comment = size < 2 || memcmp(inside.data + size - 2, "*/", 2) != 0;
    skip(ptx, 2 + size);
}

static void skip_blanks(struct ptx *ptx)
{
    while (ptx->rest.size) {
        if ((uint8_t)ptx->rest.data[0] <= ' ')
            skip(ptx, 1);
        else if (dg_text_begins(ptx->rest, "//"))
            skip(ptx, up_to(ptx->rest, "\n"));
        else if (dg_text_begins(ptx->rest, "/*"))
            skip_comment(ptx);
        else
            return;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_of_word(char c)
{
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_' || c == '$' || c == '%';
}

/* A string ends with its line, whatever is wrong with it. */
static size_t string_size(struct dg_text text)
{
    for (size_t i = 1; i < text.size; i++) {
        if (text.data[i] == '\\')
            i++;
        else if (text.data[i] == '"' || text.data[i] == '\n')
            return i + 1;
    }
    return text.size;
}

/* A name, a number such as 8.4, a directive with its dot, a string, or one character of
 * any other kind. Size 0: there are no more. */
static struct dg_text next_token(struct ptx *ptx)
{
    struct dg_text token;
    bool number;
    size_t size = 1;

    skip_blanks(ptx);
    token = ptx->rest;
    if (!token.size)
        return token;
    number = is_digit(token.data[0]);
    if (token.data[0] == '"')
        size = string_size(token);
    else if (token.data[0] == '.' || is_of_word(token.data[0])) {
        while (size < token.size &&
               (is_of_word(token.data[size]) || (number && token.data[size] == '.')))
            size++;
    }
    token.size = size;
    skip(ptx, size);
    return token;
}

static int64_t take_digits(struct dg_text *text)
{
    int64_t number = 0;

    while (text->size && is_digit(text->data[0]) && number < 100000) {
        number = number * 10 + (text->data[0] - '0');
        *text = (struct dg_text){text->data + 1, text->size - 1};
    }
    return number;
}

/* "sm_90a": 90 and 'a'. */
static void read_target(struct dg_text text, struct dg_library_fact *fact)
{
    uint32_t letter = 0;
    int64_t number;

    if (!dg_text_begins(text, "sm_") || text.size < 4 || !is_digit(text.data[3]))
        return;
    text = (struct dg_text){text.data + 3, text.size - 3};
    number = take_digits(&text);
    if (text.size && (text.data[0] == 'a' || text.data[0] == 'f')) {
        letter = (uint32_t)text.data[0];
        text = (struct dg_text){text.data + 1, text.size - 1};
    }
    if (text.size || number < fact->numbers[0])
        return;
    fact->numbers[0] = number;
    fact->flags = DG_GPU_PTX | letter << 8;
}

/* "sm_90a, debug": what the code may use is on no older GPU than the newest. */
static void read_targets(struct ptx *ptx)
{
    struct ptx behind;

    do {
        read_target(next_token(ptx), &ptx->fact);
        behind = *ptx;
        if (!dg_text_is(next_token(&behind), ","))
            return;
        *ptx = behind;
    } while (true);
}

/* "8.4" */
static void read_version(struct dg_text text, struct dg_library_fact *fact)
{
    int64_t major = take_digits(&text);

    if (text.size < 2 || text.data[0] != '.' || !is_digit(text.data[1]))
        return;
    text = (struct dg_text){text.data + 1, text.size - 1};
    fact->numbers[3] = major << 16 | take_digits(&text);
}

static void write_kernel(const struct ptx *ptx, struct dg_text name,
                         struct dg_writer *facts)
{
    struct dg_library_place place = {
        (uint64_t)((const uint8_t *)name.data - ptx->file.data), name.size};

    if (name.size && is_of_word(name.data[0]))
        dg_fact_write(
            facts, &(struct dg_library_fact){DG_FACT_KERNEL, 0, {-1, -1, -1}, {place}});
}

/* Kernels are written if there is anywhere to. */
static void go_through(struct ptx *ptx, struct dg_writer *kernels)
{
    struct dg_text token;

    while ((token = next_token(ptx)).size) {
        if (token.data[0] == '{')
            ptx->depth++;
        else if (token.data[0] == '}')
            ptx->depth -= ptx->depth > 0;
        else if (ptx->depth)
            continue;
        else if (dg_text_is(token, ".version"))
            read_version(next_token(ptx), &ptx->fact);
        else if (dg_text_is(token, ".target"))
            read_targets(ptx);
        else if (dg_text_is(token, ".entry") && kernels)
            write_kernel(ptx, next_token(ptx), kernels);
    }
}

static void refuse(const struct ptx *ptx, uint64_t at, struct dg_writer *facts)
{
    const char *what = ptx->fact.numbers[3] < 0   ? "names no version"
                       : ptx->fact.numbers[0] < 0 ? "names no target"
                       : ptx->depth               ? "ends inside of a function"
                       : ptx->open_comment        ? "ends inside of a comment"
                                                  : NULL;
    struct dg_error err = {0};

    if (!what)
        return;
    dg_fail(&err, DG_ERR_FORMAT, "byte %" PRIu64 ": PTX %s", at, what);
    dg_fact_write_fault(facts, &err, DG_FAULT_REFUSED);
}

/* A driver takes what stands before a zero. */
void dg_ptx_facts(struct dg_bytes file, struct dg_library_place place,
                  struct dg_library_place name, struct dg_writer *facts)
{
    const char *data = (const char *)file.data + place.offset;
    const char *end = place.size ? memchr(data, 0, place.size) : NULL;
    struct ptx ptx = {.rest = {data, end ? (size_t)(end - data) : place.size},
                      .file = file,
                      .fact = {DG_FACT_CODE,
                               DG_GPU_PTX,
                               {-1, (int64_t)place.offset, (int64_t)place.size, -1},
                               {name}}};
    struct ptx again = ptx;

    go_through(&ptx, NULL);
    dg_fact_write(facts, &ptx.fact);
    go_through(&again, facts);
    refuse(&ptx, place.offset, facts);
}

/* It begins with its version. */
bool dg_is_ptx(struct dg_bytes code)
{
    struct ptx ptx = {.rest = {(const char *)code.data, code.size < MOST_BEFORE_HEAD
                                                            ? code.size
                                                            : MOST_BEFORE_HEAD}};

    return dg_text_is(next_token(&ptx), ".version");
}
