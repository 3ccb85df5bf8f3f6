/* Arguments of nodes as torch.export writes them. */
#include <string.h>

#include "base/dtype.h"
#include "base/ops.h"
#include "exec/reduce_pt2.h"
#include "formats/json.h"

enum { POSITIONAL = 1, KEYWORD = 2 };

/* A value that stands in for a name: it is known once the part has run. */
static bool put_number(struct dg_part_writing *writing, const struct dg_arg *value)
{
    struct dg_json_writer *json = &writing->json;

    if (value->kind == DG_ARG_INT)
        dg_put_int(json, "as_int", value->as.integer);
    else if (value->kind == DG_ARG_BOOL)
        dg_put_bool(json, "as_bool", value->as.integer != 0);
    else if (value->kind == DG_ARG_FLOAT)
        dg_print(dg_put_raw(json, "as_float"), "%.17g", value->as.real);
    else
        return false;
    return true;
}

/* The value of the node `name`, and whether it is no tensor. */
static const struct dg_arg *number_named(const struct dg_part_writing *writing,
                                         struct dg_text name)
{
    uint32_t number = dg_text_set_find(&writing->names, name);
    const struct dg_arg *value =
        number == DG_NO_TEXT ? NULL : dg_part_value(writing, writing->slots[number]);

    return value && value->kind != DG_ARG_TENSOR && value->kind != DG_ARG_NONE ? value
                                                                               : NULL;
}

/* An item of a list that may hold names and numbers. */
static int64_t whole_item(struct dg_part_writing *writing, struct dg_json *from)
{
    const struct dg_arg *value;

    if (dg_json_peek(from) != DG_JSON_STRING)
        return dg_json_int(from);
    value = number_named(writing, dg_json_string(from));
    return value ? value->as.integer : 0;
}

static void put_whole_items(struct dg_part_writing *writing, struct dg_json *from)
{
    dg_put_array(&writing->json, "as_ints");
    dg_json_array(from);
    while (dg_json_item(from))
        dg_put_int(&writing->json, NULL, whole_item(writing, from));
    dg_put_end(&writing->json);
}

static void put_names(struct dg_part_writing *writing, const char *key,
                      struct dg_json *from)
{
    dg_put_array(&writing->json, key);
    dg_json_array(from);
    while (dg_json_item(from))
        dg_part_put_named(writing, NULL, dg_json_string(from));
    dg_put_end(&writing->json);
}

static void put_optional_names(struct dg_part_writing *writing, struct dg_json *from)
{
    struct dg_json_writer *json = &writing->json;

    dg_put_array(json, "as_optional_tensors");
    dg_json_array(from);
    while (dg_json_item(from)) {
        if (dg_json_peek(from) == DG_JSON_STRING) {
            dg_part_put_tensor(writing, NULL,
                               dg_copy(&writing->memory, dg_json_string(from)));
            continue;
        }
        dg_json_skip(from);
        dg_put_object(json, NULL);
        dg_put_bool(json, "as_none", true);
        dg_put_end(json);
    }
    dg_put_end(json);
}

/* "cuda:0": the part runs on the CPU, wherever the program did. */
static void put_device(struct dg_part_writing *writing, struct dg_json *from)
{
    dg_json_skip(from);
    dg_put_object(&writing->json, "as_device");
    dg_put_text(&writing->json, "type", dg_text("cpu"));
    dg_put_null(&writing->json, "index");
    dg_put_end(&writing->json);
}

static void put_dtype(struct dg_part_writing *writing, struct dg_json *from)
{
    int64_t code = dg_json_int(from);
    const struct dg_dtype *dtype = writing->exir ? dg_dtype_of_exir(code) : NULL;

    dg_put_int(&writing->json, "as_scalar_type", dtype ? dtype->torch_json : code);
}

static void put_raw(struct dg_part_writing *writing, struct dg_text variant,
                    struct dg_json *from)
{
    const char *key =
        dg_format(&writing->memory, "as_%.*s", (int)variant.size, variant.data).data;

    dg_write_text(dg_put_raw(&writing->json, key), dg_json_skip(from));
}

static void put_symbol(struct dg_part_writing *writing, struct dg_json *from)
{
    const struct dg_arg *value;

    if (dg_json_peek(from) != DG_JSON_STRING) {
        dg_put_int(&writing->json, "as_int", dg_json_int(from));
        return;
    }
    value = number_named(writing, dg_json_string(from));
    if (!value || !put_number(writing, value))
        dg_put_bool(&writing->json, "as_none", true);
}

/* What an argument of a row is, as torch has it: "tensor":"x" is
 * "as_tensor":{"name":"x"}. Sizes that were symbols are the numbers of the run. */
static void put_variant(struct dg_part_writing *writing, struct dg_text variant,
                        struct dg_json *from)
{
    if (dg_text_is(variant, "tensor"))
        dg_part_put_named(writing, "as_tensor", dg_json_string(from));
    else if (dg_text_is(variant, "tensors"))
        put_names(writing, "as_tensors", from);
    else if (dg_text_is(variant, "optional_tensors"))
        put_optional_names(writing, from);
    else if (dg_text_is(variant, "sym_int") || dg_text_is(variant, "sym_bool") ||
             dg_text_is(variant, "sym_float"))
        put_symbol(writing, from);
    else if (dg_text_is(variant, "sym_ints"))
        put_whole_items(writing, from);
    else if (dg_text_is(variant, "device"))
        put_device(writing, from);
    else if (dg_text_is(variant, "scalar_type"))
        put_dtype(writing, from);
    else
        put_raw(writing, variant, from);
}

static bool is_keyword(const struct dg_op *op, struct dg_text name)
{
    struct dg_op_arg arg = {0};
    const char *cursor = op ? op->args : "";

    while (dg_op_next_arg(&cursor, &arg)) {
        if (name.size == arg.name_length && !memcmp(name.data, arg.name, name.size))
            return arg.kwarg_only;
    }
    return false;
}

static void put_argument(struct dg_part_writing *writing, const struct dg_op *op,
                         struct dg_json *from)
{
    struct dg_json_writer *json = &writing->json;
    struct dg_text key, name = dg_text("");

    dg_put_object(json, NULL);
    dg_put_object(json, "arg");
    dg_json_object(from);
    while (dg_json_key(from, &key)) {
        if (dg_text_is(key, "name"))
            name = dg_json_string(from);
        else
            put_variant(writing, key, from);
    }
    dg_put_end(json);
    dg_put_text(json, "name", name);
    dg_put_int(json, "kind", is_keyword(op, name) ? KEYWORD : POSITIONAL);
    dg_put_end(json);
}

enum dg_status dg_part_put_arguments(struct dg_part_writing *writing, const char *op,
                                     struct dg_text args)
{
    const struct dg_op *schema = dg_op_find(op, strlen(op));
    struct dg_json from;

    dg_json_begin(&from, args.data ? args : dg_text("[]"), "node.args",
                  &writing->memory, writing->err);
    dg_put_array(&writing->json, "inputs");
    dg_json_array(&from);
    while (dg_json_item(&from))
        put_argument(writing, schema, &from);
    dg_put_end(&writing->json);
    return dg_json_end(&from);
}
