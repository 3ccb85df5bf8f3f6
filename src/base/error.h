/* Failures of the toolkit itself. Flaws of a program are findings, not errors. */
#ifndef DG_BASE_ERROR_H
#define DG_BASE_ERROR_H

enum dg_status {
    DG_OK = 0,
    DG_ERR_IO = -1,      /* the system refused, or delegraph itself failed: exit 5 */
    DG_ERR_FORMAT = -2,  /* the input is missing, or not what it claims to be: exit 3 */
    DG_ERR_DEVICE = -3,  /* a capability is missing on this machine: exit 4 */
    DG_ERR_USAGE = -4,   /* the user asked for what does not exist: exit 2 */
    DG_ERR_STOPPED = -5, /* a limit ended the work: exit 4 */
};

/* What went wrong, in words for the user. Start from {0}. */
struct dg_error {
    enum dg_status status;
    char text[512];
};

/* Fill `err` and return `status`, so that callers can `return dg_fail(...)`. */
enum dg_status dg_fail(struct dg_error *err, enum dg_status status, const char *fmt,
                       ...) __attribute__((format(printf, 3, 4)));

#endif
