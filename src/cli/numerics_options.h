/* --numerics: running what is checked, and what it is held to. */
#ifndef DG_CLI_NUMERICS_OPTIONS_H
#define DG_CLI_NUMERICS_OPTIONS_H

#include "cli/options.h"
#include "exec/compare.h"

struct dg_numerics_options {
    bool run;
    struct dg_list inputs, expected; /* files of values, one for each call */
    struct dg_limits limits;         /* starts as DG_NO_LIMITS */
};

/* Lines for a table of options; `field` is the dg_limits in struct `type`. */
#define DG_TOLERANCE_OPTIONS(type, field)                                              \
    {DG_OPTION_REAL,                                                                   \
     "rtol",                                                                           \
     0,                                                                                \
     "R",                                                                              \
     offsetof(type, field.rtol),                                                       \
     "pass by |difference| <= A + R * |expected|, not by the policy"},                 \
        {DG_OPTION_REAL,                                                               \
         "atol",                                                                       \
         0,                                                                            \
         "A",                                                                          \
         offsetof(type, field.atol),                                                   \
         "the same; what is not given is 0"},                                          \
    {                                                                                  \
        DG_OPTION_REAL, "min-snr", 0, "DB", offsetof(type, field.min_snr),             \
            "pass by an SNR of so many dB, not by the policy"                          \
    }

/* The same; `field` is the dg_numerics_options. */
#define DG_NUMERICS_OPTIONS(type, field)                                               \
    {DG_OPTION_FLAG,                                                                   \
     "numerics",                                                                       \
     0,                                                                                \
     NULL,                                                                             \
     offsetof(type, field.run),                                                        \
     "run it, too: hold outputs to those of --program, or --expected"},                \
        {DG_OPTION_FILES,                                                              \
         "inputs",                                                                     \
         0,                                                                            \
         "FILE",                                                                       \
         offsetof(type, field.inputs),                                                 \
         "with --numerics: values of one call, as of run; repeatable"},                \
        {DG_OPTION_FILES,                                                              \
         "expected",                                                                   \
         0,                                                                            \
         "FILE",                                                                       \
         offsetof(type, field.expected),                                               \
         "with --numerics: what that call should give; repeatable"},                   \
        DG_TOLERANCE_OPTIONS(type, field.limits)

#endif
