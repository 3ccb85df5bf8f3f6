/* The bytes of what the user named: mapped, or read to the end. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/output.h"
#include "formats/input.h"

static enum dg_status refuse(struct dg_error *err, const char *path)
{
    return dg_fail(err, DG_ERR_FORMAT, "%s: cannot read: %s", path, strerror(errno));
}

/* Pipes have no size: read to the end. */
static enum dg_status slurp(struct dg_input *input, int file, struct dg_error *err)
{
    size_t size = 0, room = 1 << 16;
    uint8_t *data = malloc(room);
    ssize_t n = 1;

    while (data && n > 0) {
        if (size == room)
            data = realloc(data, room *= 2);
        n = data ? read(file, data + size, room - size) : 0;
        size += n > 0 ? (size_t)n : 0;
    }
    if (!data)
        dg_out_of_memory();
    input->file = (struct dg_bytes){data, size};
    return n < 0 ? refuse(err, input->path) : DG_OK;
}

/* What is mapped, for whoever handles SIGBUS: plain memory, and any thread may map. */
static struct mapping {
    atomic_bool taken;
    _Atomic(const uint8_t *) data;
    size_t size;
    const char *path;
} mappings[256];

static void remember(const struct dg_input *input)
{
    for (size_t i = 0; i < sizeof(mappings) / sizeof(*mappings); i++) {
        if (atomic_exchange(&mappings[i].taken, true))
            continue;
        mappings[i].size = input->file.size;
        mappings[i].path = input->path;
        mappings[i].data = input->file.data;
        return;
    }
}

const char *dg_input_at(const void *address)
{
    for (size_t i = 0; i < sizeof(mappings) / sizeof(*mappings); i++) {
        const uint8_t *data = mappings[i].data;

        if (data && (uintptr_t)address - (uintptr_t)data < mappings[i].size)
            return mappings[i].path;
    }
    return NULL;
}

/* What could be read once. */
static struct kept {
    char *path;
    struct dg_bytes file;
} * kept;
static size_t n_kept;

static const struct kept *find_kept(const char *path)
{
    for (size_t i = 0; i < n_kept; i++) {
        if (!strcmp(kept[i].path, path))
            return &kept[i];
    }
    return NULL;
}

static bool is_kept(struct dg_bytes file)
{
    for (size_t i = 0; i < n_kept; i++) {
        if (kept[i].file.data == file.data)
            return true;
    }
    return false;
}

static char *copy_of(const char *path)
{
    char *copy = strdup(path);

    if (!copy)
        dg_out_of_memory();
    return copy;
}

enum dg_status dg_input_keep(const char *path, struct dg_error *err)
{
    struct dg_input input;
    struct stat state;
    enum dg_status status;

    if (strcmp(path, "-") && !stat(path, &state) && S_ISREG(state.st_mode))
        return access(path, R_OK) ? refuse(err, path) : DG_OK;
    if (find_kept(path))
        return DG_OK;
    status = dg_input_map(&input, path, err);
    if (status || input.mapped)
        dg_input_release(input.file, input.mapped);
    else
        *DG_APPEND(kept, n_kept) = (struct kept){copy_of(path), input.file};
    return status;
}

void dg_inputs_forget(void)
{
    for (size_t i = 0; i < n_kept; i++) {
        free(kept[i].path);
        free((void *)kept[i].file.data);
    }
    free(kept);
    kept = NULL;
    n_kept = 0;
}

void dg_input_release(struct dg_bytes file, bool mapped)
{
    if (!mapped) {
        if (!is_kept(file))
            free((void *)file.data);
        return;
    }
    for (size_t i = 0; i < sizeof(mappings) / sizeof(*mappings); i++) {
        if (mappings[i].data == file.data) {
            mappings[i].data = NULL;
            mappings[i].taken = false;
        }
    }
    munmap((void *)file.data, file.size);
}

static enum dg_status map(struct dg_input *input, int file, size_t size,
                          struct dg_error *err)
{
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);

    if (data == MAP_FAILED)
        return refuse(err, input->path);
    input->file = (struct dg_bytes){data, size};
    input->mapped = true;
    remember(input);
    return DG_OK;
}

static enum dg_status take(struct dg_input *input, int file, struct dg_error *err)
{
    struct stat state;

    if (fstat(file, &state))
        return refuse(err, input->path);
    if (dg_output_spare(input->path, &state, err))
        return err->status;
    if (S_ISDIR(state.st_mode))
        return dg_fail(err, DG_ERR_FORMAT, "%s: a folder, not a file", input->path);
    if (S_ISCHR(state.st_mode))
        return dg_fail(err, DG_ERR_FORMAT, "%s: a device, not a file", input->path);
    if (S_ISREG(state.st_mode) && state.st_size > 0)
        return map(input, file, (size_t)state.st_size, err);
    return slurp(input, file, err);
}

enum dg_status dg_input_map(struct dg_input *input, const char *path,
                            struct dg_error *err)
{
    const struct kept *known = find_kept(path);
    bool standard = !strcmp(path, "-");
    int file;
    enum dg_status status;

    *input = (struct dg_input){.path = path};
    if (known)
        input->file = known->file;
    if (known)
        return DG_OK;
    file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return refuse(err, path);
    status = take(input, file, err);
    if (!standard)
        close(file);
    return status;
}
