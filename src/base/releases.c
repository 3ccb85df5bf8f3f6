/* Releases of ExecuTorch, and what came with which. */
#include "base/releases.h"

#include <stdio.h>
#include <string.h>

static const struct dg_release known[] = {
#define RELEASE(major, minor) {major, minor},
#define SINCE(kind, name, major, minor)
#include "base/releases.def"
#undef RELEASE
#undef SINCE
};

const struct dg_since dg_since[] = {
#define RELEASE(major, minor)
#define SINCE(kind, name, major, minor) {DG_SINCE_##kind, name, {major, minor}},
#include "base/releases.def"
#undef RELEASE
#undef SINCE
};

const size_t dg_n_since = sizeof(dg_since) / sizeof(*dg_since);

const char *dg_since_kind_name(enum dg_since_kind kind)
{
    static const char *const names[] = {
        [DG_SINCE_OPERATOR] = "operator", [DG_SINCE_NODE] = "node",
        [DG_SINCE_DATATYPE] = "datatype", [DG_SINCE_FIELD] = "field",
        [DG_SINCE_BACKEND] = "backend",
    };

    return names[kind];
}

bool dg_release_precedes(struct dg_release a, struct dg_release b)
{
    return a.major < b.major || (a.major == b.major && a.minor < b.minor);
}

bool dg_release_parse(struct dg_release *release, const char *text)
{
    char word[16];

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        size_t size = (size_t)snprintf(word, sizeof(word), "%d.%d", known[i].major,
                                       known[i].minor);
        const char *patch = text + size;

        if (strncmp(text, word, size))
            continue;
        if (*patch == '.' && patch[1] && strspn(patch + 1, "0123456789") < 4)
            patch += 1 + strspn(patch + 1, "0123456789");
        if (*patch)
            continue;
        *release = known[i];
        return true;
    }
    return false;
}
