/* A policy: what a gate asks of which program, as a team keeps it in its repository.
 * The file is YAML; doc/policy.md says what it may hold, doc/schema/policy.schema.json,
 * too.
 */
#ifndef DG_GATE_POLICY_H
#define DG_GATE_POLICY_H

#include "gate/outcome.h"
#include "verifiers/verifier.h"

#define KEY(constant, name, shape, scope, expected) DG_POLICY_##constant,
enum dg_policy_key {
#include "gate/policy_keys.def"
    DG_POLICY_KEYS,
};
#undef KEY

enum dg_policy_shape {
    DG_POLICY_WORD,  /* the last that was said holds */
    DG_POLICY_WORDS, /* the same */
    DG_POLICY_ADDED, /* words: all that were said hold */
    DG_POLICY_NAMED, /* names with words: what was said last of each name */
};

struct dg_policy_key_about {
    const char *name;
    enum dg_policy_shape shape;
    bool anywhere;        /* for some programs, too */
    const char *expected; /* what its words are */
};

extern const struct dg_policy_key_about dg_policy_keys[DG_POLICY_KEYS];

/* The key of that name that may stand at the top, or for some programs; or
 * DG_POLICY_KEYS. */
enum dg_policy_key dg_policy_key_find(struct dg_text name, bool top);

/* One word of a policy, and where it stands. */
struct dg_policy_entry {
    struct dg_text name; /* where the key has names; else absent */
    struct dg_text value;
    int line, column;   /* in the file; 0: `option` said it */
    const char *option; /* "--select"; NULL: the file said it */
};

struct dg_policy_entries {
    struct dg_policy_entry *items;
    size_t n_items;
};

/* What holds for some programs. */
struct dg_policy_part {
    struct dg_policy_entries files; /* globs; none: all programs */
    struct dg_policy_entries keys[DG_POLICY_KEYS];
};

/* Findings that the policy lets pass. */
struct dg_policy_pass {
    struct dg_policy_entry rule;    /* an id, a family, or a glob */
    struct dg_policy_entries files; /* globs; none: all programs */
    struct dg_text where;           /* a glob over the place; absent: anywhere */
    struct dg_suppression known;
    size_t asked; /* 1 + the last program whose rules had the say; 0: none */
    bool used, told;
    bool blind; /* a program that it means could not be read */
};

/* Start from {0}, which asks nothing; end with dg_policy_clear(). */
struct dg_policy {
    struct dg_arena memory;
    const char *path;   /* as it was given or found; NULL: there is no file */
    const char *place;  /* the same from the root of the checkout; NULL: nobody asks */
    const char *folder; /* its real path: names of files are seen from there */
    struct dg_policy_part top;
    struct dg_policy_part *parts; /* for some programs, in the order of the file */
    size_t n_parts;
    struct dg_policy_pass *passes;
    size_t n_passes;
};

/* What the policy calls the program `path`: as seen from its folder. */
const char *dg_policy_name(const struct dg_policy *policy, const char *path,
                           struct dg_arena *memory);

/* What holds for the program of that name (NULL: for any) once `given`, what the
 * command line said, is added. In `memory`, but for the words. Safe from several
 * threads. */
struct dg_policy_part *dg_policy_for(const struct dg_policy *policy,
                                     const char *program,
                                     const struct dg_policy_part *given,
                                     struct dg_arena *memory);

/* Whether globs mean the program of that name; without any, they mean all. */
bool dg_policy_means(const struct dg_policy_entries *files, const char *program);

/* The last word of a key, or NULL. */
const struct dg_policy_entry *dg_policy_last(const struct dg_policy_part *part,
                                             enum dg_policy_key key);

/* Another word of a key. */
void dg_policy_add(struct dg_policy_entries *entries, struct dg_policy_entry entry,
                   struct dg_arena *memory);

/* The severity that `part` gives to findings of a rule, as dg_severity_number() counts,
 * or -1. */
int dg_policy_severity(const struct dg_policy_part *part, const char *rule);

/* Whether a limit is one of growth, and whether it takes limits of its name away. */
bool dg_policy_grows(const struct dg_policy_entry *entry);
bool dg_policy_lifts(const struct dg_policy_entry *entry);
bool dg_policy_has_growth(const struct dg_policy_part *part);

/* The limit that `part` sets for a rule of the family budget and that `message`, a
 * finding of it, names; else the last one (NULL: no limit of that name). */
const struct dg_policy_entry *dg_policy_budget(const struct dg_policy_part *part,
                                               const char *rule, const char *message);

/* "delegraph.yaml:7", "--select" */
struct dg_text dg_policy_origin(const struct dg_policy *policy,
                                const struct dg_policy_entry *entry,
                                struct dg_arena *memory);

#endif
