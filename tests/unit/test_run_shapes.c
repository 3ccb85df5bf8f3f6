/* Values of one program in shapes of the other. */
#include "exec/run_parts.h"
#include "unit/suite.h"

static float elements[24];

static struct dg_arg value_of(int rank, const int64_t *sizes)
{
    return (struct dg_arg){
        DG_ARG_TENSOR, {.tensor = dg_tensor_over(DG_TYPE_F32, rank, sizes, elements)}};
}

static void expect_sizes(const struct dg_tensor *tensor, int rank, const int64_t *sizes)
{
    ck_assert_int_eq(tensor->rank, rank);
    for (int i = 0; i < rank; i++)
        ck_assert_int_eq(tensor->sizes[i], sizes[i]);
}

/* What a value of `sizes` is in the shape of `like`. */
static void expect_taken(int rank, const int64_t *sizes, int rank_like,
                         const int64_t *like, bool taken)
{
    struct dg_arg value = value_of(rank, sizes), shape = value_of(rank_like, like);

    dg_take_shape(&value, shape.as.tensor);
    expect_sizes(value.as.tensor, taken ? rank_like : rank, taken ? like : sizes);
    ck_assert(dg_tensor_contiguous(value.as.tensor));
    ck_assert_ptr_eq(dg_tensor_data(value.as.tensor), elements);
    dg_arg_drop(&value);
    dg_arg_drop(&shape);
}

START_TEST(sizes_of_1_come_and_go)
{
    static const int64_t line[] = {2, 3, 4}, image[] = {2, 3, 1, 4},
                         batch[] = {1, 2, 3, 4, 1};

    expect_taken(3, line, 4, image, true);
    expect_taken(4, image, 3, line, true);
    expect_taken(4, image, 5, batch, true);
}

START_TEST(other_sizes_stay)
{
    static const int64_t line[] = {2, 3, 4}, turned[] = {2, 4, 1, 3}, flat[] = {6, 4};

    expect_taken(3, line, 4, turned, false);
    expect_taken(3, line, 2, flat, false);
}

/* An image of a delegate lies with its channels behind. */
START_TEST(elements_of_what_is_not_contiguous_stay_where_they_are)
{
    static const int64_t image[] = {2, 3, 1, 4}, behind[] = {12, 1, 12, 3},
                         line[] = {2, 3, 4};
    struct dg_arg shape = value_of(3, line), whole = value_of(4, image), value;

    value = (struct dg_arg){
        DG_ARG_TENSOR,
        {.tensor = dg_tensor_view(whole.as.tensor, 4, image, behind, 0)}};
    dg_take_shape(&value, shape.as.tensor);
    expect_sizes(value.as.tensor, 3, line);
    ck_assert_int_eq(value.as.tensor->strides[0], 12);
    ck_assert_int_eq(value.as.tensor->strides[1], 1);
    ck_assert_int_eq(value.as.tensor->strides[2], 3);
    dg_arg_drop(&value);
    dg_arg_drop(&whole);
    dg_arg_drop(&shape);
}

Suite *run_shapes_suite(void)
{
    Suite *suite = suite_create("run shapes");
    TCase *all = tcase_create("all");

    tcase_add_test(all, sizes_of_1_come_and_go);
    tcase_add_test(all, other_sizes_stay);
    tcase_add_test(all, elements_of_what_is_not_contiguous_stay_where_they_are);
    suite_add_tcase(suite, all);
    return suite;
}
