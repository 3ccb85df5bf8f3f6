/* Sums, products, powers and functions as SymPy's str() prints them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "base/text.h"
#include "formats/pt2_expr.h"

static struct dg_text enclosed(struct dg_arena *memory, struct dg_text text,
                               int precedence, int level)
{
    if (precedence > level)
        return text;
    return dg_format(memory, "(%.*s)", (int)text.size, text.data);
}

static struct dg_text enclose(struct dg_arena *memory, const struct dg_term *term,
                              int level)
{
    return enclosed(memory, term->text, term->precedence, level);
}

static struct dg_text join(struct dg_arena *memory, const struct dg_terms *terms,
                           const char *separator, int level)
{
    struct dg_writer out = {0};

    for (size_t i = 0; i < terms->count; i++) {
        if (i)
            dg_write_text(&out, dg_text(separator));
        dg_write_text(&out, enclose(memory, &terms->items[i], level));
    }
    return dg_keep(memory, &out);
}

static struct dg_term sum(struct dg_arena *memory, const struct dg_terms *terms)
{
    struct dg_writer out = {0};

    for (size_t i = 0; i < terms->count; i++) {
        const struct dg_term *term = &terms->items[i];
        struct dg_text text = term->text;
        bool minus = text.size && text.data[0] == '-' && term->type != SUM;

        if (minus)
            text = (struct dg_text){text.data + 1, text.size - 1};
        if (i)
            dg_write_text(&out, dg_text(minus ? " - " : " + "));
        else if (minus)
            dg_write(&out, "-", 1);
        dg_write_text(
            &out,
            enclosed(memory, text, term->type == SUM ? 0 : term->precedence, ADD - 1));
    }
    return (struct dg_term){.type = SUM,
                            .text = dg_keep(memory, &out),
                            .precedence = ADD,
                            .rank = RANK_SUM,
                            .size = terms->count,
                            .key = terms->items[0].key};
}

static struct dg_text power_text(struct dg_arena *memory, const struct dg_term *power,
                                 int64_t exponent_p, int64_t exponent_q)
{
    struct dg_text base = enclosed(memory, power->base, power->base_precedence, POW);

    if (exponent_p == 1 && exponent_q == 2)
        return dg_format(memory, "sqrt(%.*s)", (int)power->base.size, power->base.data);
    if (!exponent_q)
        return dg_format(memory, "%.*s**%s", (int)base.size, base.data,
                         dg_copy(memory, enclosed(memory, power->exponent,
                                                  power->exponent_precedence, POW)));
    if (exponent_q == 1)
        return dg_format(memory, exponent_p < 0 ? "%.*s**(%lld)" : "%.*s**%lld",
                         (int)base.size, base.data, (long long)exponent_p);
    return dg_format(memory, "%.*s**(%lld/%lld)", (int)base.size, base.data,
                     (long long)exponent_p, (long long)exponent_q);
}

static struct dg_term power(struct dg_arena *memory, const struct dg_terms *terms)
{
    struct dg_term term = {.type = POWER, .precedence = POW};

    if (terms->count != 2)
        return term;
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
            memory, "1/%s",
            dg_copy(memory, enclosed(memory, term.base, term.base_precedence, POW)));
    else if (term.exponent_p == -1 && term.exponent_q == 2)
        term.text =
            dg_format(memory, "1/sqrt(%.*s)", (int)term.base.size, term.base.data);
    else
        term.text = power_text(memory, &term, term.exponent_p, term.exponent_q);
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

static void put_number(struct fraction *fraction, const struct dg_term *term,
                       bool *minus)
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

static void put_factor(struct dg_arena *memory, struct fraction *fraction,
                       const struct dg_term *term, int level)
{
    if (term->type != POWER || term->exponent_p >= 0)
        put(&fraction->above, &fraction->n_above, enclose(memory, term, level));
    else if (term->exponent_p == -1 && term->exponent_q == 1)
        put(&fraction->below, &fraction->n_below,
            enclosed(memory, term->base, term->base_precedence, level));
    else
        put(&fraction->below, &fraction->n_below,
            power_text(memory, term, -term->exponent_p, term->exponent_q));
}

static struct dg_term product(struct dg_arena *memory, const struct dg_terms *terms)
{
    struct fraction fraction = {0};
    bool minus = false;
    struct dg_text above, below;
    const struct dg_term *first = terms->items, *simple = NULL;
    size_t n_factors = 0;

    for (size_t i = 0; i < terms->count; i++) {
        if (terms->items[i].type == NUMBER)
            put_number(&fraction, &terms->items[i], &minus);
    }
    for (size_t i = 0; i < terms->count; i++) {
        if (terms->items[i].type == NUMBER)
            continue;
        put_factor(memory, &fraction, &terms->items[i], minus ? ADD : MUL);
        if (!n_factors++)
            first = &terms->items[i];
    }
    simple = n_factors == 1 ? first : NULL;
    if (!fraction.n_above)
        dg_write(&fraction.above, "1", 1);
    above = dg_keep(memory, &fraction.above);
    below = dg_keep(memory, &fraction.below);
    return (struct dg_term){
        .text = dg_format(memory, fraction.n_below > 1 ? "%s%s%s(%s)" : "%s%s%s%s",
                          minus ? "-" : "", above.data, fraction.n_below ? "/" : "",
                          below.data),
        .precedence = minus ? ADD : MUL,
        .rank = simple ? simple->rank : RANK_PRODUCT,
        .size = simple ? simple->size : n_factors,
        .key = simple ? simple->key : first->key,
    };
}

static struct dg_term binary(struct dg_arena *memory, const struct dg_terms *terms,
                             const char *fmt, int level, int precedence)
{
    struct dg_term term = {.precedence = precedence};
    struct dg_text left, right;

    if (terms->count != 2)
        return term;
    left = enclose(memory, &terms->items[0], level);
    right = enclose(memory, &terms->items[1], level);
    term.text = dg_format(memory, "%.*s%s%.*s", (int)left.size, left.data, fmt,
                          (int)right.size, right.data);
    term.rank = RANK_FUNCTION;
    term.size = terms->count;
    term.key = dg_text("FloorDiv");
    if (level == ATOM - 1)
        term.text = dg_format(memory, "(%s)", term.text.data);
    return term;
}

static struct dg_term apply(struct dg_arena *memory, const char *name,
                            const struct dg_terms *terms, int precedence)
{
    struct dg_text arguments = join(memory, terms, ", ", -1);

    return (struct dg_term){
        .text = dg_format(memory, "%s(%s)", name, arguments.data),
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
    const struct dg_term *a = left, *b = right;
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
static struct dg_term extremum(struct dg_arena *memory, const char *name,
                               const struct dg_terms *terms)
{
    dg_sort(terms->items, terms->count, sizeof(*terms->items), compare_terms);
    return apply(memory, name, terms, ATOM);
}

static struct dg_term named(struct dg_arena *memory, struct dg_text name,
                            const struct dg_terms *terms)
{
    for (size_t i = 0; i < sizeof(relations) / sizeof(*relations); i++) {
        if (dg_text_is(name, relations[i].name))
            return binary(memory, terms, relations[i].symbol, RELATION, RELATION);
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        if (dg_text_is(name, functions[i].name))
            return apply(memory, functions[i].printed, terms, functions[i].precedence);
    }
    return apply(memory, dg_copy(memory, name), terms, FUNC);
}

struct dg_term dg_combine_terms(struct dg_arena *memory, struct dg_text name,
                                const struct dg_terms *terms)
{
    if (!terms->count)
        return named(memory, name, terms);
    if (dg_text_is(name, "Add"))
        return sum(memory, terms);
    if (dg_text_is(name, "Mul"))
        return product(memory, terms);
    if (dg_text_is(name, "Pow"))
        return power(memory, terms);
    if (dg_text_is(name, "FloorDiv") || dg_text_is(name, "CleanDiv"))
        return binary(memory, terms, "//", ATOM - 1, 35);
    if (dg_text_is(name, "And"))
        return (struct dg_term){.text = join(memory, terms, " & ", AND),
                                .precedence = 30};
    if (dg_text_is(name, "Or"))
        return (struct dg_term){.text = join(memory, terms, " | ", OR),
                                .precedence = 20};
    if (dg_text_is(name, "Max") || dg_text_is(name, "Min"))
        return extremum(memory, dg_text_is(name, "Max") ? "Max" : "Min", terms);
    if (terms->count == 1 && dg_text_is(name, "Identity"))
        return apply(memory, "", terms, 10);
    if (terms->count == 1 && dg_text_is(name, "Not"))
        return (struct dg_term){
            .text = dg_format(memory, "~%s",
                              dg_copy(memory, enclose(memory, &terms->items[0], 100))),
            .precedence = 100,
        };
    return named(memory, name, terms);
}
