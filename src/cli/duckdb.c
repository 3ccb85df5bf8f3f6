#define _GNU_SOURCE
#include "cli/duckdb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_MODULE = 69 }; /* what Python exits with */

static const char module[] = "import sys\n"
                             "try:\n"
                             "    import duckdb\n"
                             "except ImportError:\n"
                             "    sys.exit(69)\n"
                             "try:\n"
                             "    duckdb.execute(sys.stdin.read())\n"
                             "except duckdb.Error as error:\n"
                             "    sys.exit(str(error))\n";

/* Its exit code; 127: there is no such command. What it says goes to `words`. */
static int run(const char *const *command, const char *folder, FILE *statements,
               FILE *words)
{
    pid_t pid = fork();
    int state = 0;

    if (!pid) {
        lseek(fileno(statements), 0, SEEK_SET);
        if (chdir(folder) || dup2(fileno(statements), STDIN_FILENO) < 0 ||
            dup2(fileno(words), STDOUT_FILENO) < 0 ||
            dup2(fileno(words), STDERR_FILENO) < 0)
            _exit(127);
        execvp(command[0], (char *const *)command);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &state, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(state) ? WEXITSTATUS(state) : 128;
}

static enum dg_status tell(FILE *words, struct dg_error *err)
{
    char text[300];
    size_t n;

    rewind(words);
    n = fread(text, 1, sizeof(text) - 1, words);
    text[n] = '\0';
    return dg_fail(err, DG_ERR_DEVICE, "DuckDB did not write Parquet: %.*s",
                   (int)strcspn(text, "\n"), text);
}

static enum dg_status run_any(const char *folder, FILE *statements, FILE *words,
                              struct dg_error *err)
{
    static const char *const commands[][4] = {{"duckdb", "-bail", "-batch", NULL},
                                              {"python3", "-c", module, NULL}};

    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
        int code = run(commands[i], folder, statements, words);

        if (!code)
            return DG_OK;
        if (code != 127 && code != NO_MODULE)
            return tell(words, err);
    }
    return dg_fail(err, DG_ERR_DEVICE,
                   "Parquet is written by DuckDB, and neither its command duckdb nor"
                   " Python's module is here (pip install duckdb); csv and jsonl take"
                   " nothing");
}

enum dg_status dg_duckdb_run(const char *folder, struct dg_text sql,
                             struct dg_error *err)
{
    FILE *statements = tmpfile(), *words = tmpfile();
    enum dg_status status;

    if (statements && words && fwrite(sql.data, 1, sql.size, statements) == sql.size &&
        !fflush(statements))
        status = run_any(folder, statements, words, err);
    else
        status = dg_fail(err, DG_ERR_IO, "cannot make a file: %s", strerror(errno));
    if (statements)
        fclose(statements);
    if (words)
        fclose(words);
    return status;
}
