/* Numbers of JSON, and the bare tokens for those that are not finite. */
#include "formats/json_parts.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

enum { LONGEST = 64 };

static const struct {
    const char *name;
    double value;
} not_finite[] = {{"Infinity", INFINITY}, {"-Infinity", -INFINITY}, {"NaN", NAN}};

static const char *digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

static size_t size_of_bare(const char *at, const char *end)
{
    for (size_t i = 0; i < sizeof(not_finite) / sizeof(*not_finite); i++) {
        size_t size = strlen(not_finite[i].name);

        if ((size_t)(end - at) >= size && !memcmp(at, not_finite[i].name, size))
            return size;
    }
    return 0;
}

/* Length of the number at `at`, or 0. */
static size_t size_of(const char *at, const char *end)
{
    const char *start = at, *last;

    at += at < end && *at == '-';
    last = at < end && *at == '0' ? at + 1 : digits(at, end);
    if (last == at)
        return size_of_bare(start, end);
    at = last;
    if (at < end && *at == '.') {
        last = digits(at + 1, end);
        if (last == at + 1)
            return 0;
        at = last;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        last = digits(at, end);
        if (last == at)
            return 0;
        at = last;
    }
    return (size_t)(at - start);
}

struct dg_text dg_json_number(struct dg_json *json)
{
    struct dg_text none = {0}, text;

    if (!dg_json_expect(json, DG_JSON_NUMBER))
        return none;
    text = (struct dg_text){json->at, size_of(json->at, json->end)};
    if (!text.size)
        dg_json_fail(json, "expected a well-formed number");
    else if (text.size > LONGEST)
        dg_json_fail(json, "expected a number of at most %d characters", LONGEST);
    if (json->failed)
        return none;
    json->at += text.size;
    return text;
}

int64_t dg_json_int(struct dg_json *json)
{
    struct dg_text text = dg_json_number(json);
    bool negative = text.size && *text.data == '-';
    int64_t value = 0;

    for (size_t i = negative; i < text.size; i++) {
        int digit = text.data[i] - '0';

        json->at = text.data;
        if (digit < 0 || digit > 9)
            return dg_json_fail(json, "expected an integer, found %.*s", (int)text.size,
                                text.data);
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value))
            return dg_json_fail(json, "expected a 64-bit integer, found %.*s",
                                (int)text.size, text.data);
        json->at = text.data + text.size;
    }
    return value;
}

static double to_double(struct dg_text text)
{
    char number[LONGEST + 1], *point;

    memcpy(number, text.data, text.size);
    number[text.size] = '\0';
    point = strchr(number, '.');
    if (point)
        *point = *localeconv()->decimal_point;
    return strtod(number, NULL);
}

static double named_double(struct dg_json *json, struct dg_text text)
{
    for (size_t i = 0; i < sizeof(not_finite) / sizeof(*not_finite); i++) {
        if (dg_text_is(text, not_finite[i].name))
            return not_finite[i].value;
    }
    dg_json_fail(json, "expected a number, \"Infinity\", \"-Infinity\" or \"NaN\"");
    return 0;
}

double dg_json_double(struct dg_json *json)
{
    struct dg_text text;

    if (dg_json_peek(json) == DG_JSON_STRING) {
        text = dg_json_string(json);
        return json->failed ? 0 : named_double(json, text);
    }
    text = dg_json_number(json);
    if (json->failed)
        return 0;
    if (text.data[text.size - 1] > '9')
        return named_double(json, text);
    return to_double(text);
}
