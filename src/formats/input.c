#include "formats/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/reader.h"

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

static enum dg_status map(struct dg_input *input, int file, size_t size,
                          struct dg_error *err)
{
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);

    if (data == MAP_FAILED)
        return refuse(err, input->path);
    input->file = (struct dg_bytes){data, size};
    input->mapped = true;
    return DG_OK;
}

static enum dg_status take(struct dg_input *input, int file, struct dg_error *err)
{
    struct stat state;

    if (fstat(file, &state))
        return refuse(err, input->path);
    if (S_ISDIR(state.st_mode))
        return dg_fail(err, DG_ERR_FORMAT, "%s: a folder, not a program", input->path);
    if (S_ISREG(state.st_mode) && state.st_size > 0)
        return map(input, file, (size_t)state.st_size, err);
    return slurp(input, file, err);
}

enum dg_status dg_input_map(struct dg_input *input, const char *path,
                            struct dg_error *err)
{
    bool standard = !strcmp(path, "-");
    int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    enum dg_status status;

    *input = (struct dg_input){.path = path};
    if (file < 0)
        return refuse(err, path);
    status = take(input, file, err);
    if (!standard)
        close(file);
    return status;
}

/* Put the path before what a reader says. */
static enum dg_status name_file(struct dg_error *err, const char *path)
{
    struct dg_error told = *err;

    return dg_fail(err, told.status, "%s: %s", path, told.text);
}

enum dg_status dg_input_load(struct dg_input *input, struct dg_store *store, bool hash,
                             struct dg_error *err)
{
    const struct dg_reader *reader;
    struct dg_program program = {0};
    struct dg_file file = {input->path, input->file, hash};
    enum dg_status status = dg_reader_find(&reader, input->file, err);

    if (!status)
        status = reader->read(input->file, hash, &program, err);
    if (status)
        status = name_file(err, input->path);
    else
        status = dg_store_add_program(store, &program, &file, err);
    dg_program_clear(&program);
    return status;
}

enum dg_status dg_input_open(struct dg_input *input, const char *path, bool hash,
                             struct dg_error *err)
{
    enum dg_status status = dg_input_map(input, path, err);

    if (status)
        return status;
    if (dg_store_recognises(input->file)) {
        if (!strcmp(path, "-"))
            return dg_fail(err, DG_ERR_USAGE,
                           "a store cannot be read from standard input");
        return dg_store_open(&input->store, path, err);
    }
    status = dg_store_create(&input->store, err);
    if (!status)
        status = dg_input_load(input, input->store, hash, err);
    if (!status)
        status = dg_store_commit(input->store, err);
    return status;
}

void dg_input_close(struct dg_input *input)
{
    dg_store_close(input->store);
    if (input->mapped)
        munmap((void *)input->file.data, input->file.size);
    else
        free((void *)input->file.data);
    *input = (struct dg_input){0};
}
