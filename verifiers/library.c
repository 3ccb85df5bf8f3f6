/* Native code that AOTInductor compiled: whether it is whole, and what the target must
 * have for it. */
#include "graph/library_sql.h"
#include "verifiers/library_parts.h"
#include "verifiers/verifier.h"

/* clang-format off */

/* Where the loader itself finds no symbols: who asked for them is told. */
#define UNSEEN(setting)                                                                \
    " UNION ALL SELECT artifact_id, printf('%s has no symbols that a loader finds: what it" \
    " calls and needs is not seen', " SHORT_NAME("name") "), NULL, 'warning' FROM library" \
    "  WHERE has_symbols = 0 AND EXISTS (SELECT 1 FROM setting WHERE name = '" setting "')"

/* The folder of a model in a package, with who has it; NULL: it is in none. */
#define BEHIND(name) "instr(" name ", 'data/aotinductor/') + 17"
#define MODEL_OF(artifact, name)                                                       \
    artifact " || ' ' || substr(" name ", 1, " BEHIND(name) " - 1 + nullif(iif(instr("     \
    name ", 'data/aotinductor/'), instr(substr(" name ", " BEHIND(name) "), '/'), 0), 0))"

/* The libraries that a runtime loads: of named data what a delegate looks up, of a
 * package what torch linked, which is named so, or else what the model has. Beside it may
 * lie anything. */
#define LOADED                                                                         \
    "wrapped AS MATERIALIZED (SELECT " MODEL_OF("artifact_id", "name") " AS model"         \
    "  FROM segment WHERE name GLOB '*.wrapper.so'),"             \
    "loaded AS MATERIALIZED (SELECT library.*, " SHORT_NAME("library.name") " AS short,"  \
    "   artifact.kind AS artifact_kind FROM library"                                   \
    "  JOIN artifact ON artifact.id = artifact_id WHERE iif(artifact.kind = 'pt2',"    \
    "   library.name GLOB '*.wrapper.so' OR (library.name GLOB '*.so'"                 \
    "    OR library.name GLOB '*.pyd') AND " MODEL_OF("artifact_id", "library.name")      \
    "    NOT IN (SELECT model FROM wrapped WHERE model IS NOT NULL),"                  \
    "   library.name IN (SELECT key FROM delegate_key WHERE kind = 'library')))"

/* What a delegate finds under the key of its code, where nothing begins as a shared object
 * does. Of libraries that overlap too often, and outside of the file, others tell.
 * Pairs are compared as one text: for NOT IN of rows SQLite goes through all of them. */
static const char format_query[] =
    "WITH " FILES ", " STORED_WITH_DIGESTS ", " DELEGATE_KEYS
    "SELECT min(method) AS method, printf('the code of delegate %lld (%s), %s%s, is no"
    " shared object; it has %lld bytes', keys.idx, backend, " SHORT("keys.key") ","
    "   iif(stored.artifact = keys.program, '', ' of ' || file), segment.size_bytes)"
    "   AS message FROM keys"
    "  JOIN stored ON stored.program = keys.program AND stored.key = keys.key"
    "  JOIN segment ON segment.id = stored.segment"
    "  JOIN artifact ON artifact.id = stored.artifact"
    " WHERE keys.kind = 'library' AND" OF_AOTI("backend")
    "  AND file_offset + segment.size_bytes <= artifact.size_bytes"
    "  AND stored.artifact || ' ' || keys.key NOT IN"
    "   (SELECT artifact_id || ' ' || name FROM library)"
    "  AND stored.artifact NOT IN (SELECT artifact_id FROM remark"
    "   WHERE rule = 'format/lists-repeated')"
    " GROUP BY stored.artifact, stored.key ORDER BY delegate";

/* As Python's platform.machine() spells them. */
#define SAID "lower(json_extract(meta, '$.AOTI_MACHINE'))"
#define SAID_MACHINE                                                                   \
    "CASE WHEN " SAID " = 'amd64' THEN 'x86_64' WHEN " SAID " = 'arm64' THEN 'aarch64'"    \
    " WHEN " SAID " = 'ppc64le' THEN 'ppc64' WHEN " SAID " GLOB 'riscv[36][24]' THEN 'riscv'" \
    " WHEN " SAID " = 'loongarch64' THEN 'loongarch'"                                  \
    " WHEN " SAID " GLOB 'armv[0-9]*' THEN 'arm'"                                      \
    " WHEN " SAID " GLOB 'i[3-6]86' THEN 'x86' ELSE " SAID " END"

/* The metadata is that of a package; a program's libraries are held to each other, as one
 * process is to open all of them. */
static const char machine_query[] =
    "WITH " LOADED ", by_machine AS (SELECT coalesce(companion_of, artifact.id) AS program,"
    "   machine, min(short) AS short FROM loaded"
    "  JOIN artifact ON artifact.id = artifact_id"
    "  WHERE artifact_kind <> 'pt2' AND machine IS NOT NULL GROUP BY 1, 2)"
    "SELECT artifact_id AS artifact, 'error' AS severity,"
    "   printf('%s is code for %s, and its metadata says %s',"
    "   short, machine, json_extract(meta, '$.AOTI_MACHINE')) AS message"
    "  FROM (SELECT * FROM loaded ORDER BY id) WHERE machine IS NOT NULL"
    "   AND " SAID_MACHINE " <> machine"
    " UNION ALL SELECT program, 'warning', printf('its libraries are code for %lld"
    " machines: %s', count(*), group_concat(printf('%s (%s)', machine, short), ', '))"
    "  FROM (SELECT * FROM by_machine ORDER BY program, machine)"
    "  GROUP BY program HAVING count(*) > 1";

/* Libraries in which a backend looks up what fills their constants: that of Metal refuses
 * one without, and that of CUDA goes on and leaves them as they are. Weights under keys of
 * their own, whose sizes are listed, are given otherwise. */
#define FILLED                                                                         \
    "filled AS MATERIALIZED (SELECT key, backend FROM delegate_key"                    \
    "  JOIN delegate ON delegate.id = delegate_id WHERE kind = 'library'"              \
    "   AND (backend = 'MetalBackend' OR backend = 'CudaBackend' AND delegate_id IN"   \
    "    (SELECT delegate_id FROM delegate_key WHERE kind = 'weights' AND nbytes IS NULL)))"
#define IS_FILLED                                                                      \
    "(loaded.name IN (SELECT key FROM filled WHERE backend = 'MetalBackend')"          \
    " OR loaded.weights = 'beside' AND loaded.name IN (SELECT key FROM filled))"

/* What ExecuTorch's backends (aoti_delegate_handle.h) and torch's runner
 * (model_container_runner.cpp) look up first. */
static const char entry_query[] =
    "WITH " LOADED ", " FILLED ", wanted (name, kind) AS (VALUES"
    "  ('AOTInductorModelContainerCreateWithDevice', ''),"
    "  ('AOTInductorModelContainerDelete', ''),"
    "  ('AOTInductorModelContainerGetNumInputs', 'executorch'),"
    "  ('AOTInductorModelContainerGetNumOutputs', ''),"
    "  ('AOTInductorModelContainerRun', ''),"
    "  ('AOTInductorModelContainerGetCallSpec', 'torch'),"
    "  ('AOTInductorModelContainerGetConstantDtype', 'torch'),"
    "  ('AOTInductorModelContainerGetConstantName', 'torch'),"
    "  ('AOTInductorModelContainerGetConstantOriginalFQN', 'torch'),"
    "  ('AOTInductorModelContainerGetNumConstants', 'torch'),"
    "  ('AOTInductorModelContainerRunConstantFolding', 'torch'),"
    "  ('AOTInductorModelContainerSwapConstantBuffer', 'torch'),"
    "  ('AOTInductorModelContainerUpdateConstantBuffer', 'torch'),"
    "  ('AOTInductorModelContainerUpdateInactiveConstantBuffer', 'torch'),"
    "  ('AOTInductorModelUpdateConstantsFromBlob', 'filled')),"
    "missing AS (SELECT artifact_id, loaded.id, short, wanted.name,"
    "   row_number() OVER (PARTITION BY loaded.id) AS number FROM loaded, wanted"
    "  WHERE has_symbols AND iif(wanted.kind = 'filled', " IS_FILLED ","
    "    wanted.kind IN ('', iif(artifact_kind = 'pt2', 'torch', 'executorch')))"
    "   AND wanted.name NOT IN (SELECT name FROM library_symbol"
    "    WHERE library_id = loaded.id AND kind = 'defined'))"
    "SELECT artifact_id AS artifact, printf('%s does not export %s', short, "
    DG_FIRST("name") ") AS message FROM missing GROUP BY id ORDER BY id";

/* Versioned symbols are those of the libraries that it needs. */
static const char shim_query[] =
    "WITH missing AS (SELECT artifact_id, library.id, " SHORT_NAME("library.name")
    "   AS short, s.name, row_number() OVER (PARTITION BY library.id) AS number"
    "  FROM library JOIN library_symbol AS s ON s.library_id = library.id"
    "  WHERE " DG_SQL_IS_SHIM("s") " AND s.name NOT IN (SELECT value FROM setting WHERE name = 'shim'))"
    "SELECT artifact_id AS artifact, printf('%s calls %s, which the runtime does not"
    " export', short, " DG_FIRST("name") ") AS message, json_group_array(name)"
    "   AS witness, 'error' AS severity FROM missing"
    "  WHERE EXISTS (SELECT 1 FROM setting WHERE name = 'shim') GROUP BY id" UNSEEN("shim");

static const char glibc_query[] =
    "WITH told AS MATERIALIZED (SELECT value FROM setting WHERE name = 'glibc'"
    "  ORDER BY rowid DESC LIMIT 1),"
    "wanted AS (SELECT DISTINCT library_id, v.name, " DG_SQL_GLIBC_OF("v") " AS version"
    "  FROM library_version AS v WHERE version IS NOT NULL),"
    "newer AS (SELECT library_id, wanted.name, wanted.version FROM wanted, told"
    "  WHERE " DG_SQL_RANK("wanted.version") " > " DG_SQL_RANK("told.value") "),"
    "by_symbol AS (SELECT newer.library_id, newer.version, s.name,"
    "   row_number() OVER (PARTITION BY newer.library_id ORDER BY " DG_SQL_RANK("newer.version")
    "    DESC, s.name) AS number FROM newer LEFT JOIN library_symbol AS s"
    "   ON s.library_id = newer.library_id AND s.version = newer.name)"
    "SELECT artifact_id AS artifact, printf('%s needs glibc %s, and the target has %s%s',"
    "   " SHORT_NAME("library.name") ", max(by_symbol.version) FILTER (WHERE number = 1),"
    "   (SELECT value FROM told), coalesce(': ' || " DG_FIRST("by_symbol.name") ", ''))"
    "   AS message, json_group_array(by_symbol.name) FILTER (WHERE by_symbol.name"
    "    IS NOT NULL) AS witness, 'error' AS severity"
    "  FROM by_symbol JOIN library ON library.id = library_id"
    " GROUP BY library_id" UNSEEN("glibc");

/* Code runs on GPUs of its major generation that are not older, PTX on all that are not
 * older; with "a" on that GPU alone, with "f" within the generation. Modules of Jetson
 * run no code but their own ("Application Compatibility" of the CUDA programming guide). */
#define NUMBER "CAST(substr(target, 4) AS INTEGER)"
#define OF_JETSON(number) number " IN (53, 62, 72, 87, 101, 110)"
#define SERVES                                                                         \
    "CASE WHEN target GLOB '*a' THEN number = device"                                  \
    " WHEN format = 'ptx' AND target NOT GLOB '*f' THEN number <= device"              \
    " WHEN format = 'cubin' AND (" OF_JETSON("device") " OR " OF_JETSON("number") ")"  \
    "  THEN number = device"                                                           \
    " ELSE number <= device AND number / 10 = device / 10 END"

/* Images of one fat binary are for one purpose: each kernel in any of them must be in one
 * that the GPU runs. What is compressed, and PTX, may have all of them. Of a library that
 * nvcc links there is an image without kernels, of which nothing is launched. */
static const char gpu_query[] =
    "WITH image AS MATERIALIZED (SELECT c.id, c.artifact_id, library_id, binary, c.name,"
    "   format, target, " NUMBER " AS number, NOT EXISTS (SELECT 1 FROM gpu_kernel"
    "    WHERE code_id = c.id) AS has_all FROM gpu_code AS c WHERE target IS NOT NULL"
    "    AND NOT (has_all AND format = 'cubin' AND NOT compressed"
    "     AND c.name IN ('.nv_fatbin', '__nv_relfatbin'))),"
    "gpu AS (SELECT DISTINCT CAST(value AS INTEGER) AS device FROM setting"
    "  WHERE name = 'gpu'),"
    "kernel AS (SELECT DISTINCT artifact_id, library_id, binary, coalesce(k.name, image.name)"
    "   AS name FROM image LEFT JOIN gpu_kernel AS k ON k.code_id = image.id"
    "  WHERE k.name IS NOT NULL OR NOT EXISTS (SELECT 1 FROM image AS other WHERE"
    "   other.artifact_id = image.artifact_id AND other.binary = image.binary"
    "   AND NOT other.has_all)),"
    "serving AS MATERIALIZED (SELECT id, artifact_id, binary, device, has_all FROM image"
    "  JOIN gpu ON " SERVES "),"
    "lacking AS (SELECT artifact_id, library_id, binary, name, device FROM kernel, gpu"
    "  WHERE (artifact_id, binary, device) NOT IN (SELECT artifact_id, binary, device"
    "    FROM serving WHERE has_all)"
    "   AND (artifact_id, binary, device, name) NOT IN (SELECT artifact_id, binary, device,"
    "    k.name FROM serving JOIN gpu_kernel AS k ON k.code_id = serving.id)),"
    "numbered AS (SELECT *, row_number() OVER (PARTITION BY artifact_id, library_id, device"
    "   ORDER BY name) AS number FROM lacking),"
    "has AS (SELECT l.artifact_id, l.library_id, l.device, group_concat(DISTINCT"
    "   iif(format = 'ptx', 'PTX of ', '') || target) AS targets FROM lacking AS l"
    "  JOIN image ON image.artifact_id = l.artifact_id AND image.binary = l.binary"
    "  GROUP BY l.artifact_id, l.library_id, l.device)"
    "SELECT * FROM (SELECT numbered.artifact_id AS artifact, printf('%s sm_%lld%s: %s; there %s %s',"
    "   iif(count(*) = 1, 'no code for', 'no code of ' || count(*) || ' kernels for'),"
    "   numbered.device, coalesce(' in ' || " SHORT_NAME("library.name") ", ''), "
    DG_FIRST(SHORT_NAME("numbered.name")) ", iif(instr(targets, ','), 'are', 'is'),"
    "   replace(targets, ',', ', ')) AS message, json_group_array(numbered.name) AS witness,"
    "   'error' AS severity FROM numbered JOIN has ON has.artifact_id = numbered.artifact_id"
    "   AND has.library_id IS numbered.library_id AND has.device = numbered.device"
    "  LEFT JOIN library ON library.id = numbered.library_id"
    " GROUP BY numbered.artifact_id, numbered.library_id, numbered.device"
    " ORDER BY numbered.artifact_id, numbered.library_id, numbered.device)"
    " UNION ALL SELECT id, 'there is no GPU code in it, so that no GPU was judged', NULL,"
    "   'note' FROM artifact AS a"
    "  WHERE companion_of IS NULL AND kind IN ('pt2', 'pte', 'ptd') AND NOT EXISTS"
    "   (SELECT 1 FROM gpu_code JOIN artifact AS b ON b.id = artifact_id"
    "     WHERE a.id IN (b.id, b.companion_of))";

/* Of weights in a file of their own: its size. A package has it beside the library, and
 * a program under the key that its delegate looks up. */
#define BESIDE                                                                         \
    "beside AS (SELECT l.id, l.artifact_id, short, weights_bytes, s.size_bytes AS nbytes," \
    "   'its file of weights' AS who FROM loaded AS l JOIN segment AS s"               \
    "   ON s.artifact_id = l.artifact_id AND s.name ="                                 \
    "    substr(l.name, 1, length(l.name) - 3) || '_weights.blob'"                     \
    "  WHERE artifact_kind = 'pt2' AND weights = 'beside'"                             \
    " UNION SELECT l.id, l.artifact_id, short, weights_bytes, n.size_bytes, n.file"    \
    "   || ' under ' || " SHORT("n.key")                                               \
    "   FROM loaded AS l JOIN keys AS code ON code.kind = 'library'"                   \
    "    AND code.key = l.name AND code.program = (SELECT program FROM files"          \
    "     WHERE files.id = l.artifact_id)"                                             \
    "   JOIN keys AS data ON data.delegate = code.delegate AND data.kind = 'weights'"  \
    "   JOIN stored AS n ON n.program = data.program AND n.key = data.key"             \
    "   WHERE weights = 'beside' GROUP BY l.id, n.key)"

static const char constants_query[] =
    "WITH " LOADED ", " FILES ", " STORED ", " DELEGATE_KEYS ", " BESIDE ","
    "needs AS (SELECT library_id, sum(nbytes) AS nbytes, count(*) AS n"
    "  FROM library_constant WHERE folded IS NOT 1 GROUP BY library_id)"
    "SELECT artifact_id AS artifact, printf('%s expects %lld bytes of weights, and %s has"
    " %lld', short, weights_bytes, who, nbytes) AS message FROM beside"
    "  WHERE nbytes <> weights_bytes"
    " UNION ALL SELECT artifact_id, printf('%s has %lld bytes of constants %s, and its %lld"
    " constants need %lld', short, coalesce(weights_bytes, constants_bytes), weights, n,"
    "   needs.nbytes) FROM needs JOIN loaded ON loaded.id = library_id"
    "  WHERE weights IS NOT NULL AND coalesce(weights_bytes, constants_bytes) < needs.nbytes";

/* clang-format on */

#define NOT_TOLD(name, what)                                                           \
    "SELECT '" what "' WHERE NOT EXISTS (SELECT 1 FROM setting WHERE name = '" name "')"

static const struct dg_rule rules[] = {
    {
        .name = "format",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "code is a shared object that a loader can open: its header, segments"
                     " and dynamic section are whole, and the tables that this names; so"
                     " is GPU code",
        .reason = "the loader refuses the library, or maps what is not there",
        .fix = "package the program again; the file is damaged",
        .example = "model.wrapper.so: segment 3, of 1512 bytes at byte 4000, ends behind"
                   " its 4096 bytes",
        .level = "pt2 pte ptd",
        .query = format_query,
        .about = DG_ABOUT_CODE,
    },
    {
        .name = "unread",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "what loaders do not look at is whole, too: the sections of a library,"
                     " what a package says of its weights, and what Python reads first",
        .reason = "the program is loaded; what is said there of constants, GPU code, weights"
                  " and the target was not checked, and tools do not see it",
        .fix = "package the program again; the file is damaged",
        .example = "model.wrapper.so: section 3, of 1512 bytes at byte 4000, ends behind"
                   " its 4096 bytes",
        .level = "pt2 pte ptd",
    },
    {
        .name = "package",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "each model of a package has one library, and beside its last source"
                     " metadata that torch can read: strings, which name its device",
        .reason = "torch reads it before it opens the library, and refuses the package",
        .fix = "package the program again, with all files that the compiler wrote",
        .example = "model.kernel_metadata.json names no device (AOTI_DEVICE_KEY)",
        .level = "pt2",
    },
    {
        .name = "unknown-need",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a library needs others, and functions, that torch, a compiler or a"
                     " system brings, and a device for which torch has a runner",
        .reason = "the loader refuses it where the target has no such library: \"cannot"
                  " open shared object file\", \"undefined symbol\"",
        .fix = "ship the library with the program (aot_inductor.custom_op_libs); else the"
               " file is damaged",
        .example = "model.wrapper.so needs libtOrch.so, which is no library of torch, of a"
                   " compiler or of a system",
        .level = "pt2 pte ptd",
        .query = dg_library_need_query,
    },
    {
        .name = "machine",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a library is code for the machine that its metadata names, and those"
                     " of a program are for one machine",
        .reason = "torch trusts the metadata, and the loader refuses the library",
        .fix = "package the library that was compiled for that machine",
        .example = "model.wrapper.so is code for aarch64, and its metadata says x86_64",
        .level = "pt2 pte ptd",
        .query = machine_query,
    },
    {
        .name = "entry-point",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a library exports the functions by which AOTInductor's models are"
                     " made, given their weights, run and deleted",
        .reason = "the runtime looks them up, and refuses the program, or runs it without"
                  " its weights",
        .fix = "link the model's object files without hiding symbols",
        .example = "model.wrapper.so does not export AOTInductorModelContainerRun",
        .level = "pt2 pte ptd",
        .query = entry_query,
    },
    {
        .name = "shim",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the runtime exports every aoti_* and torch_* function that a library"
                     " calls",
        .reason = "the loader refuses the library, or ends the process at the first call:"
                  " \"undefined symbol\"",
        .fix = "use a runtime that has it, or keep the operator out of the partition",
        .example = "model.wrapper.so calls aoti_torch_cuda_sort_stable, which the runtime"
                   " does not export",
        .level = "pt2 pte ptd",
        .query = shim_query,
        .not_checked = NOT_TOLD("shim", "no list of symbols is given (--shims FILE)"),
    },
    {
        .name = "glibc",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "no library needs a newer glibc than the target has",
        .reason = "the loader refuses it: \"version `GLIBC_...' not found\"",
        .fix = "compile on a system as old as the target, or against its sysroot",
        .example = "model.wrapper.so needs glibc 2.34, and the target has 2.31:"
                   " pthread_rwlock_rdlock",
        .level = "pt2 pte ptd",
        .query = glibc_query,
        .not_checked = NOT_TOLD("glibc", "no version of glibc is given (--glibc VERSION)"),
    },
    {
        .name = "gpu",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every kernel has code that the GPU of the target runs, or PTX that"
                     " its driver compiles",
        .reason = "the first launch fails: \"no kernel image is available for execution on"
                  " the device\"",
        .fix = "compile for the target (TORCH_CUDA_ARCH_LIST), or keep PTX beside the code"
               " (aot_inductor.emit_multi_arch_kernel)",
        .example = "no code for sm_86: triton_poi_fused_add_0; there is sm_90a",
        .level = "pt2 pte ptd",
        .query = gpu_query,
        .not_checked = NOT_TOLD("gpu", "no GPU is given (--gpu NAME)"),
        .about = DG_ABOUT_GPU,
    },
    {
        .name = "constants",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the constants of a library are where it looks for them, and as many"
                     " bytes as it takes",
        .reason = "it copies what lies behind them, or crashes",
        .fix = "ship the weights that were written with the library",
        .example = "model.wrapper.so expects 512 bytes of weights, and its file of weights"
                   " has 448",
        .level = "pt2 pte ptd",
        .query = constants_query,
    },
    {0},
};

const struct dg_verifier dg_verifier_library = {"library", rules, DG_ABOUT_LIBRARY};
