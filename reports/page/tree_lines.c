/* A tree as lines: children sorted by parent, then visited depth first. */
#include "reports/page/tree_lines.h"

#include <stdlib.h>

#include "base/sorted.h"

struct child {
    size_t parent, area; /* parent: 0 is none, else its index + 1 */
    int64_t weight;
};

struct level { /* siblings that wait */
    size_t next, most, end;
};

struct tree {
    struct child *children;
    size_t *first; /* of each parent; one more ends the last */
    const struct dg_tree_limits *limits;
};

static int compare(const void *a, const void *b)
{
    const struct child *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->area < y->area ? -1 : x->area > y->area;
}

static void sort(struct tree *tree, const struct dg_area *areas, size_t n,
                 struct dg_arena *memory)
{
    tree->children = dg_alloc(memory, n, sizeof(*tree->children));
    tree->first = dg_alloc(memory, n + 2, sizeof(*tree->first));
    for (size_t i = 0; i < n; i++) {
        size_t parent = areas[i].parent < i ? areas[i].parent + 1 : 0;

        tree->children[i] =
            (struct child){parent, i, tree->limits->largest ? areas[i].bytes : 0};
        tree->first[parent + 1]++;
    }
    for (size_t i = 0; i <= n; i++)
        tree->first[i + 1] += tree->first[i];
    dg_sort(tree->children, n, sizeof(*tree->children), compare);
}

static struct level children_of(const struct tree *tree, size_t parent)
{
    size_t next = tree->first[parent], end = tree->first[parent + 1];
    size_t most = tree->limits->most;

    return (struct level){next, most && end - next > most + 1 ? next + most : end, end};
}

static void leave_out(struct dg_tree_line *line, const struct tree *tree,
                      struct level *level)
{
    line->area = SIZE_MAX;
    line->n_left_out = level->end - level->next;
    for (; level->next < level->end; level->next++)
        line->bytes_left_out += tree->children[level->next].weight;
}

void dg_tree_lines_make(struct dg_tree_lines *branches, const struct dg_area *areas,
                        size_t n_areas, const struct dg_tree_limits *limits)
{
    struct level levels[DG_TREE_LINES_DEPTH];
    struct dg_arena memory = {0};
    struct tree tree = {.limits = limits};
    size_t depth = 0, deepest = DG_TREE_LINES_DEPTH;

    if (limits->depth && limits->depth < deepest)
        deepest = limits->depth;
    sort(&tree, areas, n_areas, &memory);
    levels[0] = children_of(&tree, 0);
    for (;;) {
        struct level *level = &levels[depth];
        struct dg_tree_line *line;

        if (level->next == level->end) {
            if (!depth--)
                break;
            continue;
        }
        line = DG_APPEND(branches->lines, branches->n_lines);
        line->depth = depth;
        if (level->next == level->most)
            leave_out(line, &tree, level);
        else
            line->area = tree.children[level->next++].area;
        line->last = level->next == level->end;
        if (line->area == SIZE_MAX)
            continue;
        if (depth + 1 < deepest)
            levels[++depth] = children_of(&tree, line->area + 1);
        else
            line->n_left_out = tree.first[line->area + 2] - tree.first[line->area + 1];
    }
    dg_arena_clear(&memory);
}

void dg_tree_lines_write(struct dg_writer *out, struct dg_tree_lines *branches,
                         size_t line, bool ascii)
{
    size_t depth = branches->lines[line].depth;
    bool last = branches->lines[line].last;

    branches->closed[depth] = last;
    for (size_t i = 1; i < depth; i++)
        dg_print(out, "%s", branches->closed[i] ? "   " : ascii ? "|  " : "│  ");
    if (depth && ascii)
        dg_print(out, "%s", last ? "`- " : "|- ");
    else if (depth)
        dg_print(out, "%s", last ? "└─ " : "├─ ");
}

void dg_tree_lines_clear(struct dg_tree_lines *branches)
{
    free(branches->lines);
    *branches = (struct dg_tree_lines){0};
}
