/* Parts of what finds the inputs of a call. */
#ifndef DG_EXEC_INPUTS_PARTS_H
#define DG_EXEC_INPUTS_PARTS_H

#include "exec/inputs.h"

/* Whether the caller gives this input: of the user, and no constant of the signature.
 */
bool dg_input_is_given(const struct dg_schedule *schedule, const struct dg_io *io);
bool dg_input_is_user(const struct dg_io *io);

/* Type and sizes of a tensor input; those that `ranges` names are examples. NULL: it is
 * no tensor. */
const struct dg_tensor *dg_input_declared(const struct dg_schedule *schedule,
                                          size_t input);

/* Room for the inputs of `schedule`; constant ones are filled in. */
void dg_inputs_begin(struct dg_inputs *inputs, const struct dg_schedule *schedule);

/* Input `i` from a value that is called `name`; scalars take tensors of one element. */
enum dg_status dg_inputs_put(struct dg_inputs *inputs,
                             const struct dg_schedule *schedule, size_t i,
                             const char *name, const struct dg_arg *value,
                             struct dg_error *err);
/* Hold a value to constant input `i`, which it must equal. */
enum dg_status dg_inputs_hold(const struct dg_schedule *schedule, size_t i,
                              const char *name, const struct dg_arg *value,
                              struct dg_error *err);
/* Hold the sizes of all inputs to what is declared, and to their symbols. */
enum dg_status dg_inputs_check_sizes(const struct dg_inputs *inputs,
                                     const struct dg_schedule *schedule,
                                     struct dg_error *err);

/* "f32 [2,s0]" */
const char *dg_declared_text(const struct dg_schedule *schedule, size_t input,
                             char *text, size_t room);
/* Whether any value of a file has a name. */
bool dg_set_has_names(const struct dg_value_set *set);
const char *dg_value_text(const struct dg_arg *value, char *text, size_t room);

#endif
