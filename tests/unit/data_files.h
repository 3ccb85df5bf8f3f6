/* A program with the .ptd that was given with it, for tests of rules. */
#ifndef DG_TESTS_DATA_FILES_H
#define DG_TESTS_DATA_FILES_H

#include "unit/rules.h"

/* a.pte holds key "a" in segment 0; b.ptd, given with it, "w" with a layout in its own
 * segment 0. Value 0 is the external tensor w. */
void given_ptd(void);

/* Delegate 0 of XNNPACK, which reads 64 bytes of key "a". */
void given_key_reader(void);

void without_ptd(void);

#endif
