/* Files that appear whole or not at all: written aside, flushed, renamed. What is not
 * finished is removed on any exit, also by SIGINT, SIGTERM, SIGHUP and lack of memory.
 */
#ifndef DG_BASE_OUTPUT_H
#define DG_BASE_OUTPUT_H

#include "base/bytes.h"
#include "base/error.h"

struct dg_output {
    char *path;   /* behind links */
    char *aside;  /* what to write to until dg_output_finish() */
    int lock;     /* the open file: held until then */
    bool through; /* a pipe or device: it cannot be replaced, only written */
};

/* Whether it is worth beginning: not "-", no folder, none that is missing; a pipe or
 * device only where writing never goes back (`forward`). */
enum dg_status dg_output_check(const char *path, bool forward, struct dg_error *err);

/* The same, and remember that `path` will be written: no other output may go there, and
 * no input may be that file. */
enum dg_status dg_output_claim(const char *path, bool forward, struct dg_error *err);
/* A command begins: nothing is remembered. */
void dg_output_claim_none(void);
/* Fails where the input `path`, whose state that is, will be written. */
struct stat;
enum dg_status dg_output_spare(const char *path, const struct stat *state,
                               struct dg_error *err);

/* Choose a name beside `path` and create that file. */
enum dg_status dg_output_begin(struct dg_output *output, const char *path,
                               struct dg_error *err);
/* The same where writing never goes back: a pipe or device is written then. */
enum dg_status dg_output_begin_forward(struct dg_output *output, const char *path,
                                       struct dg_error *err);
/* A descriptor to write what was begun to, for the caller to close; -1 with errno. What
 * is open already, as "/dev/stdout", is written behind what it holds. */
int dg_output_open(const struct dg_output *output);
/* Flush and rename over `path`; or remove it, when `status` is a failure, and return
 * that. */
enum dg_status dg_output_finish(struct dg_output *output, enum dg_status status,
                                struct dg_error *err);

/* All in one: `text` becomes the content of `path`; "-" or NULL is standard output. */
enum dg_status dg_output_write(const char *path, struct dg_text text,
                               struct dg_error *err);

/* write(2) until all is out, however often signals interrupt; false with errno. */
bool dg_write_all(int file, const char *bytes, size_t size);

/* Remove unfinished files; safe in a signal handler. */
void dg_output_abandon(void);

#endif
