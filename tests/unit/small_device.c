/* A device for tests: it knows which memory is its own. */
#include "unit/small_device.h"

#include "unit/suite.h"

enum { BLOCKS_MOST = 128, ROWS_MOST = 64 };

static struct {
    const unsigned char *bytes;
    size_t size;
} blocks[BLOCKS_MOST];
static struct dg_kernel rows[ROWS_MOST];
int small_uploads, small_downloads, small_checks;

static bool is_ours(const void *bytes)
{
    for (int i = 0; i < BLOCKS_MOST; i++) {
        if (blocks[i].bytes && (const unsigned char *)bytes >= blocks[i].bytes &&
            (const unsigned char *)bytes <= blocks[i].bytes + blocks[i].size)
            return true;
    }
    return false;
}

static enum dg_status allocate(struct dg_memory *memory, size_t size, void **bytes,
                               struct dg_error *err)
{
    enum dg_status status = dg_host_memory.allocate(&dg_host_memory, size, bytes, err);
    int i = 0;

    while (i < BLOCKS_MOST && blocks[i].bytes)
        i++;
    ck_assert_int_lt(i, BLOCKS_MOST);
    if (!status) {
        blocks[i].bytes = *bytes;
        blocks[i].size = size;
        memory->used += size;
    }
    return status;
}

static void release(struct dg_memory *memory, void *bytes, size_t size)
{
    int i = 0;

    while (i < BLOCKS_MOST && blocks[i].bytes != bytes)
        i++;
    ck_assert_int_lt(i, BLOCKS_MOST);
    ck_assert_uint_eq(blocks[i].size, size);
    blocks[i].bytes = NULL;
    memory->used -= size;
    dg_host_memory.release(&dg_host_memory, bytes, size);
}

static enum dg_status upload(const struct dg_device *device, void *to, const void *from,
                             size_t size, struct dg_error *err)
{
    ck_assert(is_ours(to) && !is_ours(from));
    small_uploads++;
    return dg_host.upload(device, to, from, size, err);
}

static enum dg_status download(const struct dg_device *device, void *to,
                               const void *from, size_t size, struct dg_error *err)
{
    ck_assert(!is_ours(to) && is_ours(from));
    small_downloads++;
    return dg_host.download(device, to, from, size, err);
}

static enum dg_status copy(struct dg_context *context, struct dg_tensor *to,
                           struct dg_tensor *from, struct dg_error *err)
{
    ck_assert(is_ours(to->storage->bytes) && is_ours(from->storage->bytes));
    return dg_host.copy(context, to, from, err);
}

static enum dg_status guards(const struct dg_device *device, const void *bytes,
                             size_t size, bool *hold, struct dg_error *err)
{
    ck_assert(is_ours(bytes));
    small_checks++;
    return dg_host.guards(device, bytes, size, hold, err);
}

static enum dg_status finish(const struct dg_device *device, struct dg_error *err)
{
    return dg_host.finish(device, err);
}

static struct dg_memory memory = {
    .device = "test:0", .allocate = allocate, .release = release};
struct dg_device small_device = {.name = "test:0",
                                 .memory = &memory,
                                 .upload = upload,
                                 .download = download,
                                 .copy = copy,
                                 .guards = guards,
                                 .finish = finish};

void small_device_begin(struct dg_schedule *schedule)
{
    small_uploads = small_downloads = small_checks = 0;
    ck_assert_uint_lt(schedule->n_steps, ROWS_MOST);
    for (size_t i = 0; i < schedule->n_steps; i++) {
        if (!schedule->steps[i].kernel)
            continue;
        rows[i] = *schedule->steps[i].kernel;
        rows[i].cuda = rows[i].cpu;
        schedule->steps[i].kernel = &rows[i];
    }
}
