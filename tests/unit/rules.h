/* A store for tests of rules: filled with SQL, or with the few words of a small plan.
 */
#ifndef DG_TESTS_RULES_H
#define DG_TESTS_RULES_H

#include "unit/suite.h"

#include "verifiers/verifier.h"

/* Of a blob that has all values that its nodes name: INSERT INTO takes it. */
#define DELEGATE_OPERAND                                                               \
    "delegate_operand (node_id, pos, name, value_idx, value_id, access)"

void rules_open(void);
void rules_close(void);

/* An artifact of that kind with one method and one graph, all with id 1. */
void given_pte(void);
void rules_open_pte(void); /* rules_open(), and that */
void given_pt2(void);

void given(const char *sql);
void given_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs one rule and compares all it finds, one "severity message" per line. */
void expect(const char *rule, const char *want);

/* The rule does not run, for this reason. */
void expect_not_checked(const char *rule, const char *want);

/* The witness of the first finding. */
void expect_witness(const char *want);

/* Value `idx` in arena 1. */
void tensor(int idx, int offset, int nbytes);
/* One that nobody has planned; `name` may be NULL. */
void unplanned(int idx, const char *name);
void goes_in(int value);
void comes_out(int value);

/* An instruction; lists of values as "0 1". */
void call(const char *reads, const char *writes);
void call_op(const char *op, const char *reads, const char *both, const char *writes);
void move(int from, int to);
void jump(int condition, int target);

/* A chain of nodes x -> relu -> output in graph 1. */
void given_chain(void);

extern struct dg_store *rules_store;
extern struct dg_error rules_err;

#endif
