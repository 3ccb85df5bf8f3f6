/* Two readings of a store side by side. */
#include "store/beside.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "store/database.h"
#include "store/integrity.h"
#include "store/schema.h"

struct beside {
    struct dg_store *store; /* whose file it is */
    dg_reading_fn *here, *apart;
    void *object;
    struct dg_store *again; /* of the thread */
    bool came_back;         /* memory did not run out on the way */
    atomic_bool here_ended;
    pthread_t thread;
    enum dg_status status; /* of the thread */
    struct dg_error err;
};

static enum dg_status read_apart(void *object, struct dg_error *err)
{
    struct beside *beside = object;
    const char *path = sqlite3_db_filename(beside->store->db, "main");
    enum dg_status status = dg_store_connect_read_only(&beside->again, path, err);

    if (!status && !dg_file_state_same(&beside->again->file, &beside->store->file))
        status = dg_fail(err, DG_ERR_FORMAT, "it changed while it was read");
    if (!status)
        status = beside->apart(beside->object, beside->again, err);
    beside->came_back = true;
    return status;
}

/* A statement that begins behind an interruption is not interrupted. */
static void interrupt_here(struct beside *beside)
{
    static const struct timespec briefly = {0, 1000000};

    while (!atomic_load(&beside->here_ended)) {
        sqlite3_interrupt(beside->store->db);
        nanosleep(&briefly, NULL);
    }
}

static void *run(void *object)
{
    struct beside *beside = object;

    beside->status = dg_outlive_memory(read_apart, beside, &beside->err);
    if (beside->status)
        interrupt_here(beside);
    return NULL;
}

bool dg_store_is_large(const struct dg_store *store)
{
    enum { LARGE = 32 << 20 };

    return store->given && store->file.size >= LARGE && sqlite3_threadsafe();
}

/* SQLite goes down a tree with a call for each level: of a hostile store that may be
 * all of its pages, one below the other. */
static bool begin(struct beside *beside)
{
    enum { LEAST = 1 << 20, FOR_A_PAGE = 1 << 10 };
    size_t pages = (size_t)beside->store->file.size / DG_PAGE_BYTES;
    size_t size = LEAST + pages * FOR_A_PAGE;
    pthread_attr_t attributes;
    bool begun;

    pthread_attr_init(&attributes);
    begun = !pthread_attr_setstacksize(&attributes, size / LEAST * LEAST) &&
            !pthread_create(&beside->thread, &attributes, run, beside);
    pthread_attr_destroy(&attributes);
    return begun;
}

static void end(struct beside *beside)
{
    pthread_join(beside->thread, NULL);
    if (!beside->status)
        dg_kept_move(&beside->store->kept, &beside->again->kept);
    if (beside->came_back)
        dg_store_close(beside->again);
}

static enum dg_status read_here(void *object, struct dg_error *err)
{
    const struct beside *beside = object;

    return beside->here(beside->object, beside->store, err);
}

/* The thread reads into what its caller has, who must not be gone before it ends: not
 * even where memory runs out. */
enum dg_status dg_store_read_beside(struct dg_store *store, dg_reading_fn *here,
                                    dg_reading_fn *apart, void *object,
                                    struct dg_error *err)
{
    struct beside beside = {
        .store = store, .here = here, .apart = apart, .object = object};
    enum dg_status status = DG_OK;

    if (!begin(&beside))
        return dg_fail(err, DG_ERR_IO, "no thread to read the store with");
    if (here)
        status = dg_outlive_memory(read_here, &beside, err);
    atomic_store(&beside.here_ended, true);
    end(&beside);
    if (!beside.status)
        return status;
    *err = beside.err;
    return beside.status;
}

enum dg_status dg_store_read_both(struct dg_store *store, dg_reading_fn *here,
                                  dg_reading_fn *apart, void *object,
                                  struct dg_error *err)
{
    enum dg_status status;

    if (dg_store_is_large(store)) {
        status = dg_store_check_first(store, err);
        return status ? status : dg_store_read_beside(store, here, apart, object, err);
    }
    status = here(object, store, err);
    return status ? status : apart(object, store, err);
}
