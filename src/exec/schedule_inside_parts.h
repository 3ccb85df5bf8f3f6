/* What reads the graph of a delegate shares. */
#ifndef DG_EXEC_SCHEDULE_INSIDE_PARTS_H
#define DG_EXEC_SCHEDULE_INSIDE_PARTS_H

#include "exec/schedule_inside.h"

struct dg_inside_constant;

struct dg_inside_reading {
    struct dg_pte_maker *maker;
    struct dg_inside *inside;
    struct dg_inside_constant *constants; /* sorted by idx, while values are read */
    size_t n_constants;
};

struct dg_arena *dg_inside_memory(const struct dg_inside_reading *reading);
/* It cannot be run; the first reason counts. */
void dg_inside_refuse(struct dg_inside_reading *reading, const char *why);
/* The items where they stay, for rows that are behind point at them; frees `items`. */
void *dg_inside_moved(struct dg_inside_reading *reading, void *items, size_t size);
/* ?1: the graph. */
struct dg_rows dg_inside_rows(struct dg_inside_reading *reading, const char *sql);

enum dg_status dg_inside_read_values(struct dg_inside_reading *reading);
/* The number of the value in a row; DG_INSIDE_NONE. */
uint32_t dg_inside_number(const struct dg_inside_reading *reading, int64_t id);

static inline bool dg_inside_is_made(const struct dg_inside_value *value)
{
    return value->writer != DG_INSIDE_NONE;
}

/* Nodes as stored, where that can be; else whoever waits for nothing runs. */
void dg_inside_order(struct dg_inside_reading *reading);
/* Nodes that the runtime makes one of, where that gives other numbers. */
enum dg_status dg_inside_merge(struct dg_inside_reading *reading);
#endif
