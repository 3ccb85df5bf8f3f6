/* Cuts one file of each format at every byte and flips every byte of it. Nothing may
 * crash, and every refusal must say why. Each variant is read; the store and the rules
 * see some of those that load, evenly spread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "robust/swallow.h"

static const char *const files[] = {
    "tiny.pte",
    "control_flow_delegated.pte",
    "external_tagged_weights.ptd",
    "profiled_trace.etdp",
    "unicode_names.pt2",
    "deflated.pt2",
    "old_layout_outputs.pt2",
    "edge_exir_cond.pt2",
    "lowered_cond_exir.pt2",
};
enum { N_FILES = sizeof(files) / sizeof(*files), VARIANTS = 3, CHECKED = 96 };

/* What is being tried, in memory that outlives a crash of the child that tries it. */
struct trial {
    size_t size; /* of the variant */
    size_t at;   /* of the flipped byte */
    uint8_t pattern;
    size_t n_tried, n_loaded, n_checked;
    size_t next; /* before so many were tried, none is checked */
};

struct original {
    uint8_t *bytes;
    size_t size;
};

static struct trial *trial;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static struct original read_file(const char *name)
{
    static uint8_t buffer[1 << 17];
    struct original file;
    char path[4096];
    FILE *stream;

    snprintf(path, sizeof(path), "%s/tests/data/%s", getenv("top_srcdir"), name);
    stream = fopen(path, "rb");
    if (!stream) {
        perror(path);
        exit(99);
    }
    file.size = fread(buffer, 1, sizeof(buffer), stream);
    fclose(stream);
    file.bytes = malloc(file.size);
    memcpy(file.bytes, buffer, file.size);
    return file;
}

static void try_bytes(struct dg_bytes bytes, size_t original_size)
{
    trial->n_tried++;
    trial->size = bytes.size;
    if (swallow_bytes(NULL, bytes) == SWALLOWED_REFUSED)
        return;
    trial->n_loaded++;
    if (trial->n_tried < trial->next)
        return;
    trial->next = trial->n_tried + VARIANTS * original_size / CHECKED;
    swallow_program(NULL, bytes);
    trial->n_checked++;
}

/* Exactly as many bytes on the heap, so that sanitizers see a step beyond them. */
static void cut_everywhere(const struct original *file)
{
    for (size_t size = 0; size < file->size; size++) {
        uint8_t *bytes = malloc(size ? size : 1);

        memcpy(bytes, file->bytes, size);
        try_bytes((struct dg_bytes){bytes, size}, file->size);
        free(bytes);
    }
}

static void flip_everywhere(const struct original *file)
{
    for (size_t i = 0; i < file->size; i++) {
        const uint8_t patterns[] = {0xff, (uint8_t)(1 << i % 8)};

        for (size_t p = 0; p < sizeof(patterns); p++) {
            trial->at = i;
            trial->pattern = patterns[p];
            file->bytes[i] ^= patterns[p];
            try_bytes((struct dg_bytes){file->bytes, file->size}, file->size);
            file->bytes[i] ^= patterns[p];
        }
    }
}

static int try_variants(const char *name)
{
    struct original file = read_file(name);

    trial->size = file.size;
    if (swallow_program(NULL, (struct dg_bytes){file.bytes, file.size}) ==
        SWALLOWED_REFUSED) {
        fputs("the file as it is does not load\n", stderr);
        return EXIT_FAILURE;
    }
    cut_everywhere(&file);
    flip_everywhere(&file);
    free(file.bytes);
    return EXIT_SUCCESS;
}

static bool try_file(const char *name)
{
    double begin = now();
    int how;
    pid_t child;

    memset(trial, 0, sizeof(*trial));
    child = fork();
    if (!child)
        exit(try_variants(name));
    waitpid(child, &how, 0);
    printf("%s: %zu variants, %zu read, %zu checked, %.1f s\n", name, trial->n_tried,
           trial->n_loaded, trial->n_checked, now() - begin);
    if (how)
        printf("FAILED: %zu bytes, byte %zu ^ 0x%02x, wait status %#x\n", trial->size,
               trial->at, trial->pattern, (unsigned)how);
    fflush(stdout);
    return !how;
}

int main(void)
{
    bool good = true;

    trial = mmap(NULL, sizeof(*trial), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < N_FILES; i++)
        good = try_file(files[i]) && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
