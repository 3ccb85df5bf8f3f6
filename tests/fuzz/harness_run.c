/* A mutant of the harness, and the verbs that run on it in this process. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "fuzz/harness.h"
#include "fuzz/mutate.h"

enum { MOST_FILES = 512, MOST_WORDS = 32, LARGEST_FILE = 1 << 20 };

struct seed {
    const char *path, *base; /* base: its name without folders */
    size_t kind;
    const char *partner; /* a program that it belongs to */
    struct dg_writer content;
};

static struct seed seeds[MOST_FILES];
static size_t n_seeds, n_of_kind[MOST_KINDS];

static const char *ending_of(const char *path, const char *endings)
{
    size_t size = strlen(path);

    for (const char *at = endings; *at; at = strchr(at, ' ') + 1) {
        size_t n = strcspn(at, " ");

        if (size > n && !memcmp(path + size - n, at, n))
            return path + size - n;
    }
    return NULL;
}

static bool read_whole(const char *path, struct dg_writer *content)
{
    static char buffer[LARGEST_FILE + 1];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(buffer, 1, sizeof(buffer), file) : 0;

    if (file)
        fclose(file);
    if (n && n <= LARGEST_FILE)
        dg_write(content, buffer, n);
    return content->size != 0;
}

/* What is left out is not fuzzed, and nobody knows. */
static void refuse(const char *path, const char *why)
{
    fprintf(stderr, "harness: %s: %s\n", path, why);
    exit(2);
}

static void read_file(const char *path)
{
    struct seed *seed = &seeds[n_seeds];
    const char *slash = strrchr(path, '/');

    for (size_t kind = 0; mutant_kinds[kind].name; kind++) {
        if (!ending_of(path, mutant_kinds[kind].endings))
            continue;
        *seed = (struct seed){path, slash ? slash + 1 : path, kind, NULL, {0}};
        if (n_seeds == MOST_FILES || !read_whole(path, &seed->content))
            refuse(path, "too many files, or empty, or too large");
        n_seeds++;
        n_of_kind[kind]++;
        return;
    }
}

/* The program whose name the seed's name goes on from. */
static void find_partner(struct seed *seed)
{
    size_t longest = 0;

    for (size_t i = 0; i < n_seeds; i++) {
        const char *ending = ending_of(seeds[i].base, mutant_program_endings);
        size_t n = ending ? (size_t)(ending - seeds[i].base) : 0;

        if (n > longest && !strncmp(seeds[i].base, seed->base, n)) {
            longest = n;
            seed->partner = seeds[i].path;
        }
    }
    if (!seed->partner)
        seed->partner = "tests/data/mlp.pt2";
}

void harness_read_files(char **paths, size_t n)
{
    for (size_t i = 0; i < n; i++)
        read_file(paths[i]);
    for (size_t kind = 0; mutant_kinds[kind].name; kind++) {
        if (!n_of_kind[kind])
            refuse(mutant_kinds[kind].name, "no file of this kind");
    }
    for (size_t i = 0; i < n_seeds; i++)
        find_partner(&seeds[i]);
}

/* Every kind as often as another, then every file of it. */
static const struct seed *choose_seed(struct mutation *m)
{
    size_t kind, n = 0;

    do
        kind = mutate_random(m, MOST_KINDS);
    while (!n_of_kind[kind]);
    n = mutate_random(m, n_of_kind[kind]);
    for (size_t i = 0;; i++) {
        if (seeds[i].kind == kind && !n--)
            return &seeds[i];
    }
}

static struct mutation begin(const struct job *job)
{
    struct mutation m = {harness.seed * 0x9e3779b97f4a7c15 + job->mutant * 0x2545f491};

    mutate_random(&m, 0);
    return m;
}

/* "N.pte" beside the job's folder, or "N" itself. */
static void path_of(const struct job *job, const char *ending, char *path, size_t room)
{
    snprintf(path, room, "%s/%zu%s", harness.folder, job->number, ending);
}

static void write_file(const char *path, const struct dg_writer *content)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(content->data, 1, content->size, file) != content->size) {
        perror(path);
        _exit(5);
    }
    fclose(file);
}

/* The mutant's bytes, and with `to` where they were written. */
static const struct seed *make(const struct job *job, struct mutation *m,
                               struct dg_writer *content)
{
    const struct seed *seed;

    *m = begin(job);
    seed = choose_seed(m);
    dg_write_text(content, dg_written(&seed->content));
    mutate(m, content);
    return seed;
}

void harness_open_folder(void)
{
    struct stat state;

    snprintf(harness.folder, sizeof(harness.folder), "%s/delegraph-XXXXXX",
             stat("/dev/shm", &state) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(harness.folder)) {
        perror(harness.folder);
        exit(5);
    }
}

void harness_open_job(struct job *job)
{
    char folder[256];

    job->out = memfd_create("out", 0);
    job->err = memfd_create("err", 0);
    path_of(job, "", folder, sizeof(folder));
    mkdir(folder, 0700);
}

static int remove_one(const char *path, const struct stat *state, int type,
                      struct FTW *place)
{
    (void)state, (void)type, (void)place;
    return remove(path);
}

void harness_close_folder(void)
{
    nftw(harness.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void empty(int file)
{
    if (ftruncate(file, 0))
        _exit(5);
    lseek(file, 0, SEEK_SET);
}

/* Words of a line; @, % and # stand for what HARNESS_COMMANDS says. */
static int split(char *line, char **words)
{
    int n = 0;

    for (char *at = line; *at && n < MOST_WORDS - 1;) {
        char quote = *at == '\'' ? '\'' : ' ';

        at += quote == '\'';
        words[n++] = at;
        at += strcspn(at, (const char[]){quote, 0});
        while (*at == quote || *at == ' ')
            *at++ = '\0';
    }
    words[n] = NULL;
    return n;
}

static void expand(struct job *job, const char *command, const char *mutant,
                   const char *partner, const char *folder)
{
    struct dg_writer out = {0};

    for (; *command; command++) {
        const char *name = *command == '@'                        ? mutant
                           : *command == '%'                      ? partner
                           : *command == '#' && command[1] == '/' ? folder
                                                                  : NULL;

        /* @kernels is a named query */
        if (name && (*command != '@' || !command[1] || command[1] == ' '))
            dg_print(&out, "%s", name);
        else
            dg_write(&out, command, 1);
    }
    snprintf(job->line, sizeof(job->line), "%s", out.data);
    dg_writer_clear(&out);
}

static int run_line(const char *line)
{
    char copy[512], *words[MOST_WORDS];
    int n;

    snprintf(copy, sizeof(copy), "%s", line);
    n = split(copy, words);
    for (const struct dg_command *const *command = dg_commands; *command; command++) {
        if (!strcmp((*command)->name, words[0]))
            return (*command)->run(n, words);
    }
    return DG_EXIT_USAGE;
}

/* Names that no mutant kept, kinds that a verb is not for, and mistakes in a file that
 * a user writes by hand, are no fault. */
static bool may_be_usage(const char *line)
{
    static const char *const reasons[] = {
        "show ",      "devices ",       "--against ",   "--bisect", "--isolate",
        "--program ", ".baseline.json", ".policy.yaml", "trend ",   "--fleet"};

    for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
        if (strstr(line, reasons[i]))
            return true;
    }
    return !strstr(line, ".pt2") && (dg_text_begins(dg_text(line), "partition ") ||
                                     dg_text_begins(dg_text(line), "explain "));
}

/* A run ends with its process elsewhere, and the timer of a query with it. */
static void run_one(struct job *job, size_t kind, size_t command)
{
    clock_t began = clock();
    int code;

    empty(job->out);
    empty(job->err);
    dup2(job->out, STDOUT_FILENO);
    dup2(job->err, STDERR_FILENO);
    code = run_line(job->line);
    fflush(NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    if (code < 0 || code >= EXIT_CODES)
        code = DG_EXIT_INTERNAL;
    __atomic_add_fetch(&harness.shared->exits[kind][command][code], 1,
                       __ATOMIC_RELAXED);
    __atomic_add_fetch(&harness.shared->microseconds[kind][command],
                       (uint64_t)(clock() - began) * 1000000 / CLOCKS_PER_SEC,
                       __ATOMIC_RELAXED);
    __atomic_add_fetch(&harness.shared->runs, 1, __ATOMIC_RELAXED);
    job->done++;
    if (code == DG_EXIT_INTERNAL || (code == DG_EXIT_USAGE && !may_be_usage(job->line)))
        harness_keep(job, code == DG_EXIT_USAGE ? "exit 2" : "exit 5");
    else if (harness_finds_control(job->out) || harness_finds_control(job->err))
        harness_keep(job, "raw control character");
}

void harness_run_mutant(struct job *job)
{
    struct dg_writer content = {0};
    struct mutation m;
    const struct seed *seed = make(job, &m, &content);
    const char *const *commands = mutant_kinds[seed->kind].commands;
    char path[256], folder[256];
    size_t n = 0;

    job->line[0] = '\0';
    path_of(job, ending_of(seed->base, mutant_kinds[seed->kind].endings), path,
            sizeof(path));
    path_of(job, "", folder, sizeof(folder));
    write_file(path, &content);
    dg_writer_clear(&content);
    while (commands[n])
        n++;
    for (size_t i = 0; i < COMMANDS_OF_A_MUTANT; i++) {
        size_t command = mutate_random(&m, n);

        if (i < job->command)
            continue;
        job->command = i;
        expand(job, commands[command], path, seed->partner, folder);
        run_one(job, seed->kind, command);
    }
    unlink(path);
}

static void copy_stream(int file, FILE *to)
{
    char buffer[4096];
    ssize_t n;

    for (off_t at = 0; (n = pread(file, buffer, sizeof(buffer), at)) > 0; at += n)
        fwrite(buffer, 1, (size_t)n, to);
}

void harness_keep(struct job *job, const char *why)
{
    struct dg_writer content = {0};
    struct mutation m;
    const struct seed *seed = make(job, &m, &content);
    char path[512];
    FILE *file;

    __atomic_add_fetch(&harness.shared->failures, 1, __ATOMIC_RELAXED);
    snprintf(path, sizeof(path), "%s/%llu-%llu%s", harness.work,
             (unsigned long long)harness.seed, (unsigned long long)job->mutant,
             ending_of(seed->base, mutant_kinds[seed->kind].endings));
    write_file(path, &content);
    dg_writer_clear(&content);
    snprintf(path + strlen(path), sizeof(path) - strlen(path), ".%zu.txt",
             job->command);
    file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "%s\n%s\nfrom %s\n", why, job->line, seed->path);
    copy_stream(job->err, file);
    if (!strncmp(why, "raw", 3))
        copy_stream(job->out, file);
    fclose(file);
}
