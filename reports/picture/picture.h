/* A picture before it is drawn: boxes, links between them, frames around them. */
#ifndef DG_REPORTS_PICTURE_PICTURE_H
#define DG_REPORTS_PICTURE_PICTURE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/none.h"
#include "base/text.h"

enum dg_box_kind {
    DG_BOX_CALL,     /* an operator */
    DG_BOX_INPUT,    /* ellipse */
    DG_BOX_OUTPUT,   /* ellipse */
    DG_BOX_DELEGATE, /* component: a part that a backend runs */
    DG_BOX_BRANCH,   /* hexagon: cond, while_loop, ... call other graphs */
    DG_BOX_JUMP,     /* diamond: jump_false_call */
    DG_BOX_MOVE,     /* plain: move_call, free_call */
    DG_BOX_GROUP,    /* folder: stands for what a frame hides */
    DG_BOX_OFF_PAGE, /* note: stands for a box that lies far away */
    DG_BOX_PART,     /* component: a partition of a plan as one box */
    DG_BOX_HOST,     /* an interval of what runs on the host, as one box */
    DG_BOX_COPY,     /* between host and device */
    DG_BOX_BLOCK,    /* folder on folders: one of several blocks that are the same */
    DG_BOX_VALUE,    /* cylinder: bytes in memory or in the file */
    DG_BOX_ADDED,    /* of two programs: what only the new one has */
    DG_BOX_REMOVED,  /* what only the old one has */
    DG_BOX_CHANGED,  /* what is another in each */
};

/* What becomes of a node that gets no box of its own. */
enum dg_box_fold {
    DG_FOLD_NOT,
    DG_FOLD_CONSTANT, /* a weight or constant: a line in the label of each user */
    DG_FOLD_ITEM,     /* getitem: its users read the producer */
    DG_FOLD_GRAPH,    /* get_attr of a graph: its users point at that graph's frame */
    DG_FOLD_VIEW,     /* one of a chain of views: a line in the label of the last */
};

/* Boxes are drawn by `order`: that of the k-th node is DG_ORDER * k + DG_ORDER_NODE,
 * and the others stand beside it. */
enum {
    DG_ORDER_INPUT,
    DG_ORDER_BESIDE,
    DG_ORDER_NODE,
    DG_ORDER_OUTPUT,
    DG_ORDER,
};

struct dg_line {
    struct dg_text text;
    struct dg_line *next;
};

struct dg_box {
    int64_t node; /* row in the store; 0: no node stands behind the box */
    enum dg_box_kind kind;
    enum dg_box_fold fold;
    struct dg_text name;  /* as --around takes it */
    struct dg_text title; /* the operator, or what else the box is */
    struct dg_text value; /* "f32[1,16]"; NULL when there is no single result */
    struct dg_text target;
    struct dg_text backend;
    struct dg_text source;  /* "model.py:88", the Python line */
    struct dg_text command; /* options of `delegraph dot` that show what it stands for;
                               NULL: it stands for itself */
    int64_t item;           /* of getitem; DG_NONE: not known */
    int64_t jump, delegate;
    size_t graph;
    int64_t index;                     /* place in the graph's order */
    uint64_t order;                    /* place in the picture's: see DG_ORDER_* */
    size_t frame;                      /* the innermost around it */
    struct dg_line *lines, *last_line; /* more of the label */
    size_t n_outside;                  /* neighbours that --around cut off */
    size_t stand_in;                   /* the box that is drawn for it */
    size_t part;                       /* frame of its partition; 0: on the host */
    int64_t nbytes;                    /* of the result; -1: not known */
    double took;                       /* of what it stands for: see dg_box_took() */
    size_t n_repeats;                  /* blocks that it stands for; 0: itself alone */
    size_t n_nodes;                    /* that it stands for; 0: itself alone */
    bool view; /* its operator gives, or may give, its input in another shape */
    bool drawn;
    bool highlighted; /* against a rule of plans */
    bool marked;      /* what the picture is about: a thick outline and a dot */
    bool counted;     /* among the values that leave a partition */
};

enum dg_link_kind {
    DG_LINK_DATA,
    DG_LINK_JUMP,
    DG_LINK_GRAPH,
    DG_LINK_ORDER, /* not seen: the one stands above the other */
    DG_LINK_NEXT,  /* runs next: thin, without a value */
    DG_LINK_WAS,   /* only of the old of two programs */
};

struct dg_link {
    size_t from, to; /* boxes; of DG_LINK_GRAPH `to` is a frame */
    enum dg_link_kind kind;
    struct dg_text label, value; /* may be NULL */
    size_t count;                /* links that it stands for */
    size_t source;               /* the node whose value it is, before folding */
    int64_t nbytes;              /* of the values; -1: not known */
    bool crosses;                /* the border of a partition */
    bool highlighted;            /* a step of a cycle */
};

enum dg_frame_kind {
    DG_FRAME_ROOT,
    DG_FRAME_METHOD,
    DG_FRAME_GRAPH,
    DG_FRAME_LOWERED,
    DG_FRAME_PART, /* of a plan */
    DG_FRAME_MODULE,
    DG_FRAME_BLOCK,
    DG_FRAME_RUN,
    DG_FRAME_LANE, /* of a device */
};

struct dg_frame {
    enum dg_frame_kind kind;
    size_t parent; /* frame 0 is the root, and its own parent */
    struct dg_text key, label;
    uint64_t first; /* order of the first box inside */
    bool repeats;   /* a run of a sequence that repeats */
    bool closed;    /* drawn as one box */
    size_t box;     /* that box; 0: none yet */
    size_t backend; /* of a partition: index into backends */
};

struct dg_picture_graph {
    int64_t row;
    struct dg_text path;
    size_t frame;
    size_t first_box, n_boxes;
};

struct dg_picture {
    struct dg_box *boxes;
    struct dg_link *links;
    struct dg_frame *frames;
    struct dg_picture_graph *graphs;
    size_t n_boxes, n_links, n_frames, n_graphs;
    struct dg_link *folded_links; /* as they were before dg_picture_fold() */
    size_t n_folded_links;
    size_t n_nodes, n_constants, n_items, n_views, n_hidden, n_groups, n_cut;
    struct dg_text *backends; /* that partitions go to */
    struct dg_text *told;     /* the first findings */
    size_t n_backends, n_told, n_parts, n_crossing, n_findings;
    int64_t crossing_bytes; /* of values whose size is known */
    const double *took;     /* by row of node: what it took on a device, in nanoseconds
                               or ticks; 0: nobody knows */
    size_t n_took;
    double all_took;       /* of all of them */
    struct dg_text title;  /* "model.pte" */
    struct dg_text view;   /* "partitions" */
    struct dg_text path;   /* of the file, for commands */
    struct dg_text *hints; /* lines of the caption: what a fold hid, and the command
                              that shows it */
    size_t n_hints;
    struct dg_arena memory;
};

void dg_picture_clear(struct dg_picture *picture);

/* Choose the views that dg_picture_fold() draws as part of their one reader; not those
 * in one chain with the node `spared`, which may be NULL. */
void dg_picture_fold_views(struct dg_picture *picture, const char *spared);

/* Draw constants, getitem, get_attr and chosen views as part of their users. */
void dg_picture_fold(struct dg_picture *picture);

/* Draw graphs that delegates were made from as part of the calls of these. */
void dg_picture_fold_lowered(struct dg_picture *picture);

/* Put the runs of sequences that repeat into frames, for the next function. */
void dg_picture_frame_sequences(struct dg_picture *picture);

/* Draw blocks, such as numbered modules, that repeat others as one box, where at least
 * `least` do. */
void dg_picture_fold_repeats(struct dg_picture *picture, size_t least);

/* Draw four or more boxes with the same label, but for names, and the same neighbours
 * as one. */
void dg_picture_fold_siblings(struct dg_picture *picture);

/* Find the links that cross the border of a partition. */
void dg_picture_mark_borders(struct dg_picture *picture);

/* Keep what is within `hops` links of the boxes named `name`. */
enum dg_status dg_picture_around(struct dg_picture *picture, const char *name, int hops,
                                 struct dg_error *err);

/* Keep the module `fqn`, what is in it, and what it is linked to. */
enum dg_status dg_picture_module(struct dg_picture *picture, const char *fqn,
                                 struct dg_error *err);

/* Draw each partition of a plan as one box. */
void dg_picture_close_parts(struct dg_picture *picture);

/* Close frames until at most `most` boxes are drawn. */
void dg_picture_fit(struct dg_picture *picture, size_t most);

/* Draw a box whose value is read all over the picture once for each place, as far as
 * `most` boxes allow. */
void dg_picture_refer_off_page(struct dg_picture *picture, size_t most);

/* Graphviz text. */
enum dg_status dg_picture_write(struct dg_writer *out, const struct dg_picture *picture,
                                struct dg_error *err);

/* What a node took, by its row; what the node of a box did, or all that the box stands
 * for. 0: nobody knows. */
double dg_node_took(const struct dg_picture *picture, int64_t node);
double dg_box_took(const struct dg_picture *picture, const struct dg_box *box);

/* Building. The pointers live until the next box, link or frame. */
struct dg_box *dg_picture_add_box(struct dg_picture *picture, enum dg_box_kind kind);
struct dg_link *dg_picture_add_link(struct dg_picture *picture, size_t from, size_t to);
size_t dg_picture_add_frame(struct dg_picture *picture, enum dg_frame_kind kind,
                            size_t parent, struct dg_text label);
void dg_box_add_line(struct dg_picture *picture, struct dg_box *box,
                     struct dg_text text);

/* The same of a text as printf() makes it. */
void dg_box_say(struct dg_picture *picture, struct dg_box *box, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* How many boxes are drawn. */
size_t dg_picture_n_drawn(const struct dg_picture *picture);

/* The number of a backend that partitions go to; it is copied where it is new. */
size_t dg_picture_backend(struct dg_picture *picture, struct dg_text backend);

/* A line of the caption. */
void dg_picture_hint(struct dg_picture *picture, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "linear" of "aten::linear.default". */
struct dg_text dg_short_op(struct dg_text op);

/* As a shell takes it: quoted where that is needed. */
struct dg_text dg_shell_word(struct dg_arena *memory, struct dg_text word);
/* And so that a command takes it for no option; "-" is standard input. */
struct dg_text dg_shell_path(struct dg_arena *memory, struct dg_text path);

/* Links with the same ends become one, in the order of their first. */
void dg_picture_merge_links(struct dg_picture *picture);

/* At most `most` characters: the middle gives way to an ellipsis. */
struct dg_text dg_elide(struct dg_arena *memory, struct dg_text text, size_t most);

/* Text for a Graphviz label: escapes, entities and control characters mean nothing. */
void dg_write_label(struct dg_writer *out, struct dg_text text);

#endif
