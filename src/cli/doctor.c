/* doctor: what this machine and this build can do. */
#include "config.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "cli/options.h"
#include "formats/reader.h"
#include "kernels/kernel.h"
#include "reports/picture/image.h"
#include "reports/picture/libgraphviz.h"
#include "verifiers/verifier.h"

static void print_sqlite(struct dg_writer *out)
{
    struct dg_store *store = NULL;
    struct dg_rows rows;
    struct dg_error err = {0};

    if (!dg_store_create(&store, &err) &&
        !dg_rows_open(&rows, store, "SELECT sqlite_version()", &err)) {
        if (dg_rows_next(&rows))
            dg_print(out, "SQLite       %s\n", dg_rows_text(&rows, 0));
        dg_rows_close(&rows, DG_OK, &err);
    }
    if (err.status)
        dg_print(out, "SQLite       broken: %s\n", err.text);
    dg_store_close(store);
}

static void print_drawing(struct dg_writer *out)
{
    struct dg_arena memory = {0};

    dg_print(out, "Graphviz     %s\n", dg_graphviz_version(&memory).data);
    dg_print(out, "librsvg      %s\n", dg_image_library(&memory).data);
    dg_arena_clear(&memory);
}

static void print_readers(struct dg_writer *out)
{
    dg_print(out, "formats     ");
    for (const struct dg_reader *const *reader = dg_readers; *reader; reader++)
        dg_print(out, " %s", (*reader)->name);
    dg_print(out, "\n");
}

static void print_rules(struct dg_writer *out)
{
    int families = 0, rules = 0;

    for (const struct dg_verifier *const *v = dg_verifiers; *v; v++, families++) {
        for (const struct dg_rule *rule = (*v)->rules; rule->name; rule++)
            rules++;
    }
    dg_print(out, "rules        %d in %d families\n", rules, families);
}

static void print_kernels(struct dg_writer *out)
{
    int kernels = 0, cuda = 0, devices = dg_cuda_devices();

    for (const struct dg_kernel *kernel = dg_kernels; kernel->op; kernel++) {
        kernels++;
        cuda += kernel->cuda != NULL;
    }
    dg_print(out, "kernels      %d, with CUDA %d\n", kernels, cuda);
#ifdef HAVE_CUDA
    dg_print(out, "CUDA         built in; %d device%s on this machine\n", devices,
             devices == 1 ? "" : "s");
#else
    (void)devices;
    dg_print(out, "CUDA         not in this build: configure --with-cuda\n");
#endif
}

static void print_lapack(struct dg_writer *out)
{
    struct dg_error err = {0};
    const char *version = dg_lapack_version(&err);

    if (version)
        dg_print(out, "LAPACK       %s\n", version);
    else
        dg_print(out, "LAPACK       not on this machine: %s\n", err.text);
}

static int run(int argc, char **argv)
{
    struct dg_writer out = {0};
    struct dg_error err = {0};

    if (dg_options_parse(NULL, &dg_command_doctor, &argc, argv, &err))
        return dg_complain(&err);
    dg_print(&out, "delegraph    %s\n", PACKAGE_VERSION);
    print_readers(&out);
    print_rules(&out);
    print_sqlite(&out);
    dg_print(&out, "libdeflate   %s\n", LIBDEFLATE_VERSION_STRING);
    print_drawing(&out);
    print_kernels(&out);
    print_lapack(&out);
    return dg_deliver(NULL, &out, DG_EXIT_FINE);
}

const struct dg_command dg_command_doctor = {
    .name = "doctor",
    .synopsis = "",
    .summary = "what this machine and this build can do",
    .run = run,
};
