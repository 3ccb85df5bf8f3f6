/* Faults that are injected into a load: the n-th call of a kind fails. */
#ifndef DG_TESTS_FAULTS_H
#define DG_TESTS_FAULTS_H

#include <stdbool.h>

enum fault {
    FAULT_NONE,
    FAULT_MEMORY,        /* our own allocations */
    FAULT_SQLITE_MEMORY, /* those of SQLite */
    FAULT_SQLITE_FILE,   /* its writes, flushes, truncations and openings */
};

/* Put the shims in place; once, before anything opens a database. */
void faults_install(void);

/* From now on the `nth` call of that kind fails, counted from 1, and with `ever` all
 * that follow it. 0: only count. */
void faults_arm(enum fault fault, long nth, bool ever);

/* Stop failing; whether any call failed since faults_arm(). */
bool faults_disarm(void);

/* How many calls of that kind there were since faults_arm(), if none was to fail. */
long faults_calls(void);

#endif
