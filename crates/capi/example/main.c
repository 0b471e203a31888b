/* How well does each codec shrink a file? Prints raw bits over encoded bits. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shrinkwarp_codec.h>

enum { BLOCK_BYTES = 128 };

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    fseek(file, 0, SEEK_END);
    size_t count = (size_t)ftell(file) / BLOCK_BYTES, bytes = count * BLOCK_BYTES;
    rewind(file);
    uint8_t *data = malloc(bytes + 1);
    uint32_t *sizes = malloc((count + 1) * sizeof *sizes);
    if (fread(data, 1, bytes, file) != bytes) return 1;
    fclose(file);

    for (size_t index = 0; index < shrinkwarp_codec_count(); index++) {
        const char *name = shrinkwarp_codec_name(index);
        ShrinkwarpCodec *codec = NULL;
        if (shrinkwarp_codec_create(name, strlen(name), BLOCK_BYTES, data, bytes, &codec) != SHRINKWARP_STATUS_OK ||
            shrinkwarp_sizes_bits(codec, data, bytes, sizes, count) != SHRINKWARP_STATUS_OK) {
            char text[256];
            shrinkwarp_last_error(text, sizeof text);
            fprintf(stderr, "%s: %s\n", name, text);
            return 1;
        }
        double bits = 0;
        /* A block that does not shrink is kept as it is. */
        for (size_t block = 0; block < count; block++) bits += sizes[block] < 8 * BLOCK_BYTES ? sizes[block] : 8 * BLOCK_BYTES;
        printf("%-12s %6.2f\n", name, bits > 0 ? 8.0 * (double)bytes / bits : 0.0);
        shrinkwarp_codec_free(codec);
    }
    free(data);
    free(sizes);
    return 0;
}
