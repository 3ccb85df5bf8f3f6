/* Feeds files to a fuzz target once, so that plain builds replay the corpus. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const char *path)
{
    static uint8_t buffer[1 << 20];
    FILE *file = fopen(path, "rb");
    uint8_t *data;
    size_t size;

    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    size = fread(buffer, 1, sizeof(buffer), file);
    fclose(file);
    data = malloc(size ? size : 1); /* no larger, so that sanitizers see the end */
    memcpy(data, buffer, size);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    return EXIT_SUCCESS;
}
