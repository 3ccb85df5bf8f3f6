#include "unit/suite.h"

#include <stdlib.h>

#include "formats/pickle.h"

/* A literal with its size: pickles contain NUL. */
#define PICKLE(literal)                                                                \
    (struct dg_bytes)                                                                  \
    {                                                                                  \
        (const uint8_t *)(literal), sizeof(literal) - 1                                \
    }

#define STORAGE                                                                        \
    "(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"                                 \
    "7X\6\0\0\0cuda:0K\x0ctQ"
#define VIEW "K\2K\2K\3\206K\3K\1\206\211ccollections\nOrderedDict\n)R"
#define TENSOR "ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE VIEW "tR"

static struct dg_arena memory;
static struct dg_error err;
static struct dg_pickle_value *value;

static enum dg_status read_pickle(struct dg_bytes data)
{
    err = (struct dg_error){0};
    return dg_pickle_read(&value, data, "data.pkl", &memory, &err);
}

static void expect_read(struct dg_bytes data, enum dg_pickle_type type)
{
    ck_assert_msg(read_pickle(data) == DG_OK, "%s", err.text);
    ck_assert_int_eq(value->type, type);
}

static void expect_refused(struct dg_bytes data, const char *message)
{
    ck_assert_int_eq(read_pickle(data), DG_ERR_FORMAT);
    ck_assert_str_eq(err.text, message);
    ck_assert_ptr_null(value);
}

static void expect_int(struct dg_bytes data, int64_t integer)
{
    expect_read(data, DG_PICKLE_INT);
    ck_assert_int_eq(value->integer, integer);
}

static void clear(void)
{
    dg_arena_clear(&memory);
}

START_TEST(scalars_have_their_values)
{
    expect_read(PICKLE("\200\2N."), DG_PICKLE_NONE);
    expect_read(PICKLE("\200\2\210."), DG_PICKLE_BOOL);
    ck_assert_int_eq(value->integer, 1);
    expect_read(PICKLE("\200\2G\xbf\xf8\0\0\0\0\0\0."), DG_PICKLE_FLOAT);
    ck_assert_double_eq(value->real, -1.5);
    expect_read(PICKLE("\200\2X\3\0\0\0a\0b."), DG_PICKLE_STRING);
    ck_assert_uint_eq(value->text.size, 3);
    expect_read(PICKLE("\200\2U\1\xff."), DG_PICKLE_BYTES);
}

START_TEST(integers_have_their_signs)
{
    expect_int(PICKLE("\200\2K\xff."), 255);
    expect_int(PICKLE("\200\2M\xff\xff."), 65535);
    expect_int(PICKLE("\200\2J\xfe\xff\xff\xff."), -2);
    expect_int(PICKLE("\200\2\x8a\0."), 0);
    expect_int(PICKLE("\200\2\x8a\2\0\x80."), -32768);
    expect_int(PICKLE("\200\2\x8a\x8\xff\xff\xff\xff\xff\xff\xff\x7f."), INT64_MAX);
}

START_TEST(integers_past_64_bits_are_opaque)
{
    expect_read(PICKLE("\200\2\x8a\x9\0\0\0\0\0\0\0\0\1."), DG_PICKLE_OPAQUE);
    ck_assert(dg_text_is(value->text, "builtins int"));
}

START_TEST(lists_and_tuples_keep_their_order)
{
    expect_read(PICKLE("\200\2](K\1K\2eK\3a."), DG_PICKLE_LIST);
    ck_assert_uint_eq(value->n_items, 3);
    ck_assert_int_eq(value->items[2]->integer, 3);
    expect_read(PICKLE("\200\2K\1K\2K\3\207."), DG_PICKLE_TUPLE);
    ck_assert_int_eq(value->items[0]->integer, 1);
    expect_read(PICKLE("\200\2(t."), DG_PICKLE_TUPLE);
    ck_assert_uint_eq(value->n_items, 0);
}

START_TEST(dicts_answer_with_the_last_value_of_a_key)
{
    expect_read(PICKLE("\200\2}(X\1\0\0\0aK\1X\1\0\0\0bK\2X\1\0\0\0aK\3u."),
                DG_PICKLE_DICT);
    ck_assert_uint_eq(value->n_items, 6);
    ck_assert_int_eq(dg_pickle_get(value, "a")->integer, 3);
    ck_assert_int_eq(dg_pickle_get(value, "b")->integer, 2);
    ck_assert_ptr_null(dg_pickle_get(value, "c"));
}

START_TEST(ordered_dicts_take_pairs)
{
    expect_read(PICKLE("\200\2ccollections\nOrderedDict\n]X\1\0\0\0aK\1\206a\205R."),
                DG_PICKLE_DICT);
    ck_assert_int_eq(dg_pickle_get(value, "a")->integer, 1);
    expect_refused(PICKLE("\200\2ccollections\nOrderedDict\n]K\1\205a\205R."),
                   "data.pkl: byte 33, pickle opcode 0x52 REDUCE: expected pairs of a "
                   "key and a value");
}

START_TEST(state_of_dicts_is_dropped)
{
    expect_read(PICKLE("\200\2ccollections\nOrderedDict\n)R}X\1\0\0\0aK\1sb."),
                DG_PICKLE_DICT);
    ck_assert_uint_eq(value->n_items, 0);
}

START_TEST(tensors_tell_storage_and_view)
{
    const struct dg_pickle_tensor *tensor;

    expect_read(PICKLE("\200\2" TENSOR "."), DG_PICKLE_TENSOR);
    tensor = value->tensor;
    ck_assert_str_eq(tensor->dtype->name, "f32");
    ck_assert(dg_text_is(tensor->storage, "7"));
    ck_assert(dg_text_is(tensor->location, "cuda:0"));
    ck_assert_uint_eq(tensor->storage_bytes, 48);
    ck_assert_int_eq(tensor->offset, 2);
    ck_assert_uint_eq(tensor->rank, 2);
    ck_assert_int_eq(tensor->sizes[1], 3);
    ck_assert_int_eq(tensor->strides[0], 3);
    ck_assert(!tensor->parameter && !tensor->requires_grad);
}

START_TEST(untyped_storages_count_bytes)
{
    expect_read(PICKLE("\200\2ctorch._utils\n_rebuild_tensor_v3\n("
                       "(X\7\0\0\0storagectorch.storage\nUntypedStorage\nX\1\0\0\0"
                       "0X\3\0\0\0cpuK\x0ctQ" VIEW "ctorch\nuint16\ntR."),
                DG_PICKLE_TENSOR);
    ck_assert_str_eq(value->tensor->dtype->name, "u16");
    ck_assert_uint_eq(value->tensor->storage_bytes, 12);
}

START_TEST(parameters_are_marked)
{
    expect_read(
        PICKLE("\200\2ctorch._utils\n_rebuild_parameter\n" TENSOR "\210)\207R."),
        DG_PICKLE_TENSOR);
    ck_assert(value->tensor->parameter && value->tensor->requires_grad);
}

#define FROM_TYPE(type)                                                                \
    PICKLE("\200\2ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n"             \
           "_rebuild_meta_tensor_no_storage\n" type                                    \
           "(ctorch\nfloat32\nK\2\205K\1\205\211t}tR.")

START_TEST(tensors_with_attributes_are_tensors_and_subclasses_are_opaque)
{
    expect_read(FROM_TYPE("ctorch\nTensor\n"), DG_PICKLE_TENSOR);
    ck_assert_str_eq(value->tensor->dtype->name, "f32");
    ck_assert_int_eq(value->tensor->sizes[0], 2);
    expect_read(FROM_TYPE("cmy.module\nTensor\n"), DG_PICKLE_OPAQUE);
    ck_assert(dg_text_is(value->text, "my.module Tensor"));
}

START_TEST(devices_and_sizes_are_plain_values)
{
    expect_read(PICKLE("\200\2ctorch\ndevice\nX\4\0\0\0cudaK\1\206R."),
                DG_PICKLE_STRING);
    ck_assert(dg_text_is(value->text, "cuda:1"));
    expect_read(PICKLE("\200\2ctorch\nSize\nK\1K\2\206\205R."), DG_PICKLE_TUPLE);
    ck_assert_uint_eq(value->n_items, 2);
    expect_read(PICKLE("\200\2ctorch\nbfloat16\n."), DG_PICKLE_OPAQUE);
    ck_assert(dg_text_is(value->text, "torch bfloat16"));
}

START_TEST(unknown_globals_stay_names)
{
    expect_read(PICKLE("\200\2cos\nsystem\nX\2\0\0\0ls\205R."), DG_PICKLE_OPAQUE);
    ck_assert(dg_text_is(value->text, "os system"));
    expect_read(PICKLE("\200\2cmy.module\nThing\n)\x81}X\1\0\0\0aK\1sbK\1a."),
                DG_PICKLE_OPAQUE);
    ck_assert(dg_text_is(value->text, "my.module Thing"));
}

START_TEST(malformed_tensors_are_refused)
{
    expect_refused(PICKLE("\200\2ctorch._utils\n_rebuild_tensor_v2\n)R."),
                   "data.pkl: byte 36, pickle opcode 0x52 REDUCE: expected 6 to 7 "
                   "arguments, found 0");
    expect_refused(
        PICKLE("\200\2ctorch._utils\n_rebuild_tensor_v2\n(" STORAGE
               "J\xff\xff\xff\xff)))\211NtR."),
        "data.pkl: byte 101, pickle opcode 0x52 REDUCE: expected no negative "
        "offset");
    expect_refused(PICKLE("\200\2X\1\0\0\0aQ."),
                   "data.pkl: byte 8, pickle opcode 0x51 BINPERSID: expected a "
                   "persistent id of 5 items");
}

START_TEST(memo_entries_are_shared)
{
    expect_read(PICKLE("\200\2]q\0K\1ah\0h\0\206\206."), DG_PICKLE_TUPLE);
    ck_assert_ptr_eq(value->items[0], value->items[1]->items[0]);
    expect_refused(PICKLE("\200\2Nq\1."),
                   "data.pkl: byte 3, pickle opcode 0x71 BINPUT: "
                   "expected a memo index of at most 0, found 1");
    expect_refused(PICKLE("\200\2h\0."), "data.pkl: byte 2, pickle opcode 0x68 BINGET: "
                                         "expected a memo index below 0, found 0");
}

START_TEST(cycles_are_refused)
{
    expect_refused(PICKLE("\200\2]q\0h\0a."), "data.pkl: byte 8, pickle opcode 0x2e "
                                              "STOP: expected values without cycles");
    expect_refused(
        PICKLE("\200\2]q\0(h\0\205e."),
        "data.pkl: byte 10, pickle opcode 0x2e STOP: expected values without "
        "cycles");
}

/* 128 lists, one in the other, or one more. */
static struct dg_bytes nested(int depth)
{
    static char text[2 + 1 + 129 + 1];

    memcpy(text, "\200\2N", 3);
    memset(text + 3, 0x85, (size_t)depth);
    text[3 + depth] = '.';
    return (struct dg_bytes){(const uint8_t *)text, (size_t)depth + 4};
}

START_TEST(values_nest_at_most_128_deep)
{
    expect_read(nested(128), DG_PICKLE_TUPLE);
    ck_assert_int_eq(value->height, 128);
    ck_assert_int_eq(read_pickle(nested(129)), DG_ERR_FORMAT);
}

START_TEST(shared_values_may_not_explode)
{
    char text[2 + 4 + 30 * 7 + 2], *at = text;

    at = (char *)memcpy(at, "\200\2(Nq\0", 6) + 6;
    for (char i = 0; i < 30; i++) {
        memcpy(at, (char[]){'h', i, 'h', i, '\x86', 'q', (char)(i + 1)}, 7);
        at += 7;
    }
    memcpy(at, "t.", 2);
    at += 2;
    ck_assert_int_eq(
        read_pickle((struct dg_bytes){(const uint8_t *)text, (size_t)(at - text)}),
        DG_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.text, "expected shared values that unfold to"));
}

START_TEST(memory_is_bounded_by_the_input)
{
    size_t size = 4 << 20;
    char *text = malloc(size);

    memset(text, ']', size);
    memcpy(text, "\200\2(", 3);
    memcpy(text + size - 2, "t.", 2);
    ck_assert_int_eq(read_pickle((struct dg_bytes){(const uint8_t *)text, size}),
                     DG_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.text, "expected a pickle that needs less memory"));
    free(text);
}

START_TEST(other_opcodes_and_protocols_are_refused)
{
    expect_refused(PICKLE("\200\2(ios\nsystem\n."),
                   "data.pkl: byte 3, pickle opcode 0x69: expected an opcode that "
                   "torch.save writes");
    expect_refused(PICKLE("\200\4N."), "data.pkl: byte 0, pickle opcode 0x80 PROTO: "
                                       "expected a pickle of protocol 2 (80 02)");
    expect_refused(PICKLE(""),
                   "data.pkl: byte 0, pickle opcode 0x00: expected a pickle "
                   "of protocol 2 (80 02)");
}

START_TEST(stack_and_end_must_fit)
{
    expect_refused(PICKLE("\200\2."), "data.pkl: byte 2, pickle opcode 0x2e STOP: "
                                      "expected one value on the stack, found 0");
    expect_refused(PICKLE("\200\2NN."), "data.pkl: byte 4, pickle opcode 0x2e STOP: "
                                        "expected one value on the stack, found 2");
    expect_refused(PICKLE("\200\2N.N"), "data.pkl: byte 3, pickle opcode 0x2e STOP: "
                                        "expected the end, found 1 more bytes");
    expect_refused(PICKLE("\200\2N"),
                   "data.pkl: byte 3, pickle opcode 0x00: expected 1 "
                   "more bytes");
    expect_refused(PICKLE("\200\2N(\205."),
                   "data.pkl: byte 4, pickle opcode 0x85 TUPLE1: expected a value on "
                   "the stack");
    expect_refused(PICKLE("\200\2Nt."), "data.pkl: byte 3, pickle opcode 0x74 TUPLE: "
                                        "expected a mark on the stack");
}

static void add_bounds(TCase *bounds)
{
    tcase_add_test(bounds, malformed_tensors_are_refused);
    tcase_add_test(bounds, cycles_are_refused);
    tcase_add_test(bounds, values_nest_at_most_128_deep);
    tcase_add_test(bounds, shared_values_may_not_explode);
    tcase_add_test(bounds, memory_is_bounded_by_the_input);
    tcase_add_test(bounds, other_opcodes_and_protocols_are_refused);
    tcase_add_test(bounds, stack_and_end_must_fit);
}

Suite *pickle_suite(void)
{
    Suite *suite = suite_create("pickle");
    TCase *values = tcase_create("values"), *bounds = tcase_create("bounds");

    tcase_add_checked_fixture(values, NULL, clear);
    tcase_add_test(values, scalars_have_their_values);
    tcase_add_test(values, integers_have_their_signs);
    tcase_add_test(values, integers_past_64_bits_are_opaque);
    tcase_add_test(values, lists_and_tuples_keep_their_order);
    tcase_add_test(values, dicts_answer_with_the_last_value_of_a_key);
    tcase_add_test(values, ordered_dicts_take_pairs);
    tcase_add_test(values, state_of_dicts_is_dropped);
    tcase_add_test(values, tensors_tell_storage_and_view);
    tcase_add_test(values, untyped_storages_count_bytes);
    tcase_add_test(values, parameters_are_marked);
    tcase_add_test(values,
                   tensors_with_attributes_are_tensors_and_subclasses_are_opaque);
    tcase_add_test(values, devices_and_sizes_are_plain_values);
    tcase_add_test(values, unknown_globals_stay_names);
    tcase_add_test(values, memo_entries_are_shared);
    suite_add_tcase(suite, values);
    tcase_add_checked_fixture(bounds, NULL, clear);
    add_bounds(bounds);
    suite_add_tcase(suite, bounds);
    return suite;
}
