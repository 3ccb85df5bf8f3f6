/* Where torch.vmap begins and ends: a dimension becomes a batch, and a batch a
 * dimension. */
#include <string.h>

#include "exec/machine_parts.h"

/* A tensor whose first dimensions are batches, of `levels`. */
struct batches {
    const struct dg_tensor *tensor;
    uint32_t levels;
    int n; /* of levels */
};

static int count_bits(uint32_t bits)
{
    int n = 0;

    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

static struct batches batches_of(const struct dg_call_frame *frame,
                                 const struct dg_operand *operand,
                                 const struct dg_arg *value)
{
    struct batches batches = {.tensor = value->as.tensor};

    if (operand->kind == DG_OPERAND_SLOT)
        batches.levels = frame->schedule->slots[operand->slot].levels;
    batches.n = count_bits(batches.levels);
    return batches;
}

/* The place of a dimension among `rank`, counted from the end where it is below 0. */
static enum dg_status wrap(int *dim, const struct dg_arg *value, int rank,
                           struct dg_error *err)
{
    int64_t given = value->as.integer, wrapped = given < 0 ? given + rank : given;

    if (value->kind != DG_ARG_INT || wrapped < 0 || wrapped >= rank)
        return dg_fail(err, DG_ERR_FORMAT, "dimension %lld of a batch of %d dimensions",
                       value->kind == DG_ARG_INT ? (long long)given : -1LL, rank);
    *dim = (int)wrapped;
    return DG_OK;
}

static struct dg_tensor *with_dimension_moved(const struct dg_tensor *tensor, int from,
                                              int to)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];

    for (int i = 0, k = 0; i < tensor->rank; i++) {
        int source = i == to ? from : k + (k == from);

        sizes[i] = tensor->sizes[source];
        strides[i] = tensor->strides[source];
        k = i == to ? k : source + 1;
    }
    return dg_tensor_view(tensor, tensor->rank, sizes, strides, tensor->offset);
}

static enum dg_status batch(struct dg_tensor **result, const struct batches *self,
                            const struct dg_step *step, const struct dg_arg *args,
                            struct dg_error *err)
{
    int dim = 0;
    enum dg_status status;

    if (self->levels & step->level)
        return dg_fail(err, DG_ERR_FORMAT, "a batch in a batch of the same level");
    status = wrap(&dim, &args[1], self->tensor->rank - self->n, err);
    if (!status)
        *result = with_dimension_moved(self->tensor, self->n + dim,
                                       count_bits(self->levels & (step->level - 1)));
    return status;
}

/* As torch does with what does not depend on the batch: the same at each place. */
static enum dg_status repeat(struct dg_tensor **result, const struct batches *self,
                             const struct dg_arg *args, int dim, struct dg_error *err)
{
    const struct dg_tensor *tensor = self->tensor;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST], count;
    size_t before = (size_t)(self->n + dim), behind = (size_t)tensor->rank - before;

    sizes[before] = args[1].as.integer;
    strides[before] = 0;
    memcpy(sizes, tensor->sizes, before * sizeof(*sizes));
    memcpy(strides, tensor->strides, before * sizeof(*strides));
    memcpy(sizes + before + 1, tensor->sizes + before, behind * sizeof(*sizes));
    memcpy(strides + before + 1, tensor->strides + before, behind * sizeof(*strides));
    if (args[1].kind != DG_ARG_INT || args[1].as.integer < 0 ||
        !dg_shape_count(tensor->rank + 1, sizes, tensor->type, &count))
        return dg_fail(err, DG_ERR_FORMAT, "the size of a batch is none");
    *result = dg_tensor_view(tensor, tensor->rank + 1, sizes, strides, tensor->offset);
    return DG_OK;
}

static enum dg_status unbatch(struct dg_tensor **result, const struct batches *self,
                              const struct dg_step *step, const struct dg_arg *args,
                              struct dg_error *err)
{
    bool has = self->levels & step->level;
    int rank = self->tensor->rank - self->n, dim = 0;
    enum dg_status status = wrap(&dim, &args[2], rank + 1, err);

    if (status)
        return status;
    if (!has && self->tensor->rank == DG_RANK_MOST)
        return dg_fail(err, DG_ERR_DEVICE, "more than %d dimensions under vmap",
                       DG_RANK_MOST);
    if (!has)
        return repeat(result, self, args, dim, err);
    *result = with_dimension_moved(
        self->tensor, count_bits(self->levels & (step->level - 1)), self->n - 1 + dim);
    return DG_OK;
}

static enum dg_status run(struct dg_tensor **result, const struct dg_call_frame *frame,
                          const struct dg_step *step, const struct dg_arg *args,
                          struct dg_error *err)
{
    struct batches self;

    if (args[0].kind != DG_ARG_TENSOR)
        return dg_fail(err, DG_ERR_FORMAT, "a batch of what is no tensor");
    self = batches_of(frame, &step->args[0], &args[0]);
    if (self.tensor->rank < self.n)
        return dg_fail(err, DG_ERR_FORMAT, "a batch without a dimension");
    return (step->kind == DG_STEP_BATCH ? batch : unbatch)(result, &self, step, args,
                                                           err);
}

enum dg_status dg_batch_step(struct dg_machine *machine, struct dg_call_frame *frame,
                             uint32_t i, struct dg_error *err)
{
    const struct dg_step *step = &frame->schedule->steps[i];
    struct dg_arg args[3] = {0}, result = {.kind = DG_ARG_TENSOR};
    const struct dg_arg *unknown = NULL;
    enum dg_status status = DG_OK;

    for (size_t k = 0; !status && k < step->n_args; k++) {
        status = dg_operand_value(machine, frame, &step->args[k], &args[k], err);
        unknown = unknown ? unknown : dg_unknown_in(&args[k]);
    }
    if (!status && unknown) {
        dg_step_unknown(machine, frame, i, unknown->as.integer, NULL);
        return DG_OK;
    }
    if (!status)
        status = run(&result.as.tensor, frame, step, args, err);
    if (status == DG_ERR_DEVICE) {
        const char *why = dg_format(&machine->memory, "%s", err->text).data;

        *err = (struct dg_error){0};
        dg_step_unknown(machine, frame, i, i, why);
        return DG_OK;
    }
    if (!status)
        dg_slot_take(frame, step->results[0], result);
    return status;
}
