/* A file as other programs change it. */
#ifndef DG_BASE_FILE_STATE_H
#define DG_BASE_FILE_STATE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

/* Of one that is not there, 0. */
struct dg_file_state {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec changed;
};

static inline struct dg_file_state dg_file_state_of(const struct stat *stat)
{
    return (struct dg_file_state){stat->st_dev, stat->st_ino, stat->st_size,
                                  stat->st_mtim};
}

static inline bool dg_file_state_same(const struct dg_file_state *a,
                                      const struct dg_file_state *b)
{
    return a->device == b->device && a->number == b->number && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

#endif
