/* Files that appear whole or not at all. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/output_stale.h"

enum { MOST_OUTPUTS = 8, LONGEST_PATH = 4096, MOST_LEFT = 10000 };

/* Names of unfinished files; a signal handler reads them, so they are plain memory. */
static char unfinished[MOST_OUTPUTS][LONGEST_PATH];

/* How many files are there, or soon will be, that have no name in `unfinished` yet. */
static atomic_int n_nameless;

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

/* A new file beside the destination. Where processes are numbered anew, as in
 * containers, one that was killed may have left a file of the first name. */
static int create(char *aside, const char *path)
{
    char name[LONGEST_PATH]; /* a signal removes what `aside` names: only our own */
    int file = -1;

    errno = EEXIST;
    for (int i = 0; file < 0 && errno == EEXIST && i < MOST_LEFT; i++) {
        int size = snprintf(name, LONGEST_PATH, "%s.%ld", path, (long)getpid());

        snprintf(name + size, LONGEST_PATH - (size_t)size, i ? "-%d.part" : ".part", i);
        file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 && !dg_output_lock(file)) {
            close(file);
            file = -1;
            errno = EEXIST;
        }
    }
    if (file >= 0)
        memcpy(aside, name, strlen(name) + 1);
    return file;
}

/* As create(); a signal comes before the file is there or after its name is known. */
static int create_undisturbed(char *aside, const char *path)
{
    sigset_t stops, before;
    int file, failure;

    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &stops, &before);
    n_nameless++;
    file = create(aside, path);
    failure = errno;
    n_nameless--;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failure;
    return file;
}

/* Who may read what is replaced may read what comes in its place, and nobody else:
 * where its owner and group can be kept. `more` is what writing needs. */
static void keep_mode(const struct dg_output *output, mode_t more)
{
    struct stat old, new;

    if (stat(output->path, &old) || fstat(output->lock, &new))
        return;
    if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
        fchown(output->lock, old.st_uid, old.st_gid))
        return;
    fchmod(output->lock, (old.st_mode & 0777) | more);
}

static enum dg_status begin_aside(struct dg_output *output, const char *path,
                                  struct dg_error *err)
{
    char *aside = free_slot();
    int file;

    output->path = destination(path);
    if (!output->path)
        return dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    if (!aside || strlen(output->path) + 32 > LONGEST_PATH) {
        free(output->path);
        return dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path,
                       aside ? "the path is too long" : "too many files at a time");
    }
    dg_output_remove_stale(output->path);
    file = create_undisturbed(aside, output->path);
    if (file < 0) {
        dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
        aside[0] = '\0';
        free(output->path);
        return err->status;
    }
    output->lock = file;
    output->aside = aside;
    keep_mode(output, S_IRUSR | S_IWUSR);
    return DG_OK;
}

/* What a name of something that this process has open stands for; -1: it is none. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    const char *number = NULL;

    if (!strcmp(path, "/dev/stdout"))
        return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr"))
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        if (!strncmp(path, folders[i], strlen(folders[i])))
            number = path + strlen(folders[i]);
    }
    return number && *number && strspn(number, "0123456789") == strlen(number) &&
                   strlen(number) < 6
               ? atoi(number)
               : -1;
}

/* Whether it can be replaced. What is open would lose what it holds. */
static bool is_regular(const char *path)
{
    struct stat state;

    return descriptor_of(path) < 0 && (stat(path, &state) || S_ISREG(state.st_mode));
}

static enum dg_status check_folder(const char *path, struct dg_error *err)
{
    const char *slash = strrchr(path, '/');
    struct stat state;
    char *folder;
    bool missing;

    if (!slash || slash == path)
        return DG_OK;
    folder = strndup(path, (size_t)(slash - path));
    if (!folder)
        dg_out_of_memory();
    missing = stat(folder, &state) ? errno == ENOENT || errno == ENOTDIR
                                   : !S_ISDIR(state.st_mode);
    free(folder);
    return missing
               ? dg_fail(err, DG_ERR_USAGE, "%s: cannot write: no such folder", path)
               : DG_OK;
}

static enum dg_status check_kind(const char *path, bool forward, struct dg_error *err)
{
    struct stat state;

    if (!*path || (!stat(path, &state) && S_ISDIR(state.st_mode)))
        return dg_fail(err, DG_ERR_USAGE, "\"%s\": %s, expected the name of a file",
                       path, *path ? "a folder" : "no name");
    if (!lstat(path, &state) && S_ISLNK(state.st_mode) && stat(path, &state))
        return dg_fail(err, DG_ERR_USAGE,
                       "%s: a link to nothing, expected the name of a file", path);
    if (!strcmp(path, "-"))
        return dg_fail(err, DG_ERR_USAGE,
                       "-: cannot go to standard output; expected the name of a file "
                       "(./- is one)");
    if (!forward && !is_regular(path))
        return dg_fail(err, DG_ERR_USAGE,
                       "%s: a pipe or device, expected the name of a file", path);
    return DG_OK;
}

enum dg_status dg_output_check(const char *path, bool forward, struct dg_error *err)
{
    enum dg_status status = check_kind(path, forward, err);

    return status ? status : check_folder(path, err);
}

static enum dg_status begin(struct dg_output *output, const char *path, bool forward,
                            struct dg_error *err)
{
    enum dg_status status = check_kind(path, forward, err);

    *output = (struct dg_output){0};
    if (status)
        return status;
    if (is_regular(path))
        return begin_aside(output, path, err);
    output->path = strdup(path);
    if (!output->path)
        dg_out_of_memory();
    output->aside = output->path;
    output->through = true;
    return DG_OK;
}

enum dg_status dg_output_begin(struct dg_output *output, const char *path,
                               struct dg_error *err)
{
    return begin(output, path, false, err);
}

enum dg_status dg_output_begin_forward(struct dg_output *output, const char *path,
                                       struct dg_error *err)
{
    return begin(output, path, true, err);
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
    if (output->through) {
        free(output->path);
        return status;
    }
    if (!status)
        status = flush(output->aside, err);
    if (!status)
        keep_mode(output, 0);
    if (!status && rename(output->aside, output->path))
        status = dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", output->path,
                         strerror(errno));
    if (status)
        unlink(output->aside);
    close(output->lock);
    output->aside[0] = '\0';
    output->aside = NULL;
    free(output->path);
    return status;
}

bool dg_write_all(int file, const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(file, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static enum dg_status write_text(int file, struct dg_text text, const char *path,
                                 struct dg_error *err)
{
    return dg_write_all(file, text.data, text.size)
               ? DG_OK
               : dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
}

int dg_output_open(const struct dg_output *output)
{
    int file = output->through ? descriptor_of(output->path) : -1;

    return file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, 0)
                     : open(output->aside, O_WRONLY | O_CLOEXEC);
}

static enum dg_status fill(const struct dg_output *output, struct dg_text text,
                           struct dg_error *err)
{
    const char *path = output->aside;
    int file = dg_output_open(output);
    enum dg_status status;

    if (file < 0)
        return dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    status = write_text(file, text, path, err);
    if (close(file) && !status)
        status = dg_fail(err, DG_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    return status;
}

enum dg_status dg_output_write(const char *path, struct dg_text text,
                               struct dg_error *err)
{
    struct dg_output output;
    enum dg_status status;

    if (!path || !strcmp(path, "-"))
        return write_text(STDOUT_FILENO, text, "standard output", err);
    status = dg_output_begin_forward(&output, path, err);
    if (!status)
        status = fill(&output, text, err);
    return dg_output_finish(&output, status, err);
}

void dg_output_abandon(void)
{
    /* Another thread's: the one that creates a file takes no signal meanwhile. */
    while (n_nameless)
        poll(NULL, 0, 1);
    for (int i = 0; i < MOST_OUTPUTS; i++) {
        if (unfinished[i][0])
            unlink(unfinished[i]);
    }
}
