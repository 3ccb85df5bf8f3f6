/* What is learnt of native code, as records of one size whose texts are places in it: a
 * child process writes them, and whoever started it makes rows of them. */
#ifndef DG_FORMATS_LIBRARY_FACTS_H
#define DG_FORMATS_LIBRARY_FACTS_H

#include "base/error.h"
#include "base/text.h"

enum dg_fact_kind {
    DG_FACT_OBJECT,  /* a shared object; numbers: machine, bytes of constants inside,
                      * bytes of weights that it says it has outside; -1: unknown. texts:
                      * soname, build id as bytes */
    DG_FACT_NEED,    /* of a library; texts: its name */
    DG_FACT_VERSION, /* of symbols; flags: DG_SYMBOL_WEAK; texts: its name, the library
                      * that must have it */
    DG_FACT_SYMBOL,  /* flags: DG_SYMBOL_*; texts: its name, its version */
    DG_FACT_CODE,    /* for a GPU; flags: enum dg_gpu_format, letter of the architecture
                      * << 8, DG_CODE_COMPRESSED; numbers: architecture or -1, offset,
                      * bytes, version of PTX (major << 16 | minor) or -1. texts: name */
    DG_FACT_BINARY,  /* what follows is code of another fat binary */
    DG_FACT_KERNEL,  /* of the code before it; numbers: registers, shared memory, stack:
                      * bytes, -1: unknown. texts: its name */
    DG_FACT_FILE,    /* what follows is of that one; numbers[0]: which */
    DG_FACT_FAULT,   /* flags: enum dg_fault; numbers[0]: bytes of a message, which the
                      * next   records hold */
    DG_N_FACT_KINDS,
};

enum { DG_SYMBOL_UNDEFINED = 1, DG_SYMBOL_WEAK = 2 };
enum { DG_OBJECT_HAS_SYMBOLS = 1, DG_OBJECT_WEIGHTS_APPENDED = 2 };
enum dg_fault {
    DG_FAULT_REFUSED, /* a loader or a driver does not take it */
    DG_FAULT_UNREAD,  /* loaders do not look at it, and we do */
};
enum dg_gpu_format { DG_GPU_CUBIN, DG_GPU_PTX, DG_GPU_AMD, DG_N_GPU_FORMATS };
enum { DG_CODE_COMPRESSED = 1 << 16 };

struct dg_library_place { /* of bytes in the file; size 0: there are none */
    uint64_t offset, size;
};

struct dg_library_fact {
    uint32_t kind, flags;
    int64_t numbers[4];
    struct dg_library_place texts[2];
};

void dg_fact_write(struct dg_writer *facts, const struct dg_library_fact *fact);
void dg_fact_write_fault(struct dg_writer *facts, const struct dg_error *err,
                         enum dg_fault fault);

/* All of the code that begins at file.data: a shared object with the GPU code inside of
 * it, or GPU code alone. What cannot be read is a fault among the facts. Where it lies
 * in a longer file is not known here: places count from the start of `file`. */
void dg_library_facts(struct dg_bytes file, struct dg_writer *facts);

/* The two halves of dg_libraries_read(): what the child does for each file, and what is
 * done with its answer; of how many files it tells. */
struct dg_libraries;
void dg_libraries_facts(const struct dg_libraries *libraries, size_t index,
                        struct dg_writer *facts);
size_t dg_libraries_take(const struct dg_libraries *libraries, struct dg_text facts);

/* What is wrong with a file, as a remark of the rule for that. */
struct dg_library_file;
struct dg_program;
void dg_library_remark(struct dg_program *program, const struct dg_library_file *file,
                       enum dg_fault fault, struct dg_text text);

/* GPU code at `place`, if it is any; `name` is that of its symbol. */
void dg_gpu_facts(struct dg_bytes file, struct dg_library_place place,
                  struct dg_library_place name, struct dg_writer *facts);
bool dg_is_gpu_code(struct dg_bytes code);

/* PTX at `place` (library_ptx.c). */
void dg_ptx_facts(struct dg_bytes file, struct dg_library_place place,
                  struct dg_library_place name, struct dg_writer *facts);
bool dg_is_ptx(struct dg_bytes code);

/* ELF (library_bounds.c). Whether every table and section lies inside, with entries of
 * the size that its class has, and strings that end: libelf reads only what passed. And
 * whether every segment does. */
enum dg_status dg_elf_check_sections(struct dg_bytes file, struct dg_error *err);
enum dg_status dg_elf_check_segments(struct dg_bytes file, struct dg_error *err);
bool dg_is_elf(struct dg_bytes file);

#endif
