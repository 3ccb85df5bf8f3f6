/* What the rules about native code share. */
#ifndef DG_VERIFIERS_LIBRARY_PARTS_H
#define DG_VERIFIERS_LIBRARY_PARTS_H

#include "verifiers/data_parts.h"

/* clang-format off */

/* In a package without the folder of all libraries; and without most of a digest. */
#define SHORT_NAME(name)                                                               \
    "(SELECT " SHORT("base") " FROM (SELECT substr(" name ", iif(instr(" name ","      \
    "  'data/aotinductor/'), instr(" name ", 'data/aotinductor/') + 17, 1)) AS base))"

/* clang-format on */

/* library_needs.c */
extern const char dg_library_need_query[];

#endif
