/* The options that say which partitioner runs, and over which operators: those of
 * partition and explain. */
#ifndef DG_CLI_PARTITIONER_OPTIONS_H
#define DG_CLI_PARTITIONER_OPTIONS_H

#include "cli/options.h"
#include "formats/input.h"
#include "partition/run.h"

/* All text that was given, NULL where it was not; start from {0}. */
struct dg_partitioner_options {
    const char *mode, *weight, *method;
    struct dg_list supported, unsupported, non_compute, allowed_single, specs, priors;
    struct dg_list support, backend, backend_id; /* files; lists that are shipped */
    const char *allow_single, *groups, *repair;
    bool skip_horizontal, bookends, claim_delegates, lower, force;
};

#define DG_LONG_OPTION(TYPE, name, argument, place, help)                              \
    {                                                                                  \
        DG_OPTION_##TYPE, name, 0, argument, place, help                               \
    }

/* Lines for a table of options; `field` is the dg_partitioner_options in struct `type`.
 */
#define DG_SUPPORT_OPTIONS(type, field)                                                \
    DG_LONG_OPTION(LIST, "supported-ops", "OPS", offsetof(type, field.supported),      \
                   "only these operators go to the backend: aten::linear,aten::relu"), \
        DG_LONG_OPTION(LIST, "unsupported-ops", "OPS",                                 \
                       offsetof(type, field.unsupported),                              \
                       "all operators but these go to it"),                            \
        DG_LONG_OPTION(FILES, "support", "FILE", offsetof(type, field.support),        \
                       "what the backend takes, with conditions: doc/support.md"),     \
        DG_LONG_OPTION(LIST, "backend", "NAME", offsetof(type, field.backend),         \
                       "the same, ready made: xnnpack, vulkan, aoti")

#define DG_PARTITIONER_OPTIONS(type, field, modes)                                     \
    DG_LONG_OPTION(CHOICE, "mode", modes, offsetof(type, field.mode),                  \
                   "which partitioner; default torch"),                                \
        DG_SUPPORT_OPTIONS(type, field),                                               \
        DG_LONG_OPTION(CHOICE, "allow-single-node", "true|false",                      \
                       offsetof(type, field.allow_single),                             \
                       "whether one operator may be a partition; default true"),       \
        DG_LONG_OPTION(LIST, "non-compute-ops", "OPS",                                 \
                       offsetof(type, field.non_compute),                              \
                       "operators that do not count as nodes of a partition"),         \
        DG_LONG_OPTION(LIST, "allowed-single-node-ops", "OPS",                         \
                       offsetof(type, field.allowed_single),                           \
                       "operators that may be a partition all the same"),              \
        DG_LONG_OPTION(FLAG, "remove-bookends", NULL, offsetof(type, field.bookends),  \
                       "drop non-compute operators at the borders of partitions"),     \
        DG_LONG_OPTION(FLAG, "skip-horizontal-fusion", NULL,                           \
                       offsetof(type, field.skip_horizontal),                          \
                       "torch mode: merge only along edges"),                          \
        DG_LONG_OPTION(                                                                \
            CHOICE, "weight", "values|bytes", offsetof(type, field.weight),            \
            "min mode: what is to be small on the borders; default values"),           \
        DG_LONG_OPTION(FILE, "groups", "FILE", offsetof(type, field.groups),           \
                       "group mode: nodes to keep together, lists in JSON"),           \
        DG_LONG_OPTION(FLAG, "claim-delegates", NULL,                                  \
                       offsetof(type, field.claim_delegates),                          \
                       "take calls of prior delegates, too"),                          \
        DG_LONG_OPTION(FILES, "prior", "PLAN", offsetof(type, field.priors),           \
                       "a plan that was lowered before; several in that order"),       \
        DG_LONG_OPTION(LIST, "backend-id", "NAME", offsetof(type, field.backend_id),   \
                       "backend of the delegates; aoti and single: CudaBackend"),      \
        DG_LONG_OPTION(LIST, "spec", "KEY=VALUE", offsetof(type, field.specs),         \
                       "a compile spec of every delegate")

/* A request and what it points at. */
struct dg_run_setup {
    struct dg_run_request request;
    struct dg_support *support;                    /* of one backend */
    struct dg_support *supports[DG_MOST_BACKENDS]; /* of several */
    struct dg_run_backend backends[DG_MOST_BACKENDS];
    struct dg_group_list groups;
    int64_t *priors;
    struct dg_arena memory;
};

/* Fill setup->request for the program in `input`. Prior plans become rows of its store.
 * Clear *setup whether or not this succeeds. */
enum dg_status dg_run_setup(struct dg_run_setup *setup,
                            const struct dg_partitioner_options *given,
                            const struct dg_input *input, struct dg_error *err);
void dg_run_setup_clear(struct dg_run_setup *setup);

/* Tell on standard error that the answer is not exact, and of operators in lists of
 * which the program calls only another overload: "aten::add" is aten::add.default,
 * which no program has. */
enum dg_status dg_run_notes(const struct dg_partitioner_options *given,
                            const struct dg_run_request *request,
                            const struct dg_input *input, struct dg_error *err);

/* Tell there that the program is lowered already, and how to ask for reasons. */
enum dg_status dg_run_note_delegates(const struct dg_partitioner_options *given,
                                     int64_t artifact, const struct dg_input *input,
                                     struct dg_error *err);

/* Whether any option says which operators the backend takes. */
bool dg_run_option_has_support(const struct dg_partitioner_options *given);

#endif
