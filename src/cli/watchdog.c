/* An end for work that cannot be interrupted. */
#include "cli/watchdog.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/command.h"

static const char *last_words;

static void on_alarm(int number)
{
    ssize_t written = write(STDERR_FILENO, last_words, strlen(last_words));

    (void)number;
    (void)written;
    dg_output_abandon();
    _exit(DG_EXIT_CAPABILITY);
}

void dg_watchdog(double seconds, const char *message)
{
    const double longest = 1e8; /* three years */
    double whole = floor(fmin(seconds, longest));
    struct itimerval timer = {
        .it_value = {(time_t)whole,
                     (suseconds_t)((fmin(seconds, longest) - whole) * 1e6)}};
    struct sigaction action = {.sa_handler = on_alarm};
    sigset_t alarm_only;

    last_words = message;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}
