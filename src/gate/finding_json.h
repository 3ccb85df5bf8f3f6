/* A finding as members of a JSON object: what json and jsonl share. */
#ifndef DG_GATE_FINDING_JSON_H
#define DG_GATE_FINDING_JSON_H

#include "base/json_writer.h"
#include "gate/outcome.h"

/* "rule", "severity", "method" ... into the object that is open. */
void dg_put_finding(struct dg_json_writer *json,
                    const struct dg_outcome_finding *finding);

#endif
