/* threads DATA: several threads use the library at once, each with programs and graphs
 * of its own, and all get what one thread gets. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delegraph.h"

enum { THREADS = 4, MOST_FILES = 400, CHAIN = 1000 };

static char *files[MOST_FILES];
static size_t n_files;

/* What a thread found in all files, as one number. */
struct worker {
    pthread_t thread;
    size_t first; /* the file to begin with */
    unsigned long sums[MOST_FILES];
};

static unsigned long mix(unsigned long sum, const char *text)
{
    for (; text && *text; text++)
        sum = sum * 31 + (unsigned char)*text;
    return sum;
}

static int see_finding(void *context, const struct delegraph_finding *finding)
{
    unsigned long *sum = context;

    *sum = mix(mix(mix(*sum, finding->rule), finding->node), finding->message);
    return 0;
}

static int see_row(void *context, unsigned n_columns, const char *const *names,
                   const struct delegraph_cell *cells)
{
    unsigned long *sum = context;

    for (unsigned i = 0; i < n_columns; i++)
        *sum =
            cells ? *sum * 31 + (unsigned long)cells[i].integer : mix(*sum, names[i]);
    return 0;
}

static unsigned long ask(const char *path)
{
    struct delegraph_program *program;
    char error[500] = "";
    unsigned long sum = 0;

    if (delegraph_open(&program, path, error, sizeof(error)))
        return mix(1, error);
    if (delegraph_findings(program, see_finding, &sum, error, sizeof(error)) ||
        delegraph_query(program,
                        "SELECT count(*), sum(idx), kind FROM node GROUP BY kind", 60,
                        see_row, &sum, error, sizeof(error)))
        sum = mix(sum, error);
    delegraph_close(program);
    return sum;
}

/* A chain with a call that is not supported in every tenth place. */
static unsigned long partition(void)
{
    unsigned input_of[CHAIN + 1], inputs[CHAIN], user_of[CHAIN + 1], users[CHAIN];
    unsigned ids[CHAIN], begins[CHAIN + 1], nodes[CHAIN];
    unsigned char marks[CHAIN], moved[CHAIN];
    struct delegraph_graph graph = {.n_nodes = CHAIN,
                                    .input_of = input_of,
                                    .inputs = inputs,
                                    .user_of = user_of,
                                    .users = users,
                                    .marks = marks};
    struct delegraph_partitions found = {
        .ids = ids, .begins = begins, .nodes = nodes, .moved = moved};
    char error[500] = "";

    for (unsigned i = 0; i < CHAIN; i++) {
        marks[i] = DELEGRAPH_CALL | (i % 10 ? DELEGRAPH_SUPPORTED : 0);
        input_of[i] = i ? i - 1 : 0;
        user_of[i] = i;
        inputs[i] = i;
        users[i] = i + 1;
    }
    input_of[CHAIN] = user_of[CHAIN] = CHAIN - 1;
    if (delegraph_partition(&graph, DELEGRAPH_CAPABILITY, 1, &found, error,
                            sizeof(error)))
        return mix(1, error);
    return found.n_partitions;
}

static void *work(void *context)
{
    struct worker *worker = context;

    for (size_t i = 0; i < n_files; i++) {
        size_t file = (worker->first + i) % n_files;

        worker->sums[file] = ask(files[file]) * 31 + partition();
    }
    return NULL;
}

static int is_program(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return end && (!strcmp(end, ".pt2") || !strcmp(end, ".pte"));
}

static void find_files(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_program, alphasort);

    for (int i = 0; i < n; i++) {
        size_t size = strlen(folder) + strlen(entries[i]->d_name) + 2;

        if (n_files < MOST_FILES) {
            files[n_files] = malloc(size);
            snprintf(files[n_files++], size, "%s/%s", folder, entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

int main(void)
{
    static struct worker alone, workers[THREADS];
    const char *top = getenv("top_srcdir");
    char folder[4000];
    int n_differ = 0;

    snprintf(folder, sizeof(folder), "%s/tests/data", top ? top : ".");
    find_files(folder);
    work(&alone);
    for (size_t t = 0; t < THREADS; t++) {
        workers[t].first = t * n_files / THREADS / 2;
        if (pthread_create(&workers[t].thread, NULL, work, &workers[t]))
            return 99;
    }
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(workers[t].thread, NULL);
        for (size_t i = 0; i < n_files; i++) {
            if (workers[t].sums[i] == alone.sums[i])
                continue;
            printf("%s: another answer in thread %zu\n", files[i], t);
            n_differ++;
        }
    }
    printf("%zu files, %d threads: %d answers differ\n", n_files, THREADS, n_differ);
    for (size_t i = 0; i < n_files; i++)
        free(files[i]);
    return n_files < 100 || n_differ;
}
