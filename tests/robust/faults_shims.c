/* The shims that make calls fail: around malloc, SQLite's allocator and its files. The
 * linker redirects our calls of malloc, calloc and realloc to the __wrap_ functions. */
#include "robust/faults.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static struct {
    enum fault fault;
    long nth, calls;
    bool ever, failed;
} armed;

void faults_arm(enum fault fault, long nth, bool ever)
{
    armed.fault = fault;
    armed.nth = nth;
    armed.calls = 0;
    armed.ever = ever;
    armed.failed = false;
}

bool faults_disarm(void)
{
    armed.fault = FAULT_NONE;
    return armed.failed;
}

static bool fails(enum fault fault)
{
    if (armed.fault != fault)
        return false;
    armed.calls++;
    if (!armed.nth || armed.calls < armed.nth ||
        (armed.calls > armed.nth && !armed.ever))
        return false;
    armed.failed = true;
    return true;
}

long faults_calls(void)
{
    return armed.calls;
}

void *__wrap_malloc(size_t size)
{
    return fails(FAULT_MEMORY) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(FAULT_MEMORY) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails(FAULT_MEMORY) ? NULL : __real_realloc(old, size);
}

static sqlite3_mem_methods plain_memory;

static void *sqlite_malloc(int size)
{
    return fails(FAULT_SQLITE_MEMORY) ? NULL : plain_memory.xMalloc(size);
}

static void *sqlite_realloc(void *old, int size)
{
    return fails(FAULT_SQLITE_MEMORY) ? NULL : plain_memory.xRealloc(old, size);
}

static sqlite3_vfs faulty_vfs, *plain_vfs;
static sqlite3_io_methods faulty_io;
static const sqlite3_io_methods *plain_io;

static int faulty_write(sqlite3_file *file, const void *data, int size,
                        sqlite3_int64 at)
{
    return fails(FAULT_SQLITE_FILE) ? SQLITE_FULL
                                    : plain_io->xWrite(file, data, size, at);
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return fails(FAULT_SQLITE_FILE) ? SQLITE_IOERR_TRUNCATE
                                    : plain_io->xTruncate(file, size);
}

static int faulty_sync(sqlite3_file *file, int flags)
{
    return fails(FAULT_SQLITE_FILE) ? SQLITE_IOERR_FSYNC : plain_io->xSync(file, flags);
}

static int faulty_read(sqlite3_file *file, void *data, int size, sqlite3_int64 at)
{
    return fails(FAULT_SQLITE_FILE) ? SQLITE_IOERR_READ
                                    : plain_io->xRead(file, data, size, at);
}

static int faulty_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file,
                       int flags, int *flags_out)
{
    int code;

    if (fails(FAULT_SQLITE_FILE)) {
        file->pMethods = NULL;
        return SQLITE_CANTOPEN;
    }
    code = plain_vfs->xOpen(plain_vfs, path, file, flags, flags_out);
    if (code || !file->pMethods)
        return code;
    plain_io = file->pMethods;
    faulty_io = *plain_io;
    faulty_io.xRead = faulty_read;
    faulty_io.xWrite = faulty_write;
    faulty_io.xTruncate = faulty_truncate;
    faulty_io.xSync = faulty_sync;
    faulty_io.iVersion = 1; /* no memory maps, which would go around the shim */
    file->pMethods = &faulty_io;
    return SQLITE_OK;
}

void faults_install(void)
{
    sqlite3_mem_methods memory;

    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain_memory);
    memory = plain_memory;
    memory.xMalloc = sqlite_malloc;
    memory.xRealloc = sqlite_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &memory);
    sqlite3_initialize();
    plain_vfs = sqlite3_vfs_find(NULL);
    faulty_vfs = *plain_vfs;
    faulty_vfs.zName = "faulty";
    faulty_vfs.xOpen = faulty_open;
    sqlite3_vfs_register(&faulty_vfs, 1);
}
