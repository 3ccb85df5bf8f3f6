/* Predicted devices of one method: crossings, values, differences. */
#include "cli/devices_print.h"

#include <inttypes.h>

struct total {
    int64_t copies, bytes, unknown;
};

static void add_to(struct total *total, const struct dg_crossing *crossing)
{
    total->copies++;
    total->bytes += crossing->nbytes > 0 ? crossing->nbytes : 0;
    total->unknown += crossing->nbytes < 0;
}

static void print_total(struct dg_writer *out, const struct total *total,
                        const char *where)
{
    dg_print(out, "%" PRId64 " cop%s %s, %" PRId64 " bytes", total->copies,
             total->copies == 1 ? "y" : "ies", where, total->bytes);
    if (total->unknown)
        dg_print(out, " and %" PRId64 " of unknown size", total->unknown);
}

static void print_heading(struct dg_writer *out, const struct dg_devices_report *report)
{
    const struct dg_devices *devices = report->devices;
    struct total up = {0}, down = {0};
    int64_t elided = 0;

    for (size_t i = 0; i < devices->n_crossings; i++) {
        const struct dg_crossing *crossing = &devices->crossings[i];

        if (!crossing->elided)
            add_to(crossing->to_device ? &up : &down, crossing);
        else
            elided += crossing->to_device;
    }
    dg_write_plain(out, report->method);
    dg_print(out, ": ");
    print_total(out, &up, "to devices");
    dg_print(out, "; ");
    print_total(out, &down, "to the host");
    if (elided)
        dg_print(out, "; %" PRId64 " round trip%s left out", elided,
                 elided == 1 ? "" : "s");
    dg_print(out, "\n");
}

static void print_bytes(struct dg_writer *out, int64_t nbytes)
{
    if (nbytes < 0)
        dg_print(out, "%12s", "?");
    else
        dg_print(out, "%12" PRId64, nbytes);
}

static void print_crossing(struct dg_writer *out, const struct dg_devices *devices,
                           const struct dg_crossing *crossing)
{
    const char *device = devices->names[crossing->device].data;

    if (crossing->elided && !crossing->to_device)
        return;
    if (crossing->elided)
        dg_print(out, "  stays on %-8s", device);
    else if (crossing->to_device)
        dg_print(out, "  host -> %-9s", device);
    else
        dg_print(out, "  %8s -> host ", device);
    print_bytes(out, crossing->nbytes);
    dg_print(out, "  ");
    dg_write_plain(out, devices->nodes[crossing->source].name);
    if (crossing->to_device) {
        dg_print(out, " for ");
        dg_write_plain(out, devices->nodes[crossing->call].name);
    }
    dg_print(out, "\n");
}

/* What stays in host memory is counted only. */
static void print_values(struct dg_writer *out, const struct dg_devices *devices)
{
    int64_t on_host = 0;

    for (uint32_t i = 0; i < devices->graph.n_nodes; i++) {
        const struct dg_device_node *node = &devices->nodes[i];

        if (!node->is_tensor)
            continue;
        if (!node->device) {
            on_host++;
            continue;
        }
        dg_print(out, "  on %-14s", devices->names[node->device].data);
        print_bytes(out, node->nbytes);
        dg_print(out, "  ");
        dg_write_plain(out, node->name);
        dg_print(out, "\n");
    }
    dg_print(out, "  on cpu: %" PRId64 " tensor%s\n", on_host, on_host == 1 ? "" : "s");
}

void dg_write_devices_text(struct dg_writer *out,
                           const struct dg_devices_report *report)
{
    const struct dg_devices *devices = report->devices;
    const struct dg_device_differences *differences = report->differences;

    if (devices->failure.data) {
        dg_write_plain(out, report->method);
        dg_print(out, ": the pass fails: ");
        dg_write_plain(out, devices->failure);
        dg_print(out, "\n");
        return;
    }
    print_heading(out, report);
    for (size_t i = 0; i < devices->n_crossings; i++)
        print_crossing(out, devices, &devices->crossings[i]);
    print_values(out, devices);
    if (differences && !differences->n_items)
        dg_print(out, "  the .pte is as predicted\n");
    for (size_t i = 0; differences && i < differences->n_items; i++) {
        dg_print(out, "  differs: ");
        dg_write_plain(out, differences->items[i]);
        dg_print(out, "\n");
    }
}

static void write_number(struct dg_writer *out, int64_t number)
{
    if (number < 0)
        dg_print(out, "null");
    else
        dg_print(out, "%" PRId64, number);
}

static void write_crossings(struct dg_writer *out, const struct dg_devices *devices)
{
    for (size_t i = 0; i < devices->n_crossings; i++) {
        const struct dg_crossing *crossing = &devices->crossings[i];

        dg_print(out, "%s\n{\"direction\":\"%s\",\"device\":", i ? "," : "",
                 crossing->to_device ? "to-device" : "to-host");
        dg_write_json(out, devices->names[crossing->device]);
        dg_print(out, ",\"value\":");
        dg_write_json(out, devices->nodes[crossing->source].name);
        dg_print(out, ",\"call\":");
        if (crossing->to_device)
            dg_write_json(out, devices->nodes[crossing->call].name);
        else
            dg_print(out, "null");
        dg_print(out, ",\"nbytes\":");
        write_number(out, crossing->nbytes);
        dg_print(out, ",\"elided\":%s}", crossing->elided ? "true" : "false");
    }
}

static void write_values(struct dg_writer *out, const struct dg_devices *devices)
{
    const char *comma = "";

    for (uint32_t i = 0; i < devices->graph.n_nodes; i++) {
        const struct dg_device_node *node = &devices->nodes[i];

        if (!node->is_tensor)
            continue;
        dg_print(out, "%s\n{\"name\":", comma);
        dg_write_json(out, node->name);
        dg_print(out, ",\"device\":");
        dg_write_json(out, devices->names[node->device]);
        dg_print(out, ",\"nbytes\":");
        write_number(out, node->nbytes);
        dg_print(out, "}");
        comma = ",";
    }
}

static void write_calls(struct dg_writer *out, const struct dg_devices *devices)
{
    const char *comma = "";

    for (uint32_t i = 0; i < devices->graph.n_nodes; i++) {
        const struct dg_device_node *node = &devices->nodes[i];

        if (!node->is_call)
            continue;
        dg_print(out, "%s\n{\"name\":", comma);
        dg_write_json(out, node->name);
        dg_print(out, ",\"device\":");
        dg_write_json(out, devices->names[node->device]);
        dg_print(out, "}");
        comma = ",";
    }
}

static void write_differences(struct dg_writer *out,
                              const struct dg_device_differences *differences)
{
    if (!differences) {
        dg_print(out, "null");
        return;
    }
    dg_print(out, "[");
    for (size_t i = 0; i < differences->n_items; i++) {
        dg_print(out, "%s\n", i ? "," : "");
        dg_write_json(out, differences->items[i]);
    }
    dg_print(out, "]");
}

void dg_write_devices_json(struct dg_writer *out,
                           const struct dg_devices_report *report)
{
    dg_print(out, "\n{\"method\":");
    dg_write_json(out, report->method);
    dg_print(out, ",\"failure\":");
    if (report->devices->failure.data)
        dg_write_json(out, report->devices->failure);
    else
        dg_print(out, "null");
    dg_print(out, ",\n\"calls\":[");
    write_calls(out, report->devices);
    dg_print(out, "],\n\"crossings\":[");
    write_crossings(out, report->devices);
    dg_print(out, "],\n\"values\":[");
    write_values(out, report->devices);
    dg_print(out, "],\n\"differences\":");
    write_differences(out, report->differences);
    dg_print(out, "}");
}
