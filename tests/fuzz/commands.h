/* What the harness does to a mutant of each kind: command lines in which @ stands for
 * the mutant, % for a right program beside it, and # for a folder to write to. */
#ifndef DG_TESTS_COMMANDS_H
#define DG_TESTS_COMMANDS_H

struct mutant_kind {
    const char *name;    /* "pte" */
    const char *endings; /* of its files, each with a blank behind: ".pte " */
    const char *const *commands;
};

extern const struct mutant_kind mutant_kinds[]; /* ends with {0} */

/* Programs that a plan or inputs may belong to, each with a blank behind. */
extern const char mutant_program_endings[];

#endif
