/* The parts of the harness: what is mutated, what runs, what is counted. */
#ifndef DG_TESTS_HARNESS_H
#define DG_TESTS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fuzz/commands.h"

enum { MOST_KINDS = 16, MOST_COMMANDS = 128, EXIT_CODES = 6, COMMANDS_OF_A_MUTANT = 8 };

/* Counts of all processes. */
struct shared {
    uint64_t runs, mutants, failures;
    volatile bool stopped;
    uint64_t exits[MOST_KINDS][MOST_COMMANDS][EXIT_CODES];
    uint64_t microseconds[MOST_KINDS][MOST_COMMANDS]; /* of the processor */
};

/* A child and what it is at; shared with it. */
struct job {
    size_t number;
    pid_t child;
    uint64_t mutant, left; /* the mutant that it is at, and how many are to come */
    size_t command;        /* of that mutant */
    uint64_t done;         /* runs that ended */
    uint64_t counted;      /* of these, what the clock below stands at */
    double cpu, wall;
    bool hangs;
    int out, err; /* files that take what it prints */
    char line[512];
};

struct harness {
    uint64_t seed, runs, seconds, jobs, cpu_seconds;
    const char *work;
    char folder[64];
    double began;
    struct shared *shared;
};

extern struct harness harness;

/* Right files, by their endings. */
void harness_read_files(char **paths, size_t n);

/* A scratch folder, with one for each job in it. */
void harness_open_folder(void);
void harness_open_job(struct job *job);
void harness_close_folder(void);

/* Make the job's mutant and run its commands, from job->command on. */
void harness_run_mutant(struct job *job);

/* Tell what went wrong, and keep the mutant. */
void harness_keep(struct job *job, const char *why);

/* Whether a stream has a control character that a terminal or an editor would obey. */
bool harness_finds_control(int file);

/* Print all counts; returns how many runs failed. */
uint64_t harness_report(double seconds);

#endif
