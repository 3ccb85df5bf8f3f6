/* Public interface of libdelegraph: check a lowered PyTorch program. */
#ifndef DELEGRAPH_H
#define DELEGRAPH_H

#ifdef __cplusplus
extern "C" {
#endif

/* What was found: each text lives until the visit returns. Absent texts are NULL. */
struct delegraph_finding {
    const char *rule;     /* "memory/no-live-overlap" */
    const char *severity; /* "error", "warning", "note" */
    const char *method, *graph, *node, *value;
    const char *message;
};

/* Called once per finding; another value than 0 ends the visit. */
typedef int delegraph_visit_fn(void *context, const struct delegraph_finding *finding);

/* Load the program at `path` and run every rule over it. Returns 0, or the exit code
 * that the command line would give: 3 unreadable input, 5 internal error; `error`, if
 * not NULL, receives up to `error_size` bytes of text, always ended with NUL.
 * Where memory runs out it returns 5 and "out of memory"; memory and descriptors that
 * it held by then stay with the process. Several threads may call it at once. */
int delegraph_check(const char *path, delegraph_visit_fn *visit, void *context,
                    char *error, unsigned long error_size);

/* "0.1.0" */
const char *delegraph_version(void);

#ifdef __cplusplus
}
#endif
#endif
