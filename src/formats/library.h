/* Native code that AOTInductor compiled, as rows: shared objects, and code for GPUs. It
 * is read by libelf, in a process of its own; nothing of it is executed. */
#ifndef DG_FORMATS_LIBRARY_H
#define DG_FORMATS_LIBRARY_H

#include "store/program.h"

/* Those of one file, which are read together: a process is started once. Start from
 * {.program, .effort}. */
struct dg_libraries {
    struct dg_program *program;
    uint64_t effort; /* bytes that may still be looked at: libraries may overlap */
    bool exhausted;  /* no, they may not */
    struct dg_library_file {
        struct dg_text name;
        struct dg_bytes bytes;
        int64_t file_offset, row;
        /* Bytes of its constants, side by side and each aligned, where a list has them;
         * else DG_NONE. */
        int64_t listed, listed_aligned;
    } * files;
    size_t n_files;
};

/* Adds what `name` (an entry of an archive, a key of named data; UTF-8) leads to, if it
 * begins as a shared object or GPU code does; it lies at `file_offset` of the file, or
 * DG_NONE. Its row of `libraries`, or DG_NONE: it has none. */
int64_t dg_libraries_add(struct dg_libraries *libraries, struct dg_text name,
                         struct dg_bytes bytes, int64_t file_offset);

/* Adds rows of all that was added, and forgets it. What cannot be read is a remark;
 * DG_ERR_IO: no process can be started to read it. */
enum dg_status dg_libraries_read(struct dg_libraries *libraries, struct dg_error *err);

/* Those among the named data of a program, whose segments `file` has. */
enum dg_status dg_libraries_of_named_data(struct dg_program *program,
                                          struct dg_bytes file, struct dg_error *err);

#endif
