/* Arguments that stand by themselves: in signatures, and as inputs of graphs. */
#include "formats/pt2.h"

static struct dg_any literal(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_any any = {0};
    struct dg_writer out = {0};

    switch (dg_json_peek(json)) {
    case DG_JSON_BOOL:
        any.type = DG_INTEGER;
        any.integer = dg_json_bool(json);
        break;
    case DG_JSON_STRING:
        any.type = DG_TEXT;
        any.text = dg_json_string(json);
        break;
    case DG_JSON_NULL:
        dg_json_null(json);
        break;
    default:
        dg_pt2_copy_json(json, &out);
        any.type = DG_TEXT;
        any.text = dg_pt2_keep(pt2, &out);
    }
    dg_writer_clear(&out);
    return any;
}

/* exir.save writes a bool as an int: true. */
static struct dg_any number(struct dg_json *json, bool real)
{
    struct dg_any any = {.type = real ? DG_REAL : DG_INTEGER};

    if (dg_json_peek(json) == DG_JSON_BOOL)
        any = (struct dg_any){.type = DG_INTEGER, .integer = dg_json_bool(json)};
    else if (real)
        any.real = dg_json_double(json);
    else
        any.integer = dg_json_int(json);
    return any;
}

/* Variants that hold a name, with their words; the others are their own word. */
static const char *word_of(struct dg_pt2 *pt2, struct dg_text variant)
{
    static const char *const words[] = {
        "tensor", "sym_int", "sym_float", "sym_bool", "custom_obj", "int",
        "float",  "bool",    "string",    "none",     "token",      "tensors",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (dg_text_is(variant, words[i]))
            return words[i];
    }
    return dg_copy(&pt2->program->memory, variant);
}

static void symbol(struct dg_pt2 *pt2, struct dg_json *json, struct dg_pt2_word *word)
{
    struct dg_text variant;

    dg_json_object(json);
    while (dg_pt2_variant(json, &variant)) {
        if (dg_text_is(variant, "name"))
            word->name = dg_json_string(json);
        else if (dg_text_is(variant, "int") || dg_text_is(variant, "float"))
            word->literal = number(json, dg_text_is(variant, "float"));
        else
            word->literal = literal(pt2, json);
    }
}

/* {"name": "x"}, where the specification leaves no choice of variants */
static void plain_name(struct dg_json *json, struct dg_text key,
                       struct dg_pt2_word *word)
{
    bool name = dg_text_is(key, "name");
    struct dg_text text = dg_json_string(json);

    if (name)
        word->name = text;
    word->kind =
        name && strcmp(word->kind, "custom_obj") != 0 ? "tensor" : "custom_obj";
}

struct dg_pt2_word dg_pt2_word(struct dg_pt2 *pt2, struct dg_json *json)
{
    struct dg_pt2_word word = {.kind = "none"};
    struct dg_text variant;
    bool any = false;

    dg_json_object(json);
    while (dg_pt2_variant(json, &variant)) {
        any = true;
        if (dg_text_is(variant, "name") || dg_text_is(variant, "class_fqn")) {
            plain_name(json, variant, &word);
            continue;
        }
        word.kind = dg_text_is(variant, "int") && dg_json_peek(json) == DG_JSON_BOOL
                        ? "bool"
                        : word_of(pt2, variant);
        if (dg_text_is(variant, "tensor") || dg_text_is(variant, "custom_obj") ||
            dg_text_is(variant, "token"))
            word.name = dg_pt2_named(json);
        else if (dg_text_begins(variant, "sym_") &&
                 dg_json_peek(json) == DG_JSON_OBJECT)
            symbol(pt2, json, &word);
        else if (dg_text_is(variant, "none"))
            dg_json_skip(json);
        else if (dg_text_is(variant, "int") || dg_text_is(variant, "float"))
            word.literal = number(json, dg_text_is(variant, "float"));
        else
            word.literal = literal(pt2, json);
    }
    if (!any)
        dg_json_fail(json, "expected a union with one variant");
    return word;
}
