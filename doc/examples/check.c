/* check FILE...: what delegraph finds in each, and how many there are. */
#include <delegraph.h>
#include <stdio.h>
#include <string.h>

static int show(void *context, const struct delegraph_finding *finding)
{
    int *n_errors = context;

    *n_errors += !strcmp(finding->severity, "error");
    printf("  %s %s %s: %s\n", finding->severity, finding->rule,
           finding->node ? finding->node : "-", finding->message);
    return 0;
}

int main(int argc, char **argv)
{
    int n_errors = 0, code = 0;

    for (int i = 1; i < argc && !code; i++) {
        char error[500];

        printf("%s\n", strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i]);
        code = delegraph_check(argv[i], show, &n_errors, error, sizeof(error));
        if (code)
            printf("  cannot be read: %s\n", strrchr(error, ':') + 2);
    }
    printf("%d errors\n", n_errors);
    return code ? code : n_errors > 0;
}
