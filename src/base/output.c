/* Files that appear whole or not at all. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

enum { MOST_OUTPUTS = 8, LONGEST_PATH = 4096 };

/* Names of unfinished files; a signal handler reads them, so they are plain memory. */
static char unfinished[MOST_OUTPUTS][LONGEST_PATH];

/* A link stays one: what it leads to is replaced. NULL: it leads nowhere. */
static char *destination(const char *path)
{
    struct stat state;

    if (!lstat(path, &state) && S_ISLNK(state.st_mode))
        return realpath(path, NULL);
    return strdup(path);
}

static char *free_slot(void)
{
    for (int i = 0; i < MOST_OUTPUTS; i++) {
        if (!unfinished[i][0])
            return unfinished[i];
    }
    return NULL;
}

enum dg_status dg_output_begin(struct dg_output *output, const char *path,
                               struct dg_error *err)
{
    char *aside = free_slot();
    int file;

    *output = (struct dg_output){.path = destination(path)};
    if (!output->path)
        return dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    if (!aside || strlen(output->path) + 16 > LONGEST_PATH) {
        free(output->path);
        return dg_fail(err, DG_ERR_IO, "%s: the path is too long", path);
    }
    snprintf(aside, LONGEST_PATH, "%s.%ld.part", output->path, (long)getpid());
    file = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
        aside[0] = '\0';
        free(output->path);
        return err->status;
    }
    close(file);
    output->aside = aside;
    return DG_OK;
}

static enum dg_status flush(const char *path, struct dg_error *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int failed = file < 0 || fsync(file);

    if (failed)
        dg_fail(err, DG_ERR_IO, "%s: cannot flush: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return failed ? err->status : DG_OK;
}

enum dg_status dg_output_finish(struct dg_output *output, enum dg_status status,
                                struct dg_error *err)
{
    if (!output->aside)
        return status;
    if (!status)
        status = flush(output->aside, err);
    if (!status && rename(output->aside, output->path))
        status = dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", output->path,
                         strerror(errno));
    if (status)
        unlink(output->aside);
    output->aside[0] = '\0';
    output->aside = NULL;
    free(output->path);
    return status;
}

static enum dg_status write_all(int file, struct dg_text text, const char *path,
                                struct dg_error *err)
{
    while (text.size) {
        ssize_t n = write(file, text.data, text.size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path,
                           strerror(errno));
        text.data += n;
        text.size -= (size_t)n;
    }
    return DG_OK;
}

static bool is_regular(const char *path)
{
    struct stat state;

    return stat(path, &state) || S_ISREG(state.st_mode);
}

/* A pipe or device cannot be replaced, only written. */
static enum dg_status write_through(const char *path, struct dg_text text,
                                    struct dg_error *err)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    enum dg_status status;

    if (file < 0)
        return dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    status = write_all(file, text, path, err);
    close(file);
    return status;
}

enum dg_status dg_output_write(const char *path, struct dg_text text,
                               struct dg_error *err)
{
    struct dg_output output;
    enum dg_status status;

    if (!path || !strcmp(path, "-"))
        return write_all(STDOUT_FILENO, text, "standard output", err);
    if (!is_regular(path))
        return write_through(path, text, err);
    status = dg_output_begin(&output, path, err);
    if (!status)
        status = write_through(output.aside, text, err);
    return dg_output_finish(&output, status, err);
}

void dg_output_abandon(void)
{
    for (int i = 0; i < MOST_OUTPUTS; i++) {
        if (unfinished[i][0])
            unlink(unfinished[i]);
    }
}
