/* Symbolic sizes: SymPy's srepr(), which torch writes, to its str(), which people read.
 * The text is parsed, never evaluated. SymPy orders terms and factors the same way in
 * both forms. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/pt2.h"

enum { MAX_DEPTH = 64, MAX_LENGTH = 1 << 16 };

/* SymPy's precedences. */
enum { OR = 36, RELATION = 35, AND = 38, ADD = 40, MUL = 50, POW = 60, FUNC = 70 };
enum { ATOM = 1000 };

enum { RANK_NUMBER, RANK_ATOM, RANK_PRODUCT, RANK_SUM, RANK_FUNCTION, RANK_OTHER };

struct term {
    enum { OTHER, NUMBER, SUM, POWER } type;
    struct dg_text text;
    int precedence;
    int64_t p, q;      /* of a NUMBER */
    struct dg_text base, exponent; /* of a POWER */
    int base_precedence;
    int64_t exponent_p, exponent_q; /* q 0: not a number */
    int exponent_precedence;
    int rank; /* with `size` and `key`, SymPy's default_sort_key() as far as it goes */
    size_t size;
    struct dg_text key;
};

struct parser {
    const char *at, *end;
    struct dg_arena *memory;
    int depth;
    bool failed;
};

struct terms {
    struct term *items;
    size_t count;
};

static struct term parse(struct parser *parser);

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

static struct term atom(struct dg_text text)
{
    bool minus = text.size && text.data[0] == '-';

    return (struct term){.text = text,
                         .precedence = minus ? ADD : ATOM,
                         .rank = RANK_ATOM,
                         .key = text};
}

static struct term integer(struct parser *parser)
{
    struct term term = atom(word(parser));

    expect(parser, ')');
    if (number_of(term.text, &term.p) && term.p != INT64_MIN) {
        term.type = NUMBER;
        term.rank = RANK_NUMBER;
        term.q = 1;
    }
    return term;
}

static struct term rational(struct parser *parser)
{
    struct dg_text p = word(parser), q = (expect(parser, ','), word(parser));
    struct term term = {.type = NUMBER};

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
static struct term real(struct parser *parser)
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

static struct dg_text enclosed(struct parser *parser, struct dg_text text,
                               int precedence, int level)
{
    if (precedence > level)
        return text;
    return dg_format(parser->memory, "(%.*s)", (int)text.size, text.data);
}

static struct dg_text enclose(struct parser *parser, const struct term *term, int level)
{
    return enclosed(parser, term->text, term->precedence, level);
}

static struct dg_text written(struct parser *parser, struct dg_writer *out)
{
    struct dg_text text = {out->data ? out->data : "", out->size};

    text.data = dg_copy(parser->memory, text);
    dg_writer_clear(out);
    return text;
}

static struct dg_text join(struct parser *parser, const struct terms *terms,
                           const char *separator, int level)
{
    struct dg_writer out = {0};

    for (size_t i = 0; i < terms->count; i++) {
        if (i)
            dg_write_text(&out, dg_text(separator));
        dg_write_text(&out, enclose(parser, &terms->items[i], level));
    }
    return written(parser, &out);
}

static struct term sum(struct parser *parser, const struct terms *terms)
{
    struct dg_writer out = {0};

    for (size_t i = 0; i < terms->count; i++) {
        const struct term *term = &terms->items[i];
        struct dg_text text = term->text;
        bool minus = text.size && text.data[0] == '-' && term->type != SUM;

        if (minus)
            text = (struct dg_text){text.data + 1, text.size - 1};
        if (i)
            dg_write_text(&out, dg_text(minus ? " - " : " + "));
        else if (minus)
            dg_write(&out, "-", 1);
        dg_write_text(&out,
                      enclosed(parser, text, term->type == SUM ? 0 : term->precedence,
                               ADD - 1));
    }
    return (struct term){.type = SUM,
                         .text = written(parser, &out),
                         .precedence = ADD,
                         .rank = RANK_SUM,
                         .size = terms->count,
                         .key = terms->items[0].key};
}

static struct dg_text power_text(struct parser *parser, const struct term *power,
                                 int64_t exponent_p, int64_t exponent_q)
{
    struct dg_text base = enclosed(parser, power->base, power->base_precedence, POW);

    if (exponent_p == 1 && exponent_q == 2)
        return dg_format(parser->memory, "sqrt(%.*s)", (int)power->base.size,
                         power->base.data);
    if (!exponent_q)
        return dg_format(
            parser->memory, "%.*s**%s", (int)base.size, base.data,
            enclosed(parser, power->exponent, power->exponent_precedence, POW).data);
    if (exponent_q == 1)
        return dg_format(parser->memory, exponent_p < 0 ? "%.*s**(%lld)" : "%.*s**%lld",
                         (int)base.size, base.data, (long long)exponent_p);
    return dg_format(parser->memory, "%.*s**(%lld/%lld)", (int)base.size, base.data,
                     (long long)exponent_p, (long long)exponent_q);
}

static struct term power(struct parser *parser, const struct terms *terms)
{
    struct term term = {.type = POWER, .precedence = POW};

    if (terms->count != 2) {
        parser->failed = true;
        return term;
    }
    term.rank = terms->items[0].rank;
    term.size = terms->items[0].size;
    term.key = terms->items[0].key;
    term.base = terms->items[0].text;
    term.base_precedence = terms->items[0].precedence;
    term.exponent = terms->items[1].text;
    term.exponent_precedence = terms->items[1].precedence;
    if (terms->items[1].type == NUMBER) {
        term.exponent_p = terms->items[1].p;
        term.exponent_q = terms->items[1].q;
    }
    if (term.exponent_p == -1 && term.exponent_q == 1)
        term.text = dg_format(
            parser->memory, "1/%s",
            dg_copy(parser->memory,
                    enclosed(parser, term.base, term.base_precedence, POW)));
    else if (term.exponent_p == -1 && term.exponent_q == 2)
        term.text = dg_format(parser->memory, "1/sqrt(%.*s)", (int)term.base.size,
                              term.base.data);
    else
        term.text = power_text(parser, &term, term.exponent_p, term.exponent_q);
    return term;
}

/* Numerator and denominator of a product while they grow. */
struct fraction {
    struct dg_writer above, below;
    size_t n_above, n_below;
};

static void put(struct dg_writer *out, size_t *count, struct dg_text text)
{
    if ((*count)++)
        dg_write(out, "*", 1);
    dg_write_text(out, text);
}

static void put_number(struct fraction *fraction, const struct term *term, bool *minus)
{
    char text[24];

    *minus ^= term->p < 0;
    if (term->p != 1 && term->p != -1) {
        snprintf(text, sizeof(text), "%lld", (long long)llabs(term->p));
        put(&fraction->above, &fraction->n_above, dg_text(text));
    }
    if (term->q != 1) {
        snprintf(text, sizeof(text), "%lld", (long long)term->q);
        put(&fraction->below, &fraction->n_below, dg_text(text));
    }
}

static void put_factor(struct parser *parser, struct fraction *fraction,
                       const struct term *term, int level)
{
    if (term->type != POWER || term->exponent_p >= 0)
        put(&fraction->above, &fraction->n_above, enclose(parser, term, level));
    else if (term->exponent_p == -1 && term->exponent_q == 1)
        put(&fraction->below, &fraction->n_below,
            enclosed(parser, term->base, term->base_precedence, level));
    else
        put(&fraction->below, &fraction->n_below,
            power_text(parser, term, -term->exponent_p, term->exponent_q));
}

static struct term product(struct parser *parser, const struct terms *terms)
{
    struct fraction fraction = {0};
    bool minus = false;
    struct dg_text above, below;
    const struct term *first = terms->items, *simple = NULL;
    size_t n_factors = 0;

    for (size_t i = 0; i < terms->count; i++) {
        if (terms->items[i].type == NUMBER)
            put_number(&fraction, &terms->items[i], &minus);
    }
    for (size_t i = 0; i < terms->count; i++) {
        if (terms->items[i].type == NUMBER)
            continue;
        put_factor(parser, &fraction, &terms->items[i], minus ? ADD : MUL);
        if (!n_factors++)
            first = &terms->items[i];
    }
    simple = n_factors == 1 ? first : NULL;
    if (!fraction.n_above)
        dg_write(&fraction.above, "1", 1);
    above = written(parser, &fraction.above);
    below = written(parser, &fraction.below);
    return (struct term){
        .text = dg_format(parser->memory,
                          fraction.n_below > 1 ? "%s%s%s(%s)" : "%s%s%s%s",
                          minus ? "-" : "", above.data, fraction.n_below ? "/" : "",
                          below.data),
        .precedence = minus ? ADD : MUL,
        .rank = simple ? simple->rank : RANK_PRODUCT,
        .size = simple ? simple->size : n_factors,
        .key = simple ? simple->key : first->key,
    };
}

static struct term binary(struct parser *parser, const struct terms *terms,
                          const char *fmt, int level, int precedence)
{
    struct term term = {.precedence = precedence};
    struct dg_text left, right;

    if (terms->count != 2) {
        parser->failed = true;
        return term;
    }
    left = enclose(parser, &terms->items[0], level);
    right = enclose(parser, &terms->items[1], level);
    term.text = dg_format(parser->memory, "%.*s%s%.*s", (int)left.size, left.data, fmt,
                          (int)right.size, right.data);
    term.rank = RANK_FUNCTION;
    term.size = terms->count;
    term.key = dg_text("FloorDiv");
    if (level == ATOM - 1)
        term.text = dg_format(parser->memory, "(%s)", term.text.data);
    return term;
}

static struct term apply(struct parser *parser, const char *name,
                         const struct terms *terms, int precedence)
{
    struct dg_text arguments = join(parser, terms, ", ", -1);

    return (struct term){
        .text = dg_format(parser->memory, "%s(%s)", name, arguments.data),
        .precedence = precedence,
        .rank = precedence == ATOM ? RANK_OTHER : RANK_FUNCTION,
        .size = terms->count,
        .key = dg_text(name),
    };
}

static const struct {
    const char *name, *printed;
    int precedence;
} functions[] = {
    {"Equality", "Eq", 50},
    {"Unequality", "Ne", 50},
    {"ModularIndexing", "ModularIndexing", 35},
    {"Where", "Where", 35},
    {"PythonMod", "PythonMod", 35},
    {"Mod", "Mod", 35},
    {"FloatTrueDiv", "FloatTrueDiv", 35},
    {"IntTrueDiv", "IntTrueDiv", 35},
    {"PowByNatural", "PowByNatural", 50},
    {"FloatPow", "FloatPow", 60},
    {"BitwiseFn_bitwise_and", "BitwiseFn_bitwise_and", 38},
    {"BitwiseFn_bitwise_or", "BitwiseFn_bitwise_or", 36},
    {"BitwiseFn_bitwise_xor", "BitwiseFn_bitwise_xor", 37},
};

static const struct {
    const char *name, *symbol;
} relations[] = {
    {"StrictLessThan", " < "},
    {"LessThan", " <= "},
    {"StrictGreaterThan", " > "},
    {"GreaterThan", " >= "},
};

static int compare_texts(struct dg_text a, struct dg_text b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_terms(const void *left, const void *right)
{
    const struct term *a = left, *b = right;
    int order;

    if (a->rank != b->rank)
        return a->rank - b->rank;
    if (a->type == NUMBER && b->type == NUMBER && a->q == 1 && b->q == 1)
        return (a->p > b->p) - (a->p < b->p);
    order = a->rank == RANK_FUNCTION ? compare_texts(a->key, b->key) : 0;
    if (order)
        return order;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    order = compare_texts(a->key, b->key);
    return order ? order : compare_texts(a->text, b->text);
}

/* srepr() leaves the arguments of Max and Min in no order. */
static struct term extremum(struct parser *parser, const char *name,
                            const struct terms *terms)
{
    if (terms->count)
        qsort(terms->items, terms->count, sizeof(*terms->items), compare_terms);
    return apply(parser, name, terms, ATOM);
}

static struct term named(struct parser *parser, struct dg_text name,
                         const struct terms *terms)
{
    for (size_t i = 0; i < sizeof(relations) / sizeof(*relations); i++) {
        if (dg_text_is(name, relations[i].name))
            return binary(parser, terms, relations[i].symbol, RELATION, RELATION);
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        if (dg_text_is(name, functions[i].name))
            return apply(parser, functions[i].printed, terms, functions[i].precedence);
    }
    return apply(parser, dg_copy(parser->memory, name), terms, FUNC);
}

static struct term combined(struct parser *parser, struct dg_text name,
                            const struct terms *terms)
{
    if (!terms->count)
        return named(parser, name, terms);
    if (dg_text_is(name, "Add"))
        return sum(parser, terms);
    if (dg_text_is(name, "Mul"))
        return product(parser, terms);
    if (dg_text_is(name, "Pow"))
        return power(parser, terms);
    if (dg_text_is(name, "FloorDiv") || dg_text_is(name, "CleanDiv"))
        return binary(parser, terms, "//", ATOM - 1, 35);
    if (dg_text_is(name, "And"))
        return (struct term){.text = join(parser, terms, " & ", AND), .precedence = 30};
    if (dg_text_is(name, "Or"))
        return (struct term){.text = join(parser, terms, " | ", OR), .precedence = 20};
    if (dg_text_is(name, "Max") || dg_text_is(name, "Min"))
        return extremum(parser, dg_text_is(name, "Max") ? "Max" : "Min", terms);
    if (terms->count == 1 && dg_text_is(name, "Identity"))
        return apply(parser, "", terms, 10);
    if (terms->count == 1 && dg_text_is(name, "Not"))
        return (struct term){
            .text = dg_format(parser->memory, "~%s",
                              dg_copy(parser->memory,
                                      enclose(parser, &terms->items[0], 100))),
            .precedence = 100,
        };
    return named(parser, name, terms);
}

static struct term call(struct parser *parser, struct dg_text name)
{
    struct terms terms = {0};
    struct term term;

    if (!skip(parser, ')')) {
        do {
            struct term argument = parse(parser);

            *DG_APPEND(terms.items, terms.count) = argument;
        } while (!parser->failed && skip(parser, ','));
        expect(parser, ')');
    }
    term = parser->failed ? (struct term){0} : combined(parser, name, &terms);
    free(terms.items);
    return term;
}

static struct term parse(struct parser *parser)
{
    struct dg_text name = word(parser);
    struct term term = {0};

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
    struct parser parser = {text.data, text.data + text.size, &scratch, 0, false};
    struct term term;

    if (!text.size || text.size > MAX_LENGTH)
        return text;
    term = parse(&parser);
    if (!parser.failed && !peek(&parser) && term.text.size)
        text = (struct dg_text){dg_copy(memory, term.text), term.text.size};
    dg_arena_clear(&scratch);
    return text;
}
