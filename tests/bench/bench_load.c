/* bench_load read FILE: seconds of reading a program into rows, and of storing them.
 * bench_load write DB NODES: seconds until a synthetic program of NODES nodes and twice
 * as many edges lies on disk.
 * bench_load time COMMAND...: seconds and peak memory of a process. All print JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "formats/reader.h"
#include "store/store.h"

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Of this program alone: the figure that getrusage() gives counts the process that
 * started it, too. */
static double peak_megabytes(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;

    while (file && fgets(line, sizeof(line), file))
        if (!strncmp(line, "VmHWM:", 6))
            kilobytes = atol(line + 6);
    if (file)
        fclose(file);
    return (double)kilobytes / 1024;
}

static int complain(const struct dg_error *err)
{
    fprintf(stderr, "bench_load: %s\n", err->text);
    return EXIT_FAILURE;
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void add_values(struct dg_program *program, struct dg_node_row *node,
                       int64_t index)
{
    static const struct dg_value_type type = {.dtype = "f32",
                                              .shape = {"[1,128,768]", 11},
                                              .device = {"cpu", 3},
                                              .nbytes = 393216,
                                              .requires_grad = DG_NONE};
    struct dg_value_row *value = dg_add_value(program);

    value->graph = 0;
    value->idx = index;
    value->type = &type;
    value->name = node->name;
    value->kind = "tensor";
    node->value = index;
}

static void add_edge(struct dg_program *program, int64_t dst, int64_t pos, int64_t src)
{
    struct dg_edge_row *edge = dg_add_edge(program);

    edge->dst = dst;
    edge->pos = pos;
    edge->src = src;
    edge->value = src;
}

/* One operator of fourteen is another, which a partitioner may be told to leave. */
static int64_t op_of(struct dg_program *program, int64_t node)
{
    if (!node)
        return DG_NONE;
    return dg_intern_op(
        program, dg_text(node % 14 == 7 ? "aten::mul.Tensor" : "aten::add.Tensor"));
}

/* A chain with a second edge of each node to one of the 64 before it. */
static void make(struct dg_program *program, int64_t n_nodes)
{
    uint64_t state = 88172645463325252U;

    program->kind = "pt2";
    program->version = dg_text("{}");
    dg_add_method(program)->name = dg_text("forward");
    program->methods->ir = "aten";
    dg_add_graph(program)->path = dg_text("");
    program->graphs->kind = "method";
    for (int64_t i = 0; i < n_nodes; i++) {
        struct dg_node_row *node = dg_add_node(program);

        node->graph = 0;
        node->idx = i;
        node->name = dg_format(&program->memory, "add_%lld", (long long)i);
        node->kind = i ? "call_function" : "placeholder";
        node->op = op_of(program, i);
        add_values(program, node, i);
        for (int64_t pos = 0; i && pos < 2; pos++) {
            int64_t back = pos ? 1 + (int64_t)(draw(&state) % 64) : 1;

            add_edge(program, i, pos, i - (back < i ? back : i));
        }
    }
}

static int write_store(const char *path, int64_t n_nodes)
{
    struct dg_program program = {0};
    struct dg_file file = {.path = "synthetic.pt2", .bytes = {(const uint8_t *)"", 0}};
    struct dg_store *store = NULL;
    struct dg_error err = {0};
    enum dg_status status;
    double begin;

    make(&program, n_nodes);
    unlink(path);
    begin = now();
    status = dg_store_create_file(&store, path, &err);
    if (!status)
        status = dg_store_add_program(store, &program, &file, &err);
    if (!status)
        status = dg_store_commit(store, &err);
    dg_store_close(store);
    if (status)
        return complain(&err);
    printf("{\"seconds\": %.4f, \"peak_mb\": %.1f}\n", now() - begin, peak_megabytes());
    dg_program_clear(&program);
    return EXIT_SUCCESS;
}

static enum dg_status map_file(struct dg_bytes *bytes, const char *path,
                               struct dg_error *err)
{
    FILE *file = fopen(path, "rb");
    struct stat state;
    void *data = MAP_FAILED;

    if (file && !fstat(fileno(file), &state))
        data =
            mmap(NULL, (size_t)state.st_size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (file)
        fclose(file);
    if (data == MAP_FAILED)
        return dg_fail(err, DG_ERR_IO, "cannot read %s", path);
    *bytes = (struct dg_bytes){data, (size_t)state.st_size};
    return DG_OK;
}

static enum dg_status read_program(struct dg_bytes bytes, struct dg_program *program,
                                   struct dg_error *err)
{
    const struct dg_reader *reader;
    enum dg_status status = dg_reader_find(&reader, bytes, err);

    return status ? status : reader->read(bytes, false, program, err);
}

static int read_file(const char *path)
{
    struct dg_program program = {0};
    struct dg_file file = {.path = path};
    struct dg_store *store = NULL;
    struct dg_error err = {0};
    enum dg_status status = map_file(&file.bytes, path, &err);
    double begin = now(), read, read_peak;

    if (!status)
        status = read_program(file.bytes, &program, &err);
    read = now();
    read_peak = peak_megabytes();
    if (!status)
        status = dg_store_create(&store, &err);
    if (!status)
        status = dg_store_add_program(store, &program, &file, &err);
    dg_store_close(store);
    if (status)
        return complain(&err);
    printf("{\"read_seconds\": %.4f, \"read_peak_mb\": %.1f, \"store_seconds\": %.4f, "
           "\"peak_mb\": %.1f, \"nodes\": %zu, \"edges\": %zu, \"values\": %zu}\n",
           read - begin, read_peak, now() - read, peak_megabytes(), program.n_nodes,
           program.n_edges, program.n_values);
    dg_program_clear(&program);
    return EXIT_SUCCESS;
}

/* Started from here and not from a large process, whose memory would be counted. */
static int time_command(char **command)
{
    double begin = now();
    pid_t pid = fork();
    struct rusage usage;
    int state = 0;

    if (!pid) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execv(command[0], command);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &state, 0, &usage) < 0)
        return EXIT_FAILURE;
    printf("{\"seconds\": %.6f, \"peak_mb\": %.1f}\n", now() - begin,
           (double)usage.ru_maxrss / 1024);
    return WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "time"))
        return time_command(argv + 2);
    if (argc == 3 && !strcmp(argv[1], "read"))
        return read_file(argv[2]);
    if (argc == 4 && !strcmp(argv[1], "write"))
        return write_store(argv[2], atoll(argv[3]));
    fprintf(stderr, "bench_load read FILE | write DB NODES | time COMMAND...\n");
    return 2;
}
