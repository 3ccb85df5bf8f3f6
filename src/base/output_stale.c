/* Names of unfinished files, and those that killed processes left beside an output. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_stale.h"

/* The process in "NAME.PID.part" or "NAME.PID-N.part"; 0: it is no such name. */
static long owner_of(const char *entry, const char *name)
{
    size_t size = strlen(name);
    char *end;
    long pid;

    if (strncmp(entry, name, size) || entry[size] != '.' || entry[size + 1] < '1' ||
        entry[size + 1] > '9')
        return 0;
    pid = strtol(entry + size + 1, &end, 10);
    if (*end == '-')
        end += 1 + strspn(end + 1, "0123456789");
    return strcmp(end, ".part") ? 0 : pid;
}

int dg_output_final(const char *path)
{
    const char *dot = strrchr(path, '.'), *at = dot;

    if (!dot || strcmp(dot, ".part") != 0)
        return (int)strlen(path);
    while (at > path && *--at != '.' && *at != '/')
        ;
    return *at == '.' && at[1] >= '1' && at[1] <= '9' ? (int)(at - path)
                                                      : (int)strlen(path);
}

/* Who writes a file holds its lock, also in another container, where the process has
 * another number. */
static void remove_unlocked(int folder, const char *entry)
{
    int file = openat(folder, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat state;

    if (file < 0)
        return;
    if (!fstat(file, &state) && S_ISREG(state.st_mode) && state.st_uid == geteuid() &&
        !flock(file, LOCK_EX | LOCK_NB))
        unlinkat(folder, entry, 0);
    close(file);
}

void dg_output_remove_stale(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    DIR *folder = parent ? opendir(parent) : NULL;
    struct dirent *entry;

    free(parent);
    while (folder && (entry = readdir(folder))) {
        long pid = owner_of(entry->d_name, name);

        if (pid > 0 && kill((pid_t)pid, 0) && errno == ESRCH)
            remove_unlocked(dirfd(folder), entry->d_name);
    }
    if (folder)
        closedir(folder);
}

bool dg_output_lock(int file)
{
    struct stat state;

    /* Where files cannot be locked, nobody removes what is stale. */
    if (flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return false;
    return !fstat(file, &state) && state.st_nlink;
}
