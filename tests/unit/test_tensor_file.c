/* Values of .npy, .npz and torch.save files, and what is refused of them. */
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "formats/tensor_file.h"

static struct dg_value_set set;
static struct dg_error err;

static void forget(void)
{
    dg_value_set_clear(&set);
    err = (struct dg_error){0};
}

static void open_file(const char *folder, const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s/%s", getenv("top_srcdir"), folder, name);
    dg_value_set_open(&set, path, &err);
    ck_assert_str_eq(err.text, "");
    set.path = NULL;
}

static void open_corpus(const char *name)
{
    open_file("tests/fuzz/corpus/tensor_file", name);
}

static const struct dg_named_value *find(const char *name)
{
    for (size_t i = 0; i < set.n_values; i++) {
        if (!strcmp(set.values[i].name, name))
            return &set.values[i];
    }
    return NULL;
}

static const struct dg_arg *value(const char *name)
{
    ck_assert_msg(find(name) != NULL, "no value %s", name);
    return &find(name)->value;
}

static void expect_tensor(const char *name, const char *words)
{
    const struct dg_tensor *tensor = value(name)->as.tensor;
    char shape[200], text[400];
    int n;

    ck_assert_int_eq(value(name)->kind, DG_ARG_TENSOR);
    n = snprintf(text, sizeof(text), "%s %s", dg_type_name(tensor->type),
                 dg_shape_text(tensor, shape, sizeof(shape)));
    for (int i = 0; i < tensor->rank; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, i ? ",%lld" : " by %lld",
                      (long long)tensor->strides[i]);
    ck_assert_str_eq(text, words);
}

static float element(const char *name, int64_t i)
{
    const struct dg_tensor *tensor = value(name)->as.tensor;

    return ((const float *)tensor->storage->bytes)[tensor->offset + i];
}

/* A .npy with that header, and `size` bytes 0, 1, 2... behind it. */
static void read_array(const char *header, size_t size)
{
    char path[] = "/tmp/delegraph-XXXXXX";
    struct dg_writer file = {0};
    size_t length = strlen(header);
    int descriptor = mkstemp(path);

    dg_write(&file, "\x93NUMPY\1\0", 8);
    dg_write(&file, (const char[]){(char)length, (char)(length >> 8)}, 2);
    dg_write(&file, header, length);
    for (size_t i = 0; i < size; i++)
        dg_write(&file, (const char[]){(char)i}, 1);
    ck_assert_int_eq(write(descriptor, file.data, file.size), file.size);
    close(descriptor);
    dg_value_set_open(&set, path, &err);
    set.path = NULL;
    unlink(path);
    dg_writer_clear(&file);
}

static void expect_refused(const char *header, size_t size, const char *words)
{
    read_array(header, size);
    ck_assert_msg(strstr(err.text, words) != NULL, "%s: %s", header, err.text);
    ck_assert(err.status == DG_ERR_FORMAT || err.status == DG_ERR_DEVICE);
    forget();
}

START_TEST(an_npz_of_numpy_gives_its_arrays_by_name)
{
    open_corpus("arrays.npz");
    expect_tensor("in0", "f32 [2,3] by 3,1");
    ck_assert(element("in0", 5) == 6);
    ck_assert_uint_eq(set.n_values, 11);
    ck_assert(set.values[0].named);
    forget();
}

START_TEST(big_endian_arrays_are_swapped)
{
    open_corpus("arrays.npz");
    expect_tensor("in1", "f32 [2,3] by 3,1");
    ck_assert(element("in1", 1) == 2);
    forget();
}

START_TEST(fortran_order_becomes_strides)
{
    open_corpus("arrays.npz");
    expect_tensor("in2", "f32 [2,3] by 1,2");
    ck_assert(element("in2", 1) == 4);
    forget();
}

START_TEST(suffixes_make_python_scalars)
{
    open_corpus("arrays.npz");
    ck_assert_int_eq(value("in3")->kind, DG_ARG_INT);
    ck_assert_int_eq(value("in3")->as.integer, -7);
    ck_assert_int_eq(value("in4")->kind, DG_ARG_FLOAT);
    ck_assert(value("in4")->as.real == 2.5);
    ck_assert_int_eq(value("in5")->kind, DG_ARG_BOOL);
    ck_assert_int_eq(value("in5")->as.integer, 1);
    forget();
}

START_TEST(suffixes_name_the_type_of_raw_bits)
{
    open_corpus("arrays.npz");
    expect_tensor("in6", "bf16 [2] by 1");
    expect_tensor("in8", "f8e4m3fn [3] by 1");
    forget();
}

START_TEST(two_underscores_alone_are_no_suffix)
{
    open_corpus("arrays.npz");
    expect_tensor("my__name", "f32 [2,3] by 3,1");
    forget();
}

START_TEST(empty_and_zero_dimensional_arrays_are_tensors)
{
    open_corpus("arrays.npz");
    expect_tensor("mask", "bool [0,3] by 3,1");
    expect_tensor("s", "i8 []");
    forget();
}

START_TEST(deflated_entries_are_read)
{
    open_corpus("deflated.npz");
    expect_tensor("in0", "f32 [50] by 1");
    ck_assert(element("in0", 49) == 49);
    forget();
}

START_TEST(version_2_of_npy_is_read)
{
    open_corpus("version_2.npy");
    expect_tensor("0", "f32 [2,3] by 3,1");
    ck_assert(!set.values[0].named);
    forget();
}

START_TEST(a_saved_tuple_is_flattened_without_names)
{
    open_corpus("tuple.pt");
    ck_assert_uint_eq(set.n_values, 8);
    expect_tensor("0", "f32 [2,3] by 3,1");
    expect_tensor("1", "f32 [3,2] by 1,3");
    expect_tensor("2", "f32 [2] by 3");
    ck_assert(element("2", 3) == 5);
    ck_assert_int_eq(value("3")->as.integer, 1);
    ck_assert(value("4")->as.real == 2.5);
    ck_assert_int_eq(value("5")->kind, DG_ARG_BOOL);
    ck_assert_int_eq(value("6")->kind, DG_ARG_NONE);
    ck_assert_str_eq(value("7")->as.string, "s");
    forget();
}

START_TEST(keys_of_a_saved_dict_are_names)
{
    open_corpus("dict.pt");
    expect_tensor("mask", "bf16 [2] by 1");
    ck_assert_int_eq(value("n")->as.integer, 3);
    ck_assert(set.values[0].named);
    ck_assert(!set.values[3].named);
    forget();
}

START_TEST(an_expanded_tensor_keeps_its_strides)
{
    open_corpus("expanded.pt");
    expect_tensor("0", "f32 [4,2,3] by 0,3,1");
    forget();
}

START_TEST(a_header_must_describe_one_array_that_fills_the_file)
{
    expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 20,
                   "f32 [2,3] takes 24 bytes, but 20 follow");
    expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': "
                   "(4294967296, 4294967296, 2), }",
                   4, "no array can have the shape");
    expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': "
                   "(99999999999999999999,), }",
                   4, "a size below 2^63");
    expect_refused("{'descr': '<f4', 'shape': (1,)}", 4, "before the end");
    expect_refused("{'descr': '<f4', 'descr': '<f4'}", 4, "each once");
    expect_refused("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}", 4,
                   "True or False");
    expect_refused("{'descr': '<f4", 4, "a closing quote");
    expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1", 4,
                   "\",\" or \")\"");
    expect_refused("{'descr': '<f4', 'fortran_order': False, 'shape': "
                   "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
                   4, "at most 16 dimensions");
    expect_refused("  ", 0, "\"{\"");
    expect_refused("", 0, "a .npy array");
}

START_TEST(types_that_no_tensor_here_has_are_refused)
{
    expect_refused("{'descr': '<c4', 'fortran_order': False, 'shape': (1,), }", 8,
                   "dtype <c4 is not supported");
    expect_refused("{'descr': [('a', '<f4')], 'fortran_order': False}", 4,
                   "arrays of records");
}

START_TEST(headers_of_python_2_are_read)
{
    read_array("{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 3L), }", 6);
    ck_assert_str_eq(err.text, "");
    expect_tensor("0", "u8 [2,3] by 3,1");
    forget();
}

START_TEST(a_folder_without_arrays_and_a_missing_file_are_named)
{
    ck_assert_int_eq(dg_value_set_open(&set, "/nowhere/x.npz", &err), DG_ERR_FORMAT);
    ck_assert_msg(strstr(err.text, "/nowhere/x.npz: cannot read") != NULL, "%s",
                  err.text);
    forget();
}

static struct dg_named_value named(const char *name, struct dg_arg arg)
{
    return (struct dg_named_value){name, arg, true};
}

/* [[1, 2], [3, 4]] seen by columns, and bf16. */
static void write_values(const char *path)
{
    static const float numbers[] = {1, 2, 3, 4};
    static const uint16_t bits[] = {0x3f80};
    const int64_t sizes[] = {2, 2}, strides[] = {1, 2}, one = 1;
    struct dg_tensor *rows = dg_tensor_over(DG_TYPE_F32, 2, sizes, numbers);
    struct dg_tensor *columns = dg_tensor_view(rows, 2, sizes, strides, 0);
    struct dg_tensor *half = dg_tensor_over(DG_TYPE_BF16, 1, &one, bits);
    const struct dg_named_value values[] = {
        named("out0", (struct dg_arg){DG_ARG_TENSOR, {.tensor = columns}}),
        named("out1", (struct dg_arg){DG_ARG_TENSOR, {.tensor = half}}),
        named("out2", (struct dg_arg){DG_ARG_INT, {.integer = -3}}),
        named("out3", (struct dg_arg){DG_ARG_FLOAT, {.real = 0.5}}),
        named("out4", (struct dg_arg){DG_ARG_BOOL, {.integer = 1}}),
        named("out5", (struct dg_arg){0}),
    };

    ck_assert_int_eq(dg_npz_write(path, values, 6, &err), DG_OK);
    dg_tensor_drop(rows);
    dg_tensor_drop(columns);
    dg_tensor_drop(half);
}

START_TEST(what_is_written_is_read_again)
{
    const char *path = "/tmp/delegraph-values.npz";

    write_values(path);
    ck_assert_int_eq(dg_value_set_open(&set, path, &err), DG_OK);
    unlink(path);
    expect_tensor("out0", "f32 [2,2] by 2,1");
    ck_assert(element("out0", 1) == 3);
    expect_tensor("out1", "bf16 [1] by 1");
    ck_assert_int_eq(value("out2")->as.integer, -3);
    ck_assert(value("out3")->as.real == 0.5);
    ck_assert_int_eq(value("out4")->kind, DG_ARG_BOOL);
    ck_assert(find("out5") == NULL);
    forget();
}

START_TEST(a_file_that_cannot_be_written_is_an_error)
{
    ck_assert_int_eq(dg_npz_write("/nowhere/x.npz", NULL, 0, &err), DG_ERR_IO);
    err = (struct dg_error){0};
}

static struct dg_bytes read_bundle(uint8_t *bytes, size_t room)
{
    char path[512];
    size_t size;
    FILE *file;

    snprintf(path, sizeof(path), "%s/tests/data/bundled.bpte", getenv("top_srcdir"));
    file = fopen(path, "rb");
    ck_assert(file != NULL);
    size = fread(bytes, 1, room, file);
    fclose(file);
    return (struct dg_bytes){bytes, size};
}

START_TEST(a_bundle_has_a_program_and_its_tests)
{
    static uint8_t bytes[1 << 16];
    struct dg_bytes file = read_bundle(bytes, sizeof(bytes));
    struct dg_bundle bundle;

    ck_assert(dg_bundle_recognises(file));
    ck_assert_int_eq(dg_bundle_read(&bundle, file, &err), DG_OK);
    ck_assert(!memcmp(bundle.program.data + 4, "ET12", 4));
    ck_assert_uint_eq(bundle.n_cases, 2);
    ck_assert_str_eq(bundle.cases[1].method, "forward");
    ck_assert_uint_eq(bundle.cases[1].inputs.n_values, 2);
    ck_assert_uint_eq(bundle.cases[1].outputs.n_values, 5);
    ck_assert_str_eq(bundle.cases[1].outputs.values[4].name, "out4");
    dg_bundle_clear(&bundle);
}

START_TEST(a_bundle_that_was_cut_off_is_refused)
{
    static uint8_t bytes[1 << 16];
    struct dg_bytes file = read_bundle(bytes, sizeof(bytes));
    struct dg_bundle bundle;

    file.size -= 900;
    ck_assert_int_eq(dg_bundle_read(&bundle, file, &err), DG_ERR_FORMAT);
    dg_bundle_clear(&bundle);
    err = (struct dg_error){0};
}

Suite *tensor_file_suite(void)
{
    Suite *suite = suite_create("tensor_file");
    TCase *tests = tcase_create("values");

    tcase_add_test(tests, an_npz_of_numpy_gives_its_arrays_by_name);
    tcase_add_test(tests, big_endian_arrays_are_swapped);
    tcase_add_test(tests, fortran_order_becomes_strides);
    tcase_add_test(tests, suffixes_make_python_scalars);
    tcase_add_test(tests, suffixes_name_the_type_of_raw_bits);
    tcase_add_test(tests, two_underscores_alone_are_no_suffix);
    tcase_add_test(tests, empty_and_zero_dimensional_arrays_are_tensors);
    tcase_add_test(tests, deflated_entries_are_read);
    tcase_add_test(tests, version_2_of_npy_is_read);
    tcase_add_test(tests, a_saved_tuple_is_flattened_without_names);
    tcase_add_test(tests, keys_of_a_saved_dict_are_names);
    tcase_add_test(tests, an_expanded_tensor_keeps_its_strides);
    tcase_add_test(tests, a_header_must_describe_one_array_that_fills_the_file);
    tcase_add_test(tests, types_that_no_tensor_here_has_are_refused);
    tcase_add_test(tests, headers_of_python_2_are_read);
    tcase_add_test(tests, a_folder_without_arrays_and_a_missing_file_are_named);
    tcase_add_test(tests, what_is_written_is_read_again);
    tcase_add_test(tests, a_file_that_cannot_be_written_is_an_error);
    tcase_add_test(tests, a_bundle_has_a_program_and_its_tests);
    tcase_add_test(tests, a_bundle_that_was_cut_off_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
