/* What finds out which steps of two programs belong together shares. */
#ifndef DG_EXEC_MATCH_PARTS_H
#define DG_EXEC_MATCH_PARTS_H

#include "base/csr.h"
#include "exec/run_parts.h"

bool dg_is_user_input(const struct dg_io *io);

/* By slot: the step that makes what lies there, before it was only moved; behind the
 * steps the inputs of the user; DG_NO_STEP: neither. */
uint32_t *dg_makers_of(const struct dg_schedule *schedule, struct dg_arena *memory);

/* Of those the one of argument `i`; DG_NO_STEP. */
uint32_t dg_maker_of(const uint32_t *makers, const struct dg_step *step, size_t i);

/* What the file has for an argument; NULL: it is computed, or a number. */
const struct dg_tensor *dg_stored_operand(const struct dg_schedule *schedule,
                                          const struct dg_operand *operand);

/* How many arguments are the same bytes in both files; -1: one has another shape. */
int dg_equal_constants(const struct dg_schedule *schedule, const struct dg_step *a,
                       const struct dg_schedule *other, const struct dg_step *b);
/* Drops matched steps of which one reads what the other cannot, and says which of the
 * rest are doubtful. */
void dg_drop_strangers(struct dg_matching *matching, const struct dg_schedule *schedule,
                       const struct dg_schedule *other, struct dg_arena *memory);

/* The number of the bytes of a tensor, which are all in one place; new ones are added.
 * Steps may share them, and what all of them cost is bounded by the file. */
uint32_t dg_number_of_bytes(struct dg_text_set *tensors, const struct dg_tensor *tensor,
                            struct dg_arena *memory);

/* A hash of what the file has for an argument, the same for the same elements in any
 * order; 0: it has none. The bytes of each tensor are read once. Starts from {0}. */
struct dg_byte_hashes {
    struct dg_text_set tensors;
    uint64_t *one; /* by number */
};

uint64_t dg_operand_hash(struct dg_byte_hashes *hashes,
                         const struct dg_schedule *schedule,
                         const struct dg_operand *operand, struct dg_arena *memory);
void dg_byte_hashes_clear(struct dg_byte_hashes *hashes);

/* By step that sums products: a hash of its weight, whatever the order of elements,
 * also of the codes and scales that the file has of it; 0: it has none. */
uint64_t *dg_weight_hashes(const struct dg_schedule *schedule, struct dg_arena *memory);

/* "aten::conv2d.padding": " conv2d ", in `word`; NULL: it has no such name. */
const char *dg_step_word(const struct dg_step *step, char word[64]);
/* Whether the node may stand for such an operator. */
bool dg_step_may_be(const struct dg_step *node, const char *word);
/* A node that brings codes into floats, or the other way round. */
bool dg_step_converts(const struct dg_step *node);
/* A step of the program that brings codes into floats: XNNPACK reads them as they are.
 */
bool dg_step_dequantizes(const struct dg_step *step);
/* A node that only moves elements. */
bool dg_step_moves(const struct dg_step *step);

/* Steps inside of delegates that have one debug handle, in their order. */
struct dg_handle_group {
    uint32_t handle;
    const uint32_t *steps;
    uint32_t n; /* not 0 */
};

struct dg_handle_group *dg_handle_groups(const struct dg_schedule *lowered, size_t *n,
                                         struct dg_arena *memory);

static inline uint32_t dg_group_last(const struct dg_handle_group *group)
{
    return group->steps[group->n - 1];
}

/* Steps of a program that have one debug handle: those of one node of its export. */
struct dg_numbered {
    const uint32_t *steps;
    uint32_t n;
};

/* In the order of their numbers, from 1 on: by origin, or each step for itself. */
struct dg_numbered *dg_number_steps(const struct dg_schedule *program, bool by_origin,
                                    size_t *n, struct dg_arena *memory);
/* By step: whether it is for something. */
bool *dg_needed_steps(const struct dg_schedule *program, struct dg_arena *memory);

/* The step of the program that a group came from. */
struct dg_handle_place {
    uint32_t step;       /* DG_NO_STEP: none that it may be */
    bool is_part;        /* of several that one node of the export became */
    bool is_taken_apart; /* these do not only bring its result to a grid */
    bool is_sure;        /* none is gone between it and those of the groups beside it */
};

struct dg_handle_place *dg_handle_places(const struct dg_schedule *program,
                                         const struct dg_schedule *lowered,
                                         const struct dg_handle_group *groups, size_t n,
                                         struct dg_arena *memory);

/* The first of several results: of what a node of XNNPACK stands for it gives no other.
 */
bool dg_step_is_first_item(const struct dg_step *step);

/* Of each slot: who reads it, if that is one step; how many do. Norms give what nobody
 * asks for: to take that from its list is not to read it. */
struct dg_readers {
    uint32_t step, *one, *n;
};

struct dg_readers dg_readers_of(const struct dg_schedule *schedule,
                                struct dg_arena *memory);

/* By step of the lowered program: the other one's step that it is. */
uint32_t *dg_hosts_of(const struct dg_matching *matching,
                      const struct dg_schedule *schedule,
                      const struct dg_schedule *lowered, struct dg_arena *memory);

struct dg_joining {
    const struct dg_schedule *program, *lowered;
    struct dg_readers readers, lowered_readers;
    bool *goes_on; /* by slot of `lowered`: what reads it may be of the same node of the
                      program */
    const uint32_t *hosts; /* by step of `lowered`: the step that it is, DG_NO_STEP */
    bool *is_placed;       /* by step of the program: a group stands there */
    struct dg_ancestry *ancestry; /* NULL: nobody asks */
};

/* Who reads, alone, what a node gives, before it was only moved. */
struct dg_node_reader {
    uint32_t step;   /* DG_NO_STEP: nobody, or several */
    size_t argument; /* of that step */
};

struct dg_node_reader dg_node_reader(const struct dg_joining *joining, uint32_t node);

/* The step that reads, alone, what a step of the program gives; DG_NO_STEP. */
uint32_t dg_only_reader(const struct dg_joining *joining, uint32_t step);

/* A batch norm, before or after it was decomposed. */
bool dg_word_is_norm(const char *word);
/* Whether such a step behind those of a group is a node of its own, as are all norms
 * behind it: the group gives what it reads. */
bool dg_norm_is_alone(const struct dg_joining *joining,
                      const struct dg_handle_group *group, uint32_t step);

/* What a group takes up of the steps behind its own, each at most once and in this
 * order. */
enum {
    DG_TAKES_NOTHING = 0,
    DG_TAKES_NORM = 1,
    DG_TAKES_ACTIVATION = 2,
    DG_TAKES_CODES = 4,
    DG_TAKES_FLOATS = 8, /* of its codes */
};

/* Which of them a step of the program is, if the group can have taken it. */
unsigned dg_group_takes(const struct dg_joining *joining,
                        const struct dg_handle_group *group, const char *word);
/* The step whose result the group gives, from its own on: what no other group stands
 * for. */
uint32_t dg_group_result(const struct dg_joining *joining,
                         const struct dg_handle_group *group, uint32_t step);
/* Codes are held to codes; those that are known late are other ones than the program's.
 * Floats with bounds are held to what an activation gives. */
bool dg_group_is_of_one_kind(const struct dg_joining *joining,
                             const struct dg_handle_group *group, uint32_t step);

/* Adds to *n matches those of nodes that have no handle. */
void dg_match_unnumbered(const struct dg_joining *joining,
                         struct dg_handle_match *matches, size_t *n,
                         struct dg_arena *memory);

/* By input of the program: the user's input of `lowered` in its place, numbered behind
 * the steps; DG_NO_STEP: none. */
uint32_t *dg_user_inputs_of(const struct dg_schedule *program,
                            const struct dg_schedule *lowered, struct dg_arena *memory);

/* What a step reads first of what is computed or given; DG_NO_STEP: nothing. */
uint32_t dg_first_source(const struct dg_step *step, const uint32_t *makers);
/* Steps by that. */
struct dg_csr dg_readers_by_source(const struct dg_schedule *schedule,
                                   const uint32_t *makers, struct dg_arena *memory);
enum { DG_READERS_MOST = 64 }; /* of one result, that are told apart */

/* Drops what reads something else in both programs, or is not known to be right inside
 * of a delegate. */
void dg_ancestry_check(struct dg_ancestry *ancestry, const struct dg_schedule *program,
                       const struct dg_schedule *lowered, struct dg_arena *memory);

/* Adds the kernel calls to an ancestry that has what is inside of delegates; hosts: as
 * dg_hosts_of() has them. */
void dg_match_kernels(struct dg_ancestry *ancestry, const struct dg_schedule *program,
                      const struct dg_schedule *lowered, const uint32_t *hosts,
                      struct dg_arena *memory);

#endif
