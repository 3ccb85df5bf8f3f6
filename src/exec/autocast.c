/* Arguments of an operator that are cast before it runs: as torch's autocast on the CPU
 * does, and as out_dtype does. */
#include <string.h>

#include "base/promote.h"
#include "exec/machine_parts.h"

enum policy {
    POLICY_LOWER,   /* floats become the type of the autocast */
    POLICY_SINGLE,  /* floats of 16 bits become f32 */
    POLICY_WIDEST,  /* all of one type: f32 where any is */
    POLICY_UNKNOWN, /* made of operators that are cast, each by itself */
};

/* Of ATen/autocast_mode.cpp, as far as there are kernels. Others are left alone. */
static const struct {
    const char *name;
    enum policy policy;
} policies[] = {
    {"_convolution", POLICY_LOWER},
    {"addbmm", POLICY_LOWER},
    {"addmm", POLICY_LOWER},
    {"baddbmm", POLICY_LOWER},
    {"bmm", POLICY_LOWER},
    {"conv1d", POLICY_LOWER},
    {"conv2d", POLICY_LOWER},
    {"conv3d", POLICY_LOWER},
    {"conv_transpose1d", POLICY_LOWER},
    {"conv_transpose2d", POLICY_LOWER},
    {"conv_transpose3d", POLICY_LOWER},
    {"linear", POLICY_LOWER},
    {"matmul", POLICY_LOWER},
    {"mm", POLICY_LOWER},
    {"prelu", POLICY_LOWER},
    {"scaled_dot_product_attention", POLICY_LOWER},
    {"adaptive_avg_pool3d", POLICY_SINGLE},
    {"avg_pool3d", POLICY_SINGLE},
    {"binary_cross_entropy", POLICY_SINGLE},
    {"binary_cross_entropy_with_logits", POLICY_SINGLE},
    {"cdist", POLICY_SINGLE},
    {"cosine_embedding_loss", POLICY_SINGLE},
    {"cross_entropy_loss", POLICY_SINGLE},
    {"grid_sampler", POLICY_SINGLE},
    {"grid_sampler_2d", POLICY_SINGLE},
    {"grid_sampler_3d", POLICY_SINGLE},
    {"hinge_embedding_loss", POLICY_SINGLE},
    {"huber_loss", POLICY_SINGLE},
    {"kl_div", POLICY_SINGLE},
    {"l1_loss", POLICY_SINGLE},
    {"margin_ranking_loss", POLICY_SINGLE},
    {"max_pool3d", POLICY_SINGLE},
    {"mse_loss", POLICY_SINGLE},
    {"multi_margin_loss", POLICY_SINGLE},
    {"multilabel_margin_loss", POLICY_SINGLE},
    {"nll_loss", POLICY_SINGLE},
    {"nll_loss2d", POLICY_SINGLE},
    {"poisson_nll_loss", POLICY_SINGLE},
    {"prod", POLICY_SINGLE},
    {"reflection_pad1d", POLICY_SINGLE},
    {"reflection_pad2d", POLICY_SINGLE},
    {"replication_pad1d", POLICY_SINGLE},
    {"replication_pad2d", POLICY_SINGLE},
    {"replication_pad3d", POLICY_SINGLE},
    {"smooth_l1_loss", POLICY_SINGLE},
    {"soft_margin_loss", POLICY_SINGLE},
    {"trace", POLICY_SINGLE},
    {"triplet_margin_loss", POLICY_SINGLE},
    {"cat", POLICY_WIDEST},
    {"index_copy", POLICY_WIDEST},
    {"stack", POLICY_WIDEST},
    {"bilinear", POLICY_UNKNOWN},
    {"einsum", POLICY_UNKNOWN},
    {"gru", POLICY_UNKNOWN},
    {"gru_cell", POLICY_UNKNOWN},
    {"lstm", POLICY_UNKNOWN},
    {"lstm_cell", POLICY_UNKNOWN},
    {"rnn_relu", POLICY_UNKNOWN},
    {"rnn_tanh", POLICY_UNKNOWN},
    {"tensordot", POLICY_UNKNOWN},
};

static bool is_called(const char *op, const char *name)
{
    size_t length = strlen(name);

    return !strncmp(op, "aten::", 6) && !strncmp(op + 6, name, length) &&
           (op[6 + length] == '.' || !op[6 + length]);
}

/* Half floats and f32 alike; f64 stays what it is. */
static bool takes_part(const struct dg_tensor *tensor)
{
    return dg_type_is_float(tensor->type) && tensor->type != DG_TYPE_F64;
}

static struct dg_tensor *cast(struct dg_machine *machine, struct dg_tensor *tensor,
                              struct dg_error *err)
{
    return tensor->type == machine->cast_to
               ? dg_tensor_keep(tensor)
               : dg_cast(machine, tensor, machine->cast_to, err);
}

static struct dg_tensor *cast_float(struct dg_machine *machine,
                                    struct dg_tensor *tensor, struct dg_error *err)
{
    return takes_part(tensor) ? cast(machine, tensor, err) : dg_tensor_keep(tensor);
}

static bool has_single(const struct dg_arg *value)
{
    bool found = value->kind == DG_ARG_TENSOR && value->as.tensor->type == DG_TYPE_F32;

    for (size_t i = 0;
         !found && value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++)
        found = has_single(&value->as.list.items[i]);
    return found;
}

static enum dg_status cast_all(struct dg_machine *machine, dg_move_fn *how,
                               struct dg_arg *args, struct dg_arg *owned, size_t n_args,
                               struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < n_args; i++) {
        status = dg_move_value(machine, how, &args[i], &owned[i], err);
        if (!status)
            args[i] = owned[i];
    }
    return status;
}

/* torch._higher_order_ops.out_dtype */
enum dg_status dg_widen_arguments(struct dg_machine *machine, enum dg_type out_type,
                                  struct dg_arg *args, struct dg_arg *owned,
                                  size_t n_args, struct dg_error *err)
{
    machine->cast_to = dg_kept_type(&machine->context, out_type);
    for (size_t i = 0; i < n_args; i++) {
        if (args[i].kind == DG_ARG_TENSOR)
            machine->cast_to = dg_promote(machine->cast_to, args[i].as.tensor->type);
    }
    if (machine->cast_to == DG_TYPE_NONE)
        return dg_fail(err, DG_ERR_DEVICE, "types that are not computed with together");
    return cast_all(machine, cast, args, owned, n_args, err);
}

enum dg_status dg_give_out_type(struct dg_machine *machine, enum dg_type out_type,
                                struct dg_arg *result, struct dg_error *err)
{
    struct dg_arg wide = *result;
    enum dg_status status;

    *result = (struct dg_arg){0};
    machine->cast_to = dg_kept_type(&machine->context, out_type);
    status = dg_move_value(machine, cast, &wide, result, err);
    dg_arg_drop(&wide);
    return status;
}

static enum dg_type type_for(const struct dg_machine *machine, enum policy policy,
                             const struct dg_arg *args, size_t n_args)
{
    if (policy == POLICY_LOWER)
        return machine->autocast;
    for (size_t i = 0; policy == POLICY_WIDEST && i < n_args; i++) {
        if (has_single(&args[i]))
            return DG_TYPE_F32;
    }
    return policy == POLICY_WIDEST ? machine->autocast : DG_TYPE_F32;
}

/* A wide run has nothing to cast: its floats are what is meant. */
enum dg_status dg_autocast(struct dg_machine *machine, const char *op,
                           struct dg_arg *args, struct dg_arg *owned, size_t n_args,
                           struct dg_error *err)
{
    const size_t n = sizeof(policies) / sizeof(*policies);
    size_t row = 0;

    while (row < n && !is_called(op, policies[row].name))
        row++;
    if (row == n || machine->context.precision == DG_PRECISION_WIDE)
        return DG_OK;
    if (policies[row].policy == POLICY_UNKNOWN)
        return dg_fail(err, DG_ERR_DEVICE, "runs under autocast");
    machine->cast_to = type_for(machine, policies[row].policy, args, n_args);
    return cast_all(machine, cast_float, args, owned, n_args, err);
}
