/* What is called of libpq, which is loaded when a server is named: with all that it
 * brings it would cost every command some milliseconds of its start. */
#ifndef DG_POSTGRES_LIBPQ_H
#define DG_POSTGRES_LIBPQ_H

#include <libpq-fe.h>

#include "base/symbols.h"

#define DG_PQ_FUNCTIONS(X)                                                             \
    X(PQclear)                                                                         \
    X(PQcmdTuples)                                                                     \
    X(PQconnectStartParams)                                                            \
    X(PQconnectionNeedsPassword)                                                       \
    X(PQconninfo)                                                                      \
    X(PQconninfoFree)                                                                  \
    X(PQconninfoParse)                                                                 \
    X(PQerrorMessage)                                                                  \
    X(PQexec)                                                                          \
    X(PQexecParams)                                                                    \
    X(PQfinish)                                                                        \
    X(PQfreemem)                                                                       \
    X(PQgetResult)                                                                     \
    X(PQgetisnull)                                                                     \
    X(PQgetvalue)                                                                      \
    X(PQhost)                                                                          \
    X(PQparameterStatus)                                                               \
    X(PQpass)                                                                          \
    X(PQport)                                                                          \
    X(PQntuples)                                                                       \
    X(PQputCopyData)                                                                   \
    X(PQputCopyEnd)                                                                    \
    X(PQreset)                                                                         \
    X(PQresultErrorField)                                                              \
    X(PQresultStatus)                                                                  \
    X(PQserverVersion)                                                                 \
    X(PQsetErrorVerbosity)                                                             \
    X(PQsetNoticeReceiver)                                                             \
    X(PQstatus)

struct dg_pq {
    DG_PQ_FUNCTIONS(DG_SYMBOL_POINTER)
};

/* DG_ERR_DEVICE where there is none. */
enum dg_status dg_pq_load(struct dg_pq *pq, struct dg_error *err);

#endif
