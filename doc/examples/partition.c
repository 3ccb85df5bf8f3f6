/* A graph as arrays, and its partitions: a -> b -> c, b is not supported, d reads a. */
#include <delegraph.h>
#include <stdio.h>

enum { N = 4 };

int main(void)
{
    static const char *const names[N] = {"a", "b", "c", "d"};
    static const unsigned input_of[N + 1] = {0, 0, 1, 2, 3}, inputs[] = {0, 1, 0};
    static const unsigned user_of[N + 1] = {0, 2, 3, 3, 3}, users[] = {1, 3, 2};
    static const unsigned char marks[N] = {
        DELEGRAPH_CALL | DELEGRAPH_SUPPORTED, DELEGRAPH_CALL,
        DELEGRAPH_CALL | DELEGRAPH_SUPPORTED, DELEGRAPH_CALL | DELEGRAPH_SUPPORTED};
    struct delegraph_graph graph = {N,     input_of, inputs, user_of,
                                    users, marks,    0,      NULL};
    unsigned ids[N], begins[N + 1], nodes[N];
    unsigned char moved[N];
    struct delegraph_partitions out = {0, ids, begins, nodes, moved, 0, 0};
    char error[200];
    int code = delegraph_partition(&graph, DELEGRAPH_CAPABILITY, 1, &out, error,
                                   sizeof(error));

    if (code) {
        fprintf(stderr, "%s\n", error);
        return code;
    }
    for (unsigned p = 0; p < out.n_partitions; p++) {
        printf("partition %u:", ids[p]);
        for (unsigned k = begins[p]; k < begins[p + 1]; k++)
            printf(" %s", names[nodes[k]]);
        printf("\n");
    }
    return 0;
}
