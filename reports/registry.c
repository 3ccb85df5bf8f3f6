/* The reports as one table. */
#include <string.h>

#include "reports/report.h"

const struct dg_report *const dg_reports[] = {
#define REPORT(name) &dg_report_##name,
#include "reports/list.h"
#undef REPORT
    NULL,
};

const struct dg_report *dg_report_find(const char *name)
{
    for (const struct dg_report *const *report = dg_reports; *report; report++) {
        if (!strcmp((*report)->name, name))
            return *report;
    }
    return NULL;
}
