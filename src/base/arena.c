/* Memory that is freed all at once. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Many arenas hold little, and there may be one for each graph of a program: each block
 * is four times as large as the one before it, up to BLOCK_SIZE. */
enum {
    FIRST_BLOCK = 1 << 9,
    GROWTH = 4,
    BLOCK_SIZE = 1 << 23,
    LEAST_ALONE = 1 << 14, /* what is larger has a block of its own */
    LEAST_LARGE = 1 << 22,
    FIRST_ITEMS = 8
};

struct dg_arena_block {
    struct dg_arena_block *next;
    max_align_t data[];
};

static _Thread_local jmp_buf *rescue;

static void give_up(void)
{
    if (rescue)
        longjmp(*rescue, 1);
    fputs("delegraph: out of memory\n", stderr);
    abort();
}

void (*dg_out_of_memory)(void) = give_up;

enum dg_status dg_outlive_memory(enum dg_status work(void *context,
                                                     struct dg_error *err),
                                 void *context, struct dg_error *err)
{
    jmp_buf here, *outer = rescue;
    enum dg_status status;

    if (setjmp(here)) {
        rescue = outer;
        return dg_fail(err, DG_ERR_IO, "out of memory");
    }
    rescue = &here;
    status = work(context, err);
    rescue = outer;
    return status;
}

/* All pages have it, since realloc() copies what is not one mapping to the kernel. */
void dg_prefer_large_pages(void *memory, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
              start = (uintptr_t)memory & -page,
              end = ((uintptr_t)memory + size + page - 1) & -page;

    if (size >= LEAST_LARGE)
        madvise((void *)start, end - start, MADV_HUGEPAGE);
}

static char *add_block(struct dg_arena *arena, size_t size)
{
    struct dg_arena_block *block =
        size <= SIZE_MAX - sizeof(*block) ? calloc(1, sizeof(*block) + size) : NULL;

    if (!block)
        dg_out_of_memory();
    dg_prefer_large_pages(block, sizeof(*block) + size);
    block->next = arena->blocks;
    arena->blocks = block;
    return (char *)block->data;
}

static void grow(struct dg_arena *arena, size_t least)
{
    size_t size = arena->size ? arena->size * GROWTH : FIRST_BLOCK;

    while (size < least)
        size *= GROWTH;
    arena->size = size < BLOCK_SIZE ? size : BLOCK_SIZE;
    arena->at = add_block(arena, arena->size);
    arena->end = arena->at + arena->size;
}

static bool has_room(const struct dg_arena *arena, size_t bytes)
{
    return arena->at && bytes <= (size_t)(arena->end - arena->at);
}

void *dg_alloc(struct dg_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    char *data;

    if (size && count > (SIZE_MAX - BLOCK_SIZE) / size)
        dg_out_of_memory();
    bytes = (count * size + sizeof(max_align_t) - 1) / sizeof(max_align_t) *
            sizeof(max_align_t);
    if (bytes > LEAST_ALONE)
        return add_block(arena, bytes);
    if (!has_room(arena, bytes))
        grow(arena, bytes);
    data = arena->at;
    arena->at += bytes;
    return data;
}

/* Texts are many and short, and need no alignment: they fill a block from its end. */
static char *alloc_text(struct dg_arena *arena, size_t size)
{
    if (size >= LEAST_ALONE)
        return dg_alloc(arena, size + 1, 1);
    if (!has_room(arena, size + 1))
        grow(arena, size + 1);
    arena->end -= size + 1;
    return arena->end;
}

void dg_arena_clear(struct dg_arena *arena)
{
    while (arena->blocks) {
        struct dg_arena_block *block = arena->blocks;

        arena->blocks = block->next;
        free(block);
    }
    *arena = (struct dg_arena){0};
}

void dg_arena_adopt(struct dg_arena *arena, struct dg_arena *other)
{
    struct dg_arena_block **last = &arena->blocks;

    while (*last)
        last = &(*last)->next;
    *last = other->blocks;
    *other = (struct dg_arena){0};
}

char *dg_copy(struct dg_arena *arena, struct dg_text text)
{
    char *copy = alloc_text(arena, text.size);

    if (text.size)
        memcpy(copy, text.data, text.size);
    return copy;
}

struct dg_text dg_format_list(struct dg_arena *arena, const char *fmt, va_list args)
{
    struct dg_text text = {0};
    va_list again;
    char *data;

    va_copy(again, args);
    text.size = (size_t)vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    data = alloc_text(arena, text.size);
    vsnprintf(data, text.size + 1, fmt, args);
    text.data = data;
    return text;
}

struct dg_text dg_copy_text(struct dg_arena *arena, struct dg_text text)
{
    return (struct dg_text){text.data ? dg_copy(arena, text) : NULL, text.size};
}

struct dg_text dg_format(struct dg_arena *arena, const char *fmt, ...)
{
    struct dg_text text;
    va_list args;

    va_start(args, fmt);
    text = dg_format_list(arena, fmt, args);
    va_end(args);
    return text;
}

void *dg_zeroed(size_t count, size_t size)
{
    void *items = calloc(count + 1, size); /* one at least */

    if (!items)
        dg_out_of_memory();
    dg_prefer_large_pages(items, count * size);
    return items;
}

void *dg_grow(void *items, size_t count, size_t size)
{
    size_t room = count < FIRST_ITEMS ? FIRST_ITEMS : count * 2;

    /* Room ran out exactly when the count is 0 or a power of two from FIRST_ITEMS on.
     */
    if (!count || (count >= FIRST_ITEMS && !(count & (count - 1)))) {
        items = room <= SIZE_MAX / size ? realloc(items, room * size) : NULL;
        if (!items)
            dg_out_of_memory();
        dg_prefer_large_pages(items, room * size);
    }
    memset((char *)items + count * size, 0, size);
    return items;
}
