/* Upper bounds of symbolic sizes by interval arithmetic: a parser with two stacks. */
#include "graph/size_bound.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/sorted.h"

enum { DEEPEST = 64 };
static const double largest = 9007199254740992.0; /* 2^53: exact as a double */

struct interval {
    double least, most;
};

enum operation {
    GROUP,
    LARGER,
    SMALLER,
    SUM,
    DIFFERENCE,
    PRODUCT,
    RATIO,
    FLOOR,
    MODULO,
    MINUS,
    POWER,
};

struct pending {
    enum operation operation;
    bool opens; /* a parenthesis; `operation` joins its arguments */
    size_t commas;
};

struct parser {
    const struct dg_ranges *ranges;
    const char *at, *end;
    struct interval values[DEEPEST];
    struct pending pending[DEEPEST];
    size_t n_values, n_pending;
    bool failed;
};

int dg_range_order(const void *a, const void *b)
{
    const struct dg_range *x = a, *y = b;
    size_t n = x->symbol.size < y->symbol.size ? x->symbol.size : y->symbol.size;
    int order = n ? memcmp(x->symbol.data, y->symbol.data, n) : 0;

    if (order)
        return order;
    return (x->symbol.size > y->symbol.size) - (x->symbol.size < y->symbol.size);
}

static const struct dg_range *find(const struct dg_ranges *ranges,
                                   struct dg_text symbol)
{
    struct dg_range key = {.symbol = symbol};

    return dg_search(&key, ranges->items, ranges->n_items, sizeof(key), dg_range_order);
}

static int precedence(enum operation operation)
{
    static const int levels[] = {
        [SUM] = 1,   [DIFFERENCE] = 1, [PRODUCT] = 2, [RATIO] = 2,
        [FLOOR] = 2, [MODULO] = 2,     [MINUS] = 3,   [POWER] = 4};

    return levels[operation];
}

static struct interval hull(double a, double b, double c, double d)
{
    return (struct interval){fmin(fmin(a, b), fmin(c, d)),
                             fmax(fmax(a, b), fmax(c, d))};
}

static struct interval divide(struct interval a, struct interval b, bool whole)
{
    struct interval result;

    if (b.least <= 0)
        return (struct interval){NAN, NAN};
    result =
        hull(a.least / b.least, a.least / b.most, a.most / b.least, a.most / b.most);
    if (whole)
        result = (struct interval){floor(result.least), floor(result.most)};
    return result;
}

static struct interval combine(enum operation operation, struct interval a,
                               struct interval b)
{
    switch (operation) {
    case SUM:
        return (struct interval){a.least + b.least, a.most + b.most};
    case DIFFERENCE:
        return (struct interval){a.least - b.most, a.most - b.least};
    case PRODUCT:
        return hull(a.least * b.least, a.least * b.most, a.most * b.least,
                    a.most * b.most);
    case RATIO:
    case FLOOR:
        return divide(a, b, operation == FLOOR);
    case MODULO:
        return b.least > 0 ? (struct interval){0, b.most - 1}
                           : (struct interval){NAN, NAN};
    case POWER:
        return a.least >= 0 && b.least >= 0
                   ? (struct interval){pow(a.least, b.least), pow(a.most, b.most)}
                   : (struct interval){NAN, NAN};
    case LARGER:
        return (struct interval){fmax(a.least, b.least), fmax(a.most, b.most)};
    case SMALLER:
        return (struct interval){fmin(a.least, b.least), fmin(a.most, b.most)};
    default:
        return (struct interval){NAN, NAN};
    }
}

static void push_value(struct parser *parser, struct interval value)
{
    if (parser->n_values == DEEPEST || isnan(value.least) || isnan(value.most))
        parser->failed = true;
    else
        parser->values[parser->n_values++] = value;
}

static void push(struct parser *parser, enum operation operation, bool opens)
{
    if (parser->n_pending == DEEPEST)
        parser->failed = true;
    else
        parser->pending[parser->n_pending++] =
            (struct pending){.operation = operation, .opens = opens};
}

static void apply(struct parser *parser, enum operation operation)
{
    struct interval b;

    if (parser->n_values < (operation == MINUS ? 1U : 2U)) {
        parser->failed = true;
        return;
    }
    b = parser->values[--parser->n_values];
    if (operation == MINUS)
        push_value(parser, (struct interval){-b.most, -b.least});
    else
        push_value(parser, combine(operation, parser->values[--parser->n_values], b));
}

/* The operation that waits for its right side; NULL: none before a parenthesis. */
static const struct pending *waiting(const struct parser *parser)
{
    const struct pending *last;

    if (!parser->n_pending)
        return NULL;
    last = &parser->pending[parser->n_pending - 1];
    return last->opens ? NULL : last;
}

static void apply_from(struct parser *parser, int level)
{
    const struct pending *last = waiting(parser);

    for (; last && !parser->failed && precedence(last->operation) >= level;
         last = waiting(parser)) {
        parser->n_pending--;
        apply(parser, last->operation);
    }
}

static void end_argument(struct parser *parser, bool closes)
{
    struct pending *opened;

    apply_from(parser, 0);
    if (!parser->n_pending)
        parser->failed = true;
    if (parser->failed)
        return;
    opened = &parser->pending[parser->n_pending - 1];
    if (!closes && opened->operation == GROUP)
        parser->failed = true;
    else if (!closes)
        opened->commas++;
    else
        parser->n_pending--;
    for (size_t i = 0; closes && i < opened->commas && !parser->failed; i++)
        apply(parser, opened->operation);
}

static void read_number(struct parser *parser)
{
    double value = 0;

    while (parser->at < parser->end && isdigit((unsigned char)*parser->at))
        value = value * 10 + (*parser->at++ - '0');
    push_value(parser, (struct interval){value, value});
}

static struct dg_text read_word(struct parser *parser)
{
    const char *begin = parser->at;

    while (parser->at < parser->end &&
           (isalnum((unsigned char)*parser->at) || *parser->at == '_'))
        parser->at++;
    return (struct dg_text){begin, (size_t)(parser->at - begin)};
}

/* A symbol is a value; a function opens a parenthesis: false. */
static bool read_name(struct parser *parser)
{
    static const struct {
        const char *name;
        enum operation joins;
    } functions[] = {
        {"Max", LARGER}, {"Min", SMALLER}, {"Mod", MODULO}, {"PythonMod", MODULO}};
    struct dg_text name = read_word(parser);
    const struct dg_range *range = find(parser->ranges, name);

    if (range) {
        push_value(parser, (struct interval){range->least, range->most});
        return true;
    }
    parser->failed = parser->at == parser->end || *parser->at++ != '(';
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
        if (dg_text_is(name, functions[i].name)) {
            push(parser, functions[i].joins, true);
            return false;
        }
    }
    parser->failed = true;
    return false;
}

/* Read what may stand where a value is expected; whether it was a whole value. */
static bool read_value(struct parser *parser)
{
    char next = *parser->at;

    if (isdigit((unsigned char)next)) {
        read_number(parser);
        return true;
    }
    if (next == '(' || next == '-') {
        parser->at++;
        push(parser, next == '(' ? GROUP : MINUS, next == '(');
        return false;
    }
    return read_name(parser);
}

static bool take(struct parser *parser, const char *token)
{
    struct dg_text rest = {parser->at, (size_t)(parser->end - parser->at)};

    if (!dg_text_begins(rest, token))
        return false;
    parser->at += strlen(token);
    return true;
}

/* Read what may stand behind a value; whether a value must follow. */
static bool read_operation(struct parser *parser)
{
    static const struct {
        const char *token;
        enum operation operation;
    } binary[] = {{"**", POWER}, {"//", FLOOR}, {"*", PRODUCT},   {"/", RATIO},
                  {"%", MODULO}, {"+", SUM},    {"-", DIFFERENCE}};

    for (size_t i = 0; i < sizeof(binary) / sizeof(*binary); i++) {
        if (!take(parser, binary[i].token))
            continue;
        apply_from(parser, precedence(binary[i].operation));
        push(parser, binary[i].operation, false);
        return true;
    }
    if (take(parser, ",")) {
        end_argument(parser, false);
        return true;
    }
    parser->failed = !take(parser, ")");
    if (!parser->failed)
        end_argument(parser, true);
    return false;
}

static double evaluate(struct parser *parser)
{
    bool has_value = false;

    while (parser->at < parser->end && !parser->failed) {
        if (*parser->at == ' ')
            parser->at++;
        else
            has_value = has_value ? !read_operation(parser) : read_value(parser);
    }
    apply_from(parser, 0);
    if (parser->failed || !has_value || parser->n_pending || parser->n_values != 1)
        return NAN;
    return parser->values[0].most;
}

int64_t dg_upper_bound(const struct dg_ranges *ranges, struct dg_text expression)
{
    const struct dg_range *known = find(ranges, expression);
    struct parser parser = {.ranges = ranges, .at = expression.data};
    double most;

    parser.end = expression.size ? parser.at + expression.size : parser.at;
    most = known ? known->most : evaluate(&parser);
    if (known && !isfinite(most))
        most = evaluate(&parser);
    return most >= 0 && most <= largest ? (int64_t)most : -1;
}
