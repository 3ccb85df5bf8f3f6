/* Words of a policy's file: what stands there, and what is wrong with it. */
#ifndef DG_GATE_POLICY_WORDS_H
#define DG_GATE_POLICY_WORDS_H

#include "gate/policy.h"
#include "gate/yaml.h"

enum { DG_POLICY_MOST_WORDS = 1000 /* of a key or list */ };

struct dg_policy_reader {
    struct dg_policy *policy;
    const char *beside; /* what paths of the file begin with: "", "ci/" */
    struct dg_error *err;
};

/* DG_ERR_USAGE with file, line and column. */
enum dg_status dg_policy_refuse(const struct dg_policy_reader *reader, int line,
                                int column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A key that is none of `names`: which one is near. */
enum dg_status dg_policy_refuse_key(const struct dg_policy_reader *reader,
                                    const struct dg_yaml *member,
                                    const char *const *names, size_t n_names);

/* One word; "", null and ~ without quotes say nothing. */
enum dg_status dg_policy_read_word(struct dg_policy_entry *entry,
                                   const struct dg_policy_reader *reader,
                                   const struct dg_yaml *node, const char *expected);

/* One word, or a list of them, each with `name`. */
enum dg_status dg_policy_read_words(struct dg_policy_entries *entries,
                                    const struct dg_policy_reader *reader,
                                    const struct dg_yaml *node, struct dg_text name,
                                    const char *expected);

/* The same of globs; one that no name can match would ask nothing of anybody. */
enum dg_status dg_policy_read_files(struct dg_policy_entries *files,
                                    const struct dg_policy_reader *reader,
                                    const struct dg_yaml *node);

/* Whether it is a map. */
enum dg_status dg_policy_check_map(const struct dg_policy_reader *reader,
                                   const struct dg_yaml *node, const char *expected);

/* An item of the list of suppressions. */
enum dg_status dg_policy_read_pass(const struct dg_policy_reader *reader,
                                   const struct dg_yaml *node);

#endif
