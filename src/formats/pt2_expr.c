/* Symbolic sizes: SymPy's srepr(), which torch writes, to its str(), which people read.
 * The text is parsed, never evaluated. SymPy orders terms and factors the same way in
 * both forms. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/pt2.h"
#include "formats/pt2_expr.h"

enum { MAX_DEPTH = 64, MAX_LENGTH = 1 << 16 };

struct parser {
    const char *at, *end;
    struct dg_arena *memory;
    int depth;
    bool failed;
};

static struct dg_term parse(struct parser *parser);

static char peek(struct parser *parser)
{
    while (parser->at < parser->end && *parser->at == ' ')
        parser->at++;
    return parser->at < parser->end ? *parser->at : '\0';
}

static bool skip(struct parser *parser, char c)
{
    if (peek(parser) != c)
        return false;
    parser->at++;
    return true;
}

static void expect(struct parser *parser, char c)
{
    if (!skip(parser, c))
        parser->failed = true;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.' || c == '-' || c == '+';
}

static struct dg_text word(struct parser *parser)
{
    const char *start = (peek(parser), parser->at);

    while (parser->at < parser->end && is_word(*parser->at))
        parser->at++;
    return (struct dg_text){start, (size_t)(parser->at - start)};
}

static struct dg_text quoted(struct parser *parser)
{
    const char *start;

    expect(parser, '\'');
    start = parser->at;
    while (parser->at < parser->end && *parser->at != '\'')
        parser->at++;
    parser->failed |= parser->at == parser->end;
    parser->at += parser->at < parser->end;
    return (struct dg_text){start, (size_t)(parser->at - start - !parser->failed)};
}

/* Keyword arguments say what a symbol is assumed to be: not part of its str(). */
static void skip_keywords(struct parser *parser)
{
    while (!parser->failed && skip(parser, ',')) {
        word(parser);
        expect(parser, '=');
        word(parser);
    }
    expect(parser, ')');
}

static bool number_of(struct dg_text text, int64_t *number)
{
    bool minus = text.size && text.data[0] == '-';

    *number = 0;
    for (size_t i = minus; i < text.size; i++) {
        int digit = text.data[i] - '0';

        if (digit < 0 || digit > 9 || __builtin_mul_overflow(*number, 10, number) ||
            __builtin_sub_overflow(*number, digit, number))
            return false;
    }
    return text.size > minus &&
           (minus || !__builtin_sub_overflow(INT64_C(0), *number, number));
}

static struct dg_term atom(struct dg_text text)
{
    bool minus = text.size && text.data[0] == '-';

    return (struct dg_term){
        .text = text, .precedence = minus ? ADD : ATOM, .rank = RANK_ATOM, .key = text};
}

static struct dg_term integer(struct parser *parser)
{
    struct dg_term term = atom(word(parser));

    expect(parser, ')');
    if (number_of(term.text, &term.p) && term.p != INT64_MIN) {
        term.type = NUMBER;
        term.rank = RANK_NUMBER;
        term.q = 1;
    }
    return term;
}

static struct dg_term rational(struct parser *parser)
{
    struct dg_text p = word(parser), q = (expect(parser, ','), word(parser));
    struct dg_term term = {.type = NUMBER};

    expect(parser, ')');
    if (!number_of(p, &term.p) || !number_of(q, &term.q) || term.p == INT64_MIN ||
        term.q <= 0)
        parser->failed = true;
    term.precedence = term.p < 0 ? ADD : MUL;
    term.text = dg_format(parser->memory, "%.*s/%.*s", (int)p.size, p.data, (int)q.size,
                          q.data);
    return term;
}

/* Float('2.5', precision=53): 15 digits at most, and a point in any case */
static struct dg_term real(struct parser *parser)
{
    struct dg_text text = quoted(parser);
    const char *digits = dg_copy(parser->memory, text);
    char *end;
    double value = strtod(digits, &end);
    char out[40];

    skip_keywords(parser);
    if (*end || end == digits)
        return atom(text);
    snprintf(out, sizeof(out), "%.15g", value);
    if (!strpbrk(out, ".en"))
        strcat(out, ".0");
    return atom(dg_text(dg_copy(parser->memory, dg_text(out))));
}

static struct dg_term call(struct parser *parser, struct dg_text name)
{
    struct dg_terms terms = {0};
    struct dg_term term;

    if (!skip(parser, ')')) {
        do {
            struct dg_term argument = parse(parser);

            *DG_APPEND(terms.items, terms.count) = argument;
        } while (!parser->failed && skip(parser, ','));
        expect(parser, ')');
    }
    term = parser->failed ? (struct dg_term){0}
                          : dg_combine_terms(parser->memory, name, &terms);
    parser->failed |= !term.text.data;
    free(terms.items);
    return term;
}

static struct dg_term parse(struct parser *parser)
{
    struct dg_text name = word(parser);
    struct dg_term term = {0};

    if (!name.size || parser->failed || ++parser->depth > MAX_DEPTH) {
        parser->failed = true;
        return term;
    }
    if (!skip(parser, '('))
        term = dg_text_is(name, "true")    ? atom(dg_text("True"))
               : dg_text_is(name, "false") ? atom(dg_text("False"))
                                           : atom(name);
    else if (dg_text_is(name, "Integer"))
        term = integer(parser);
    else if (dg_text_is(name, "Rational"))
        term = rational(parser);
    else if (dg_text_is(name, "Float"))
        term = real(parser);
    else if (dg_text_is(name, "Symbol")) {
        term = atom(quoted(parser));
        skip_keywords(parser);
    } else {
        term = call(parser, name);
    }
    parser->depth--;
    return term;
}

struct dg_text dg_pt2_expression(struct dg_text text, struct dg_arena *memory)
{
    struct dg_arena scratch = {0};
    struct parser parser = {.at = text.data, .memory = &scratch};
    struct dg_term term;

    if (!text.size || text.size > MAX_LENGTH)
        return text;
    parser.end = text.data + text.size;
    term = parse(&parser);
    if (!parser.failed && !peek(&parser) && term.text.size)
        text = (struct dg_text){dg_copy(memory, term.text), term.text.size};
    dg_arena_clear(&scratch);
    return text;
}
