/* Names of unfinished files, and those that killed processes left beside an output. */
#ifndef DG_BASE_OUTPUT_STALE_H
#define DG_BASE_OUTPUT_STALE_H

#include <stdbool.h>

/* Remove those beside `path` whose process is dead and whose lock nobody holds. */
void dg_output_remove_stale(const char *path);

/* How much of the name of a file that is written aside is that which it will have; of
 * another file all. */
int dg_output_final(const char *path);

/* Hold a new file until it is closed; false: another process removed it just now. */
bool dg_output_lock(int file);

#endif
