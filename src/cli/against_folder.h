/* --against OLD, a folder, held to all programs together. */
#ifndef DG_CLI_AGAINST_FOLDER_H
#define DG_CLI_AGAINST_FOLDER_H

#include "cli/check_file.h"

/* Find, once all were looked at, programs that are compared with an older program that
 * another one is compared with, too: budget/same-old. O(files). */
enum dg_status dg_against_folder_judge(const struct dg_gate *gate,
                                       struct dg_check_file *files, size_t n_files,
                                       struct dg_error *err);

#endif
