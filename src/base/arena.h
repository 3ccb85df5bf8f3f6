/* Memory that is freed all at once. Start from {0}; end with dg_arena_clear(). */
#ifndef DG_BASE_ARENA_H
#define DG_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"

struct dg_arena {
    struct dg_arena_block *blocks;
    char *at, *end; /* free part of the newest block... */
    size_t size;    /* ...that small things share */
};

/* `count` zeroed items of `size` bytes, aligned for any type. Never NULL: running out
 * of memory calls the handler below. */
void *dg_alloc(struct dg_arena *arena, size_t count, size_t size);
void dg_arena_clear(struct dg_arena *arena);

/* What `other` holds becomes part of `arena`; `other` is empty then. */
void dg_arena_adopt(struct dg_arena *arena, struct dg_arena *other);

/* A copy that ends with NUL, of any alignment. */
char *dg_copy(struct dg_arena *arena, struct dg_text text);

/* The same with its size; absent stays absent. */
struct dg_text dg_copy_text(struct dg_arena *arena, struct dg_text text);

/* Formatted text that ends with NUL. */
struct dg_text dg_format(struct dg_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct dg_text dg_format_list(struct dg_arena *arena, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0), nonnull(2)));

/* `count` zeroed items that the caller frees with free(). Never NULL, nor for none. */
void *dg_zeroed(size_t count, size_t size);

/* Room for one more item behind `count` of them; call it before each append. Growth
 * doubles; the result belongs to the caller, who frees it with free(). Never NULL. */
void *dg_grow(void *items, size_t count, size_t size);

/* The first touch of a page costs more than filling it: memory that was just allocated,
 * and is large, comes in large pages where the kernel has them. This is a hint, and
 * nothing is lost without it. */
void dg_prefer_large_pages(void *memory, size_t size);

/* Append a zeroed item to `array` of `count` items and point at it. */
#define DG_APPEND(array, count)                                                        \
    ((array) = dg_grow((array), (count), sizeof(*(array))), &(array)[(count)++])

/* Called when memory runs out; must not return. The command line cleans up and exits
 * with 5. The default goes back to dg_outlive_memory() where this thread is in one;
 * elsewhere it writes a line and aborts. */
extern void (*dg_out_of_memory)(void);

/* work(context, err), or DG_ERR_IO if memory runs out on the way: then what the work
 * held is lost, memory and descriptors, since nothing unwinds it. */
enum dg_status dg_outlive_memory(enum dg_status work(void *context,
                                                     struct dg_error *err),
                                 void *context, struct dg_error *err);

#endif
