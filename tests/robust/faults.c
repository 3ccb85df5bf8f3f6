/* Lets every allocation and every file operation of a small load, and of a small
 * partitioning, and of a rule of a user, fail in turn. Each time there must be a clean
 * error, no memory left behind, and the old file as it was. */
#include "robust/faults.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "delegraph.h"
#include "formats/reader.h"
#include "partition/explain.h"
#include "partition/plan_file.h"
#include "sanitized.h"
#include "store/store.h"
#include "verifiers/user.h"

/* Exit statuses of a child. */
enum { FINE, OUT_OF_MEMORY, REFUSED, NOT_REFUSED, OTHER_FAILURE };

static char in_memory[] = "/dev/shm/delegraph.XXXXXX", on_disk[] = "faults.XXXXXX";
enum { MOST = 200 / ONE_IN }; /* faults of a kind */

static const char target[] = "old.db", old_text[] = "the old store";
static uint8_t input[1 << 16];
static size_t input_size;

static void insist(bool holds, const char *what, long nth, const struct dg_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "fault %ld: %s: %s\n", nth, what, err ? err->text : "");
    abort();
}

static enum dg_status fill(struct dg_store *store, struct dg_error *err)
{
    const struct dg_file file = {
        .path = "input", .bytes = {input, input_size}, .hash = DG_HASH_ALL};
    const struct dg_reader *reader;
    struct dg_program program = {0};
    enum dg_status status = dg_reader_find(&reader, file.bytes, err);

    if (!status)
        status = reader->read(file.bytes, true, &program, err);
    if (!status)
        status = dg_store_add_program(store, &program, &file, err);
    dg_program_clear(&program);
    return status ? status : dg_store_commit(store, err);
}

/* What the command `load` does. */
static enum dg_status load(struct dg_error *err)
{
    struct dg_output output;
    struct dg_store *store = NULL;
    enum dg_status status = dg_output_begin(&output, target, err);

    if (status)
        return status;
    status = dg_store_create_file(&store, output.aside, err);
    if (!status) {
        status = fill(store, err);
        dg_store_close(store);
    }
    return dg_output_finish(&output, status, err);
}

static enum dg_status plan_and_explain(struct dg_store *store, struct dg_error *err)
{
    const struct dg_run_request request = {
        .mode = DG_RUN_AOTI, .artifact = 1, .lower = true, .options = dg_text("{}")};
    const struct dg_explain_request explain = {.artifact = 1};
    struct dg_run run = {0};
    struct dg_explanation explanation = {0};
    struct dg_writer plan = {0};
    enum dg_status status = dg_run(&run, &request, store, err);

    if (!status)
        status = dg_run_store(&run, store, err);
    if (!status)
        status = dg_plan_file_write(&plan, store, run.part_run, DG_PLAN_VERSION,
                                    dg_text("0"), err);
    if (!status)
        status = dg_explain(&explanation, &explain, store, err);
    if (!status)
        status = dg_verify(store, &(struct dg_selection){0}, NULL, NULL, err);
    dg_explanation_clear(&explanation);
    dg_writer_clear(&plan);
    dg_run_clear(&run);
    return status;
}

/* What the command `partition` does, and more of the kind. */
static enum dg_status partition(struct dg_error *err)
{
    struct dg_store *store;
    enum dg_status status = dg_store_create(&store, err);

    if (status)
        return status;
    status = fill(store, err);
    if (!status)
        status = plan_and_explain(store, err);
    dg_store_close(store);
    return status;
}

/* A rule of a user that finds something in each program. */
static enum dg_status find(struct dg_store *store, struct dg_arena *memory,
                           struct dg_error *err)
{
    static const char text[] =
        "-- id: user/x\n-- severity: error\n-- text: t\n"
        "SELECT node_id, printf('%s', name) AS message, json_array(name) AS path"
        "  FROM v_node";
    const struct dg_user_source source = {.path = "x.sql", .seconds = 60};
    const char *only[] = {"user/*"}; /* ours run when a partitioning is checked */
    struct dg_selection selection = {.select = only, .n_select = 1};
    struct dg_rule rule;
    int64_t found = 0;
    enum dg_status status =
        dg_user_rule_read(&rule, dg_text(text), &source, memory, err);

    if (!status)
        status = dg_user_verifier(&selection.user, &rule, 1, memory, err);
    if (!status)
        status = dg_verify(store, &selection, NULL, NULL, err);
    if (!status)
        status =
            dg_store_int(store, "SELECT count(*) FROM finding WHERE rule = 'user/x'", 0,
                         &found, err);
    insist(status || found, "what a rule of a user finds is not lost", 0, err);
    return status;
}

static enum dg_status check_with_rules(struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_store *store;
    enum dg_status status = dg_store_create(&store, err);

    if (status)
        return status;
    status = fill(store, err);
    if (!status)
        status = find(store, &memory, err);
    dg_store_close(store);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status (*command)(struct dg_error *);

static void put_old_file(void)
{
    FILE *file = fopen(target, "w");

    insist(file && fputs(old_text, file) >= 0 && !fclose(file), "write the old file", 0,
           NULL);
}

/* The old text, and nothing beside it: neither a half-written file nor a journal. */
static void expect_old_file_only(long nth)
{
    char text[sizeof(old_text)] = "";
    FILE *file = fopen(target, "r");
    DIR *listing = opendir(".");
    int n_files = 0;

    insist(file && fgets(text, sizeof(text), file) && !strcmp(text, old_text),
           "the old file is as it was", nth, NULL);
    fclose(file);
    while (listing) {
        struct dirent *entry = readdir(listing);

        if (!entry)
            break;
        n_files += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    }
    closedir(listing);
    insist(n_files == 1, "nothing else lies in the folder", nth, NULL);
}

static void leave(void)
{
    dg_output_abandon();
    _exit(OUT_OF_MEMORY);
}

/* In a child, since running out of memory ends the program. Whether a call failed. */
static bool run_in_child(long nth)
{
    int how = 0;
    pid_t child = fork();

    if (!child) {
        struct dg_error err = {0};
        enum dg_status status;

        dg_out_of_memory = leave;
        faults_arm(FAULT_MEMORY, nth, true);
        status = command(&err);
        if (!faults_disarm())
            _exit(status ? OTHER_FAILURE : FINE);
        _exit(status && err.text[0] ? REFUSED : NOT_REFUSED);
    }
    insist(child > 0 && waitpid(child, &how, 0) == child, "fork", nth, NULL);
    insist(WIFEXITED(how), "a failed allocation crashes nothing", nth, NULL);
    how = WEXITSTATUS(how);
    insist(how != NOT_REFUSED, "a failed allocation is an error with text", nth, NULL);
    insist(how != OTHER_FAILURE, "nothing else goes wrong", nth, NULL);
    return how != FINE;
}

static void fail_every_allocation(void)
{
    long nth = 1;

    for (; run_in_child(nth); nth++)
        expect_old_file_only(nth);
    printf("%ld allocations failed\n", nth - 1);
    fflush(stdout);
    put_old_file();
}

/* Whether a call failed. */
static bool run_with(enum fault fault, long nth, bool ever)
{
    struct dg_error err = {0};
    sqlite3_int64 before = sqlite3_memory_used();
    enum dg_status status;
    bool failed;

    faults_arm(fault, nth, ever);
    status = command(&err);
    failed = faults_disarm();
    insist(!status || (err.status == status && err.text[0]), "an error says what", nth,
           &err);
    insist(failed || !status, "nothing else goes wrong", nth, &err);
    insist(!status || command != load || fault != FAULT_SQLITE_FILE ||
               strstr(err.text, target),
           "it is said which file cannot be written", nth, &err);
    insist(sqlite3_memory_used() == before, "no memory is left behind", nth, &err);
    if (status)
        expect_old_file_only(nth);
    else
        put_old_file();
    return failed;
}

/* The library in a process that goes on, whichever allocation fails: it is told, and
 * the next call works. In a child, since what was held is lost. */
static void outlive_every_allocation(const char *path)
{
    int how = 0;
    pid_t child = fork();

    for (long nth = 1; !child; nth++) {
        char text[200] = "";
        int code;
        bool failed;

        faults_arm(FAULT_MEMORY, nth, true);
        code = delegraph_check(path, NULL, NULL, text, sizeof(text));
        failed = faults_disarm();
        if (failed && (code != 5 || !text[0]))
            _exit(NOT_REFUSED);
        if (delegraph_check(path, NULL, NULL, text, sizeof(text)))
            _exit(OTHER_FAILURE);
        if (!failed) {
            printf("%ld allocations failed, and the host went on\n", nth - 1);
            fflush(stdout);
            _exit(nth > 1 ? FINE : NOT_REFUSED);
        }
    }
    insist(child > 0 && waitpid(child, &how, 0) == child, "fork", 0, NULL);
    insist(WIFEXITED(how) && WEXITSTATUS(how) == FINE,
           "a host of the library outlives each failed allocation", 0, NULL);
}

static long count_calls(enum fault fault)
{
    run_with(fault, 0, false);
    return faults_calls();
}

/* Of SQLite's allocations there are thousands, much alike: evenly spread ones fail. */
static void fail_every(enum fault fault, const char *what)
{
    long n = count_calls(fault), step = n / MOST + 1, n_failed = 0;

    for (int ever = 0; ever < 2; ever++) {
        for (long nth = 1; nth <= n; nth += step)
            n_failed += run_with(fault, nth, ever);
    }
    printf("%ld of %ld %s failed, alone and with all that follow\n", n_failed / 2, n,
           what);
    fflush(stdout);
}

static const char *path_of(const char *name)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("top_srcdir"), name);
    return path;
}

static void read_input(const char *name)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "rb");

    insist(file, path, 0, NULL);
    input_size = fread(input, 1, sizeof(input), file);
    fclose(file);
}

/* Thousands of files come and go: in memory, where there is such a place. */
static const char *enter_folder(void)
{
    const char *folder = mkdtemp(in_memory);

    if (!folder)
        folder = mkdtemp(on_disk);
    insist(folder && !chdir(folder), "make a folder", 0, NULL);
    return folder;
}

int main(void)
{
    static const struct {
        const char *file;
        enum dg_status (*command)(struct dg_error *);
    } runs[] = {{"control_flow_delegated.pte", load},
                {"unicode_names.pt2", load},
                {"cond_tagged.pt2", partition},
                {"mlp.pt2", check_with_rules}};

    char *start = getcwd(NULL, 0);
    const char *folder = enter_folder();

    faults_install();
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
        read_input(runs[i].file);
        command = runs[i].command;
        puts(runs[i].file);
        fflush(stdout); /* before children inherit it */
        put_old_file();
        fail_every_allocation();
        fail_every(FAULT_SQLITE_MEMORY, "allocations of SQLite");
        fail_every(FAULT_SQLITE_FILE, "file operations of SQLite");
    }
    outlive_every_allocation(path_of("tiny.pte"));
    unlink(target);
    insist(start && !chdir(start) && !rmdir(folder), "clean up", 0, NULL);
    free(start);
    return EXIT_SUCCESS;
}
