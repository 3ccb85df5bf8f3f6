/* An end for work that cannot be interrupted. */
#ifndef DG_CLI_WATCHDOG_H
#define DG_CLI_WATCHDOG_H

/* `seconds` from now (0: never) the program says `message`, removes unfinished files
 * and exits with 4, whatever it is doing. The message is for good. */
void dg_watchdog(double seconds, const char *message);

#endif
