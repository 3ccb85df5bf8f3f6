/* What show can show: how to find an object, and what belongs to it. */
#ifndef DG_CLI_OBJECTS_H
#define DG_CLI_OBJECTS_H

/* Rows that belong to an object: neighbours, frames, ... */
struct dg_object_part {
    const char *key;
    const char *sql; /* ?1: id of the object */
};

struct dg_object {
    const char *kind;               /* "node": also of "node#12" */
    const char *find;               /* ids by ?1, a name */
    const char *row;                /* the object itself by ?1, its id */
    struct dg_object_part parts[5]; /* ends with key == NULL */
};

extern const struct dg_object dg_objects[]; /* ends with kind == NULL */

/* All names that `find` may find, the likeliest first. */
extern const char dg_object_names[];

#endif
