/* Bundled programs (.bpte): a .pte with inputs and expected outputs of its methods. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "formats/flatbuffer_fields.h"
#include "formats/tensor_file_parts.h"

TYPE(tensor, "Tensor", SCALAR("scalar_type", 1), VECTOR("sizes", 4), VECTOR("data", 1),
     VECTOR("dim_order", 1));
TYPE(integer, "Int", SCALAR("int_val", 8));
TYPE(boolean, "Bool", SCALAR("bool_val", 1));
TYPE(real, "Double", SCALAR("double_val", 8));
static const struct dg_table_type *const members[] = {NULL, &tensor, &integer, &boolean,
                                                      &real};
TYPE(value, "Value", SCALAR("val_type", 1), UNION("val", members));
TYPE(test_case, "MethodTestCase", CHILDREN("inputs", value),
     CHILDREN("expected_outputs", value));
TYPE(suite, "MethodTestSuite", STRING("method_name"),
     CHILDREN("test_cases", test_case));
static const struct dg_field root_fields[] = {
    SCALAR("version", 4), CHILDREN("method_test_suites", suite), VECTOR("program", 1)};
const struct dg_table_type dg_bundled_program = {"BundledProgram", root_fields, 3};

enum { ROOT_SUITES = 1, ROOT_PROGRAM };
enum { SUITE_METHOD, SUITE_CASES };
enum { CASE_INPUTS, CASE_OUTPUTS };
enum { VALUE_TYPE, VALUE };
enum { TYPE_TENSOR = 1, TYPE_INT, TYPE_BOOL, TYPE_DOUBLE };
enum { TENSOR_TYPE, TENSOR_SIZES, TENSOR_DATA, TENSOR_DIM_ORDER };

struct reading {
    struct dg_bundle *bundle;
    struct dg_bytes file;
    size_t copied; /* tensors may share their bytes, but then nobody copies them all */
    struct dg_error *err;
};

bool dg_bundle_recognises(struct dg_bytes file)
{
    return file.size >= 8 && !memcmp(file.data + 4, "BP08", 4);
}

static bool read_layout(struct dg_flatbuffer_table table, int *rank, int64_t *sizes,
                        int64_t *strides)
{
    struct dg_vector size = dg_table_vector(table, TENSOR_SIZES);
    struct dg_vector order = dg_table_vector(table, TENSOR_DIM_ORDER);
    int64_t dims[DG_RANK_MOST];

    if (size.n > DG_RANK_MOST || (order.n && order.n != size.n))
        return false;
    *rank = (int)size.n;
    for (int i = 0; i < *rank; i++) {
        sizes[i] = (int32_t)dg_u32(size.at + 4 * i);
        dims[i] = order.n ? order.at[i] : i;
    }
    return dg_strides_in_order(*rank, sizes, dims, strides);
}

static enum dg_status put_tensor(struct reading *reading, struct dg_value_set *set,
                                 struct dg_text name, struct dg_flatbuffer_table table)
{
    const struct dg_dtype *dtype = dg_dtype_of_c10(dg_table_i8(table, TENSOR_TYPE, 0));
    struct dg_vector data = dg_table_vector(table, TENSOR_DATA);
    enum dg_type type = dg_type_of(dtype);
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    struct dg_arg arg = {.kind = DG_ARG_TENSOR};
    int rank;

    if (type == DG_TYPE_NONE)
        return dg_fail(reading->err, DG_ERR_FORMAT,
                       "%s: tensors of type %s are not supported", name.data,
                       dtype ? dtype->name : "that is not known");
    reading->copied += data.n;
    if (reading->copied > 2 * reading->file.size)
        return dg_fail(reading->err, DG_ERR_FORMAT,
                       "%s: its test sets take more bytes than the file has",
                       name.data);
    if (read_layout(table, &rank, sizes, strides))
        arg.as.tensor =
            dg_stored_tensor(type, rank, sizes, strides, 0,
                             (struct dg_bytes){data.at, data.n}, &set->memory);
    if (!arg.as.tensor)
        return dg_fail(reading->err, DG_ERR_FORMAT,
                       "%s: a tensor whose sizes do not fit its %zu bytes", name.data,
                       data.n);
    dg_value_set_put(set, name, false, arg);
    return DG_OK;
}

static enum dg_status put_value(struct reading *reading, struct dg_value_set *set,
                                struct dg_text name, struct dg_flatbuffer_table table)
{
    uint8_t type = dg_table_u8(table, VALUE_TYPE, 0);
    struct dg_flatbuffer_table content = dg_table_union(table, VALUE);
    struct dg_arg arg = {0};

    if (!content.at)
        return dg_fail(reading->err, DG_ERR_FORMAT, "%s has no value", name.data);
    switch (type) {
    case TYPE_TENSOR:
        return put_tensor(reading, set, name, content);
    case TYPE_DOUBLE:
        arg = (struct dg_arg){DG_ARG_FLOAT, {.real = dg_table_f64(content, 0, 0)}};
        break;
    case TYPE_INT:
        arg = (struct dg_arg){DG_ARG_INT, {.integer = dg_table_i64(content, 0, 0)}};
        break;
    case TYPE_BOOL:
        arg =
            (struct dg_arg){DG_ARG_BOOL, {.integer = dg_table_u8(content, 0, 0) != 0}};
        break;
    default:
        return dg_fail(reading->err, DG_ERR_FORMAT, "%s: value type %d is not known",
                       name.data, type);
    }
    dg_value_set_put(set, name, false, arg);
    return DG_OK;
}

static enum dg_status read_values(struct reading *reading, struct dg_value_set *set,
                                  struct dg_vector values, const char *prefix)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < values.n; i++)
        status = put_value(reading, set, dg_format(&set->memory, "%s%zu", prefix, i),
                           dg_vector_table(values, i));
    return status ? dg_fail_at(reading->err, set->path) : DG_OK;
}

static enum dg_status read_case(struct reading *reading,
                                struct dg_flatbuffer_table table, const char *method,
                                size_t number)
{
    struct dg_bundle *bundle = reading->bundle;
    struct dg_bundle_case *test = DG_APPEND(bundle->cases, bundle->n_cases);
    enum dg_status status;

    test->method = method;
    test->inputs.path = test->outputs.path =
        dg_format(&bundle->memory, "test %zu of method %s", number, method).data;
    status =
        read_values(reading, &test->inputs, dg_table_vector(table, CASE_INPUTS), "in");
    if (!status)
        status = read_values(reading, &test->outputs,
                             dg_table_vector(table, CASE_OUTPUTS), "out");
    return status;
}

static enum dg_status read_suite(struct reading *reading,
                                 struct dg_flatbuffer_table table)
{
    struct dg_vector cases = dg_table_vector(table, SUITE_CASES);
    const char *method =
        dg_copy(&reading->bundle->memory, dg_table_string(table, SUITE_METHOD));
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < cases.n; i++)
        status = read_case(reading, dg_vector_table(cases, i), method, i);
    return status;
}

static enum dg_status open_root(struct dg_bytes file, struct dg_flatbuffer_table *table,
                                struct dg_bytes *program, struct dg_error *err)
{
    struct dg_vector bytes;
    size_t n_unknown;
    enum dg_status status =
        dg_flatbuffer_verify(file, &dg_bundled_program, &n_unknown, err);

    if (status)
        return status;
    *table = dg_flatbuffer_root(file, &dg_bundled_program);
    bytes = dg_table_vector(*table, ROOT_PROGRAM);
    *program = (struct dg_bytes){bytes.at, bytes.n};
    return bytes.n ? DG_OK
                   : dg_fail(err, DG_ERR_FORMAT,
                             "a bundled program without a program in it");
}

enum dg_status dg_bundle_program(struct dg_bytes file, struct dg_bytes *program,
                                 struct dg_error *err)
{
    struct dg_flatbuffer_table table;

    return open_root(file, &table, program, err);
}

enum dg_status dg_bundle_read(struct dg_bundle *bundle, struct dg_bytes file,
                              struct dg_error *err)
{
    struct reading reading = {bundle, file, 0, err};
    struct dg_vector suites;
    struct dg_flatbuffer_table table;
    enum dg_status status;

    *bundle = (struct dg_bundle){0};
    status = open_root(file, &table, &bundle->program, err);
    if (status)
        return status;
    suites = dg_table_vector(table, ROOT_SUITES);
    for (size_t i = 0; !status && i < suites.n; i++)
        status = read_suite(&reading, dg_vector_table(suites, i));
    return status;
}

void dg_bundle_clear(struct dg_bundle *bundle)
{
    for (size_t i = 0; i < bundle->n_cases; i++) {
        dg_value_set_clear(&bundle->cases[i].inputs);
        dg_value_set_clear(&bundle->cases[i].outputs);
    }
    free(bundle->cases);
    dg_arena_clear(&bundle->memory);
    *bundle = (struct dg_bundle){0};
}
