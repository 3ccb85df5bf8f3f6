/* Two small programs that are compared: old and new. */
#ifndef DG_TESTS_SMALL_DIFF_H
#define DG_TESTS_SMALL_DIFF_H

#include "unit/small_program.h"

#include "diff/diff.h"

extern struct dg_store *diff_programs[2];
extern float diff_bytes[2][64]; /* of their weights */
extern unsigned diff_ignored;
extern enum dg_diff_result diff_result; /* of the last diff */

/* Arguments of softmax. */
#define LAST(x)                                                                        \
    "[{\"name\":\"self\",\"tensor\":\"" x "\"},{\"name\":\"dim\",\"int\":1}]"

/* Twice x -> relu (module a) -> mul by w -> softmax (both module b); given() is of the
 * new one. */
void diff_open(void);
void diff_close(void);

/* The new program, anew; with one more relu in front, all behind it has another
 * number. */
void diff_build_new(bool one_more);

/* "kind change what name: old -> new, note" for each difference, behind the sentence.
 */
void expect_diff(const char *want);

/* A .pte: x, 2 -> mul by a constant -> relu. */
void build_instructions(int side);

void build_both_instructions(void);

/* Both instructions multiply, each by a constant of its own. */
void build_two_constants(void);

#endif
