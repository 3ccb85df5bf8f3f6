/* Files of a command line beyond its words: lists of them, and folders. */
#ifndef DG_CLI_FILE_WORDS_H
#define DG_CLI_FILE_WORDS_H

#include "base/arena.h"
#include "cli/options.h"

struct dg_file_words {
    char **paths; /* in an arena */
    size_t n_paths;
};

/* A word "@LIST" is the files that LIST names, one on each line ("@-": standard input);
 * each of `folders` is the programs in it and below, in order of their names. Links to
 * folders are not followed. Fails where one of them names no file, and where one is a
 * file that will be written. */
enum dg_status dg_file_words_read(struct dg_file_words *words, char **given,
                                  size_t n_given, const struct dg_list *folders,
                                  struct dg_arena *memory, struct dg_error *err);

/* The name of a file in whichever spelling of its folder. What is behind links does not
 * count: programs may be stored once for all that are equal. */
struct dg_text dg_file_identity(const char *path, struct dg_arena *memory);

#endif
