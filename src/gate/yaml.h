/* A YAML file of the user as a tree: maps, lists and words. What a file of settings
 * does not need is refused: anchors, tags, several documents, keys that stand twice. */
#ifndef DG_GATE_YAML_H
#define DG_GATE_YAML_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum dg_yaml_kind { DG_YAML_WORD, DG_YAML_LIST, DG_YAML_MAP };

struct dg_yaml {
    enum dg_yaml_kind kind;
    struct dg_text text; /* of a word; ends with NUL, and holds none */
    bool quoted;         /* so that "null" is a text */
    int line, column;    /* where it begins, from 1 */
    struct dg_text key;  /* of a member of a map, with its place */
    int key_line, key_column;
    const struct dg_yaml *first, *next; /* items of a list, members of a map */
};

/* *root lives as long as `memory`. What is wrong is DG_ERR_USAGE, with `path`, line and
 * column. */
enum dg_status dg_yaml_read(const struct dg_yaml **root, struct dg_text text,
                            const char *path, struct dg_arena *memory,
                            struct dg_error *err);

#endif
