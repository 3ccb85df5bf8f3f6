/* Tensors between host and device, widened, copied, written into. */
#include <stdlib.h>
#include <string.h>

#include "exec/machine_parts.h"
#include "kernels/cpu/walk.h"

bool dg_on_host(const struct dg_machine *machine)
{
    return machine->device->memory == &dg_host_memory;
}

typedef enum dg_status copy_fn(const struct dg_device *device, void *to,
                               const void *from, size_t size, struct dg_error *err);

/* The storage of `tensor` copied into `memory`, and the same view of that. */
static struct dg_tensor *moved(struct dg_machine *machine, struct dg_tensor *tensor,
                               struct dg_memory *memory, copy_fn *copy,
                               struct dg_error *err)
{
    int64_t size = (int64_t)tensor->storage->size;
    struct dg_tensor *bytes = dg_tensor_new(memory, DG_TYPE_U8, 1, &size, err);
    struct dg_tensor *view;

    if (!bytes)
        return NULL;
    if (copy(machine->device, dg_tensor_data(bytes), tensor->storage->bytes,
             tensor->storage->size, err)) {
        dg_tensor_drop(bytes);
        return NULL;
    }
    bytes->type = tensor->type;
    view = dg_tensor_view(bytes, tensor->rank, tensor->sizes, tensor->strides,
                          tensor->offset);
    dg_tensor_drop(bytes);
    return view;
}

struct dg_tensor *dg_to_host(struct dg_machine *machine, struct dg_tensor *tensor,
                             struct dg_error *err)
{
    if (dg_on_host(machine))
        return dg_tensor_keep(tensor);
    return moved(machine, tensor, &dg_host_memory, machine->device->download, err);
}

struct dg_tensor *dg_to_device(struct dg_machine *machine, struct dg_tensor *tensor,
                               struct dg_error *err)
{
    if (dg_on_host(machine))
        return dg_tensor_keep(tensor);
    return moved(machine, tensor, machine->device->memory, machine->device->upload,
                 err);
}

static enum dg_status copy_on_host(struct dg_machine *machine, struct dg_tensor *to,
                                   struct dg_tensor *from, struct dg_error *err)
{
    struct dg_tensor *old = dg_to_host(machine, to, err);
    struct dg_tensor *new = old ? dg_to_host(machine, from, err) : NULL;
    enum dg_status status = new ? DG_OK : err->status;

    if (new) {
        dg_copy_elements(old, new, machine->context.n_threads);
        status = dg_send_back(machine, to, old, err);
    }
    dg_tensor_drop(old);
    dg_tensor_drop(new);
    return status;
}

/* Whether no two elements lie on the same bytes, as far as strides alone tell: threads
 * of a device write in any order. */
static bool lie_apart(const struct dg_tensor *tensor)
{
    int64_t end = 0; /* behind the elements of the dimensions that were seen */
    int next;

    for (uint32_t seen = 0;; seen |= 1u << next) {
        next = -1;
        for (int d = 0; d < tensor->rank; d++) {
            if (!(seen >> d & 1) && tensor->sizes[d] != 1 &&
                (next < 0 || tensor->strides[d] < tensor->strides[next]))
                next = d;
        }
        if (next < 0)
            return true;
        if (tensor->strides[next] <= end)
            return false;
        end += (tensor->sizes[next] - 1) * tensor->strides[next];
    }
}

enum dg_status dg_copy_into(struct dg_machine *machine, struct dg_tensor *to,
                            struct dg_tensor *from, struct dg_error *err)
{
    enum dg_status status = DG_ERR_DEVICE;

    if (dg_on_host(machine) || lie_apart(to))
        status = machine->device->copy(&machine->context, to, from, err);
    if (status != DG_ERR_DEVICE || dg_on_host(machine))
        return status;
    *err = (struct dg_error){0};
    return copy_on_host(machine, to, from, err);
}

struct dg_tensor *dg_cast(struct dg_machine *machine, struct dg_tensor *tensor,
                          enum dg_type type, struct dg_error *err)
{
    struct dg_tensor *copy =
        dg_tensor_new(machine->context.memory, type, tensor->rank, tensor->sizes, err);

    if (copy && dg_copy_into(machine, copy, tensor, err)) {
        dg_tensor_drop(copy);
        return NULL;
    }
    return copy;
}

/* The storage is widened, not the view alone: so strides keep their meaning. */
struct dg_tensor *dg_widened(struct dg_machine *machine, struct dg_tensor *tensor,
                             struct dg_error *err)
{
    enum dg_type type = dg_kept_type(&machine->context, tensor->type);
    int64_t size = dg_tensor_reach(tensor), stride = 1;
    struct dg_tensor *narrow, *wide, *view;

    if (type == tensor->type)
        return dg_tensor_keep(tensor);
    wide = dg_tensor_new(&dg_host_memory, type, 1, &size, err);
    if (!wide)
        return NULL;
    narrow = dg_tensor_view(tensor, 1, &size, &stride, 0);
    dg_copy_elements(wide, narrow, machine->context.n_threads);
    view = dg_tensor_view(wide, tensor->rank, tensor->sizes, tensor->strides,
                          tensor->offset);
    dg_tensor_drop(narrow);
    dg_tensor_drop(wide);
    return view;
}

enum dg_status dg_move_value(struct dg_machine *machine, dg_move_fn *move,
                             const struct dg_arg *from, struct dg_arg *to,
                             struct dg_error *err)
{
    enum dg_status status = DG_OK;

    dg_arg_set(to, from);
    if (from->kind == DG_ARG_TENSOR) {
        struct dg_tensor *tensor = move(machine, from->as.tensor, err);

        dg_arg_drop(to);
        if (!tensor)
            return err->status;
        *to = (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
    }
    for (size_t i = 0; from->kind == DG_ARG_LIST && i < from->as.list.n_items; i++) {
        struct dg_arg *item = &to->as.list.items[i];

        if (item->kind != DG_ARG_TENSOR || status)
            continue;
        dg_arg_drop(item);
        status = dg_move_value(machine, move, &from->as.list.items[i], item, err);
    }
    if (status)
        dg_arg_drop(to);
    return status;
}

struct dg_tensor *dg_copied(struct dg_machine *machine, struct dg_tensor *tensor,
                            struct dg_error *err)
{
    return dg_cast(machine, tensor, tensor->type, err);
}

static bool is_whole(const struct dg_tensor *tensor)
{
    return tensor->storage->holders == 1 && !tensor->offset &&
           dg_tensor_contiguous(tensor);
}

/* Whether the bytes of `from`, which nobody but the caller sees, can become those of
 * `to`, which nobody borrows. */
static bool can_replace(const struct dg_tensor *to, const struct dg_tensor *from)
{
    return to->type == from->type && to->storage->size == from->storage->size &&
           to->storage->memory && from->storage->memory == to->storage->memory &&
           from->holders == 1 && is_whole(to) && is_whole(from);
}

/* All who see the storage of `to` see what lay in that of `from`. */
static void exchange(struct dg_tensor *to, struct dg_tensor *from)
{
    struct dg_storage *a = to->storage, *b = from->storage, old = *a;

    a->bytes = b->bytes;
    a->size = b->size;
    a->memory = b->memory;
    a->lender = b->lender;
    b->bytes = old.bytes;
    b->size = old.size;
    b->memory = old.memory;
    b->lender = old.lender;
}

/* In place, unless the bytes are borrowed or more than before. */
enum dg_status dg_send_back(struct dg_machine *machine, struct dg_tensor *to,
                            struct dg_tensor *host, struct dg_error *err)
{
    const struct dg_device *device = machine->device;
    struct dg_tensor *sent;

    if (to->storage->memory && to->storage->size == host->storage->size)
        return device->upload(device, to->storage->bytes, host->storage->bytes,
                              to->storage->size, err);
    sent = dg_to_device(machine, host, err);
    if (!sent)
        return err->status;
    exchange(to, sent);
    dg_tensor_drop(sent);
    return DG_OK;
}

struct dg_tensor *dg_bytes_under(const struct dg_tensor *tensor)
{
    int64_t size = (int64_t)tensor->storage->size, stride = 1;
    struct dg_tensor *bytes = dg_tensor_view(tensor, 1, &size, &stride, 0);

    bytes->type = DG_TYPE_U8;
    return bytes;
}

/* Borrowed bytes become the machine's own, where they lie. */
static enum dg_status make_own(struct dg_machine *machine, struct dg_tensor *tensor,
                               struct dg_error *err)
{
    struct dg_tensor *borrowed, *own;

    if (tensor->storage->memory || dg_on_host(machine))
        return dg_tensor_own(tensor, err);
    borrowed = dg_bytes_under(tensor);
    own = dg_copied(machine, borrowed, err);
    if (own)
        exchange(tensor, own);
    dg_tensor_drop(borrowed);
    dg_tensor_drop(own);
    return own ? DG_OK : err->status;
}

enum dg_status dg_write_into(struct dg_machine *machine, struct dg_tensor *to,
                             struct dg_tensor *from, struct dg_error *err)
{
    struct dg_tensor *copy = NULL;
    enum dg_status status;
    char want[200], have[200];

    if (!dg_tensor_same_shape(to, from))
        return dg_fail(err, DG_ERR_FORMAT,
                       "a result of shape %s cannot be written into a tensor of"
                       " shape %s",
                       dg_shape_text(from, have, sizeof(have)),
                       dg_shape_text(to, want, sizeof(want)));
    if (to->storage == from->storage) {
        copy = dg_copied(machine, from, err);
        if (!copy)
            return err->status;
        from = copy;
    }
    if (can_replace(to, from)) {
        exchange(to, from);
        status = DG_OK;
    } else {
        status = make_own(machine, to, err);
        if (!status)
            status = dg_copy_into(machine, to, from, err);
    }
    dg_tensor_drop(copy);
    return status;
}
