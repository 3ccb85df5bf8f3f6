/* Functions of a library that is loaded when something is asked of it: linked, it and
 * all that it brings would be part of the start of every command. */
#ifndef DG_BASE_SYMBOLS_H
#define DG_BASE_SYMBOLS_H

#include <stddef.h>

#include "base/error.h"

struct dg_symbol {
    const char *name;
    void *pointer; /* gets the address: to a pointer to a function or an object */
};

/* An entry of a list of symbols, and the member that it fills. */
#define DG_SYMBOL(name, table)                                                         \
    {                                                                                  \
#name, &(table)->name                                                          \
    }
#define DG_SYMBOL_POINTER(name) __typeof__(name) *name;

/* All `n` of them, of the library `soname` and those that it needs. DG_ERR_DEVICE where
 * one is missing; `who` says what could not be loaded, and which package has it. The
 * library stays loaded. */
enum dg_status dg_load_symbols(const char *soname, const char *who,
                               const struct dg_symbol *symbols, size_t n,
                               struct dg_error *err);

#endif
