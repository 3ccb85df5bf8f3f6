/* check --explain-config: what a policy asks of programs. */
#ifndef DG_CLI_EXPLAIN_CONFIG_H
#define DG_CLI_EXPLAIN_CONFIG_H

#include "cli/file_words.h"
#include "cli/gate.h"

/* Write one document of YAML for each program to `output` (NULL: standard output), of a
 * store for each that it holds; without words, the whole policy. The exit code. */
int dg_explain_config(const struct dg_gate *gate, const struct dg_file_words *words,
                      const char *output);

#endif
