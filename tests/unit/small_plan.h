/* A small program with a plan, in a few words. Graphs are written one after another:
 * the nodes of a graph have consecutive ids. */
#ifndef DG_TESTS_SMALL_PLAN_H
#define DG_TESTS_SMALL_PLAN_H

#include "unit/rules.h"

/* An empty .pt2 in a new store; nodes go to graph 1, the method's own. */
void plan_open(void);

/* Go on with a branch graph. */
void plan_graph(int id, const char *path);

/* A placeholder of 12 bytes. spec NULL: one that no signature names. */
void plan_input(const char *name, const char *spec);

/* A get_attr of a graph. */
void plan_attr(const char *name);

/* A call of `op` named `name`. Names in `reads` are arguments, "@name" is a graph;
 * those in `list`, where it is not NULL, are one argument more. */
void plan_call(const char *op, const char *name, const char *reads, const char *list);

/* The output. A name that begins with "buffer=" or "parameter=" is written back to the
 * input of that spec. */
void plan_output(const char *names);

/* Nodes of the present graph get the tag; it has backend CudaBackend. */
void plan_tag(const char *tag, const char *names);

/* x -> relu -> sin -> cos -> add, which reads relu, too; w is a weight of add. */
void plan_program_loop(void);

/* Two chains: a -> b and c -> d. */
void plan_program_chains(void);

/* x -> max -> getitem -> relu */
void plan_program_tuple(void);

/* x -> call of a delegate -> getitem -> relu */
void plan_program_delegate(void);

#endif
