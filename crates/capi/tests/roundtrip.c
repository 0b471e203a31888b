/* Uses the C library as a program would, with every codec, damaged data, wrong arguments and several threads. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shrinkwarp_codec.h>

enum { BLOCK_BYTES = 128, BLOCKS = 96, BYTES = BLOCK_BYTES * BLOCKS, THREADS = 4 };

static uint8_t data[BYTES];

/* Zeros, small numbers, a ramp, floats and noise, so that every codec meets something it likes and something it does not. */
static void make_data(void) {
    uint32_t noise = 12345;
    for (size_t word = 0; word < BYTES / 4; word++) {
        uint32_t value = 0;
        noise = noise * 1664525u + 1013904223u;
        switch (word / 32 % 5) {
        case 0: value = 0; break;
        case 1: value = noise >> 24; break;
        case 2: value = 1000 + (uint32_t)word; break;
        case 3: { float f = (float)word * 0.25f; memcpy(&value, &f, 4); break; }
        default: value = noise; break;
        }
        memcpy(data + 4 * word, &value, 4);
    }
}

static ShrinkwarpCodec *create(const char *spec) {
    ShrinkwarpCodec *codec = NULL;
    ShrinkwarpStatus status = shrinkwarp_codec_create(spec, strlen(spec), BLOCK_BYTES, data, BYTES, &codec);
    if (status != SHRINKWARP_STATUS_OK) {
        char text[200];
        shrinkwarp_last_error(text, sizeof text);
        fprintf(stderr, "%s: %s\n", spec, text);
        exit(1);
    }
    return codec;
}

static void check_round_trip(const ShrinkwarpCodec *codec) {
    uint32_t sizes[BLOCKS], encoded_sizes[BLOCKS];
    size_t capacity = shrinkwarp_compress_bound(BLOCKS), encoded_bytes = 0, total_bits = 0;
    uint8_t *encoded = malloc(capacity), *back = calloc(1, BYTES);
    assert(shrinkwarp_codec_block_bytes(codec) == BLOCK_BYTES);
    assert(shrinkwarp_sizes_bits(codec, data, BYTES, sizes, BLOCKS) == SHRINKWARP_STATUS_OK);
    assert(shrinkwarp_compress(codec, data, BYTES, encoded, capacity, encoded_sizes, BLOCKS, &encoded_bytes) ==
           SHRINKWARP_STATUS_OK);
    for (size_t block = 0; block < BLOCKS; block++) {
        assert(sizes[block] == encoded_sizes[block]);
        total_bits += sizes[block];
    }
    assert(encoded_bytes == (total_bits + 7) / 8 && encoded_bytes <= capacity);
    /* Memory that ends where the encoding ends, so that valgrind sees a read past it. */
    uint8_t *exact = malloc(encoded_bytes);
    memcpy(exact, encoded, encoded_bytes);
    assert(shrinkwarp_decompress(codec, exact, encoded_bytes, sizes, BLOCKS, back, BYTES) == SHRINKWARP_STATUS_OK);
    assert(memcmp(back, data, BYTES) == 0);

    /* Too little room: nothing is written but the length. */
    size_t wanted = 0;
    assert(shrinkwarp_compress(codec, data, BYTES, NULL, 0, encoded_sizes, BLOCKS, &wanted) == SHRINKWARP_STATUS_ROOM);
    assert(wanted == encoded_bytes);

    /* Damage is an error or other blocks. */
    for (size_t flipped = 0; flipped < encoded_bytes; flipped += 61) {
        exact[flipped] ^= 0x10;
        ShrinkwarpStatus status = shrinkwarp_decompress(codec, exact, encoded_bytes, sizes, BLOCKS, back, BYTES);
        assert(status == SHRINKWARP_STATUS_OK || status == SHRINKWARP_STATUS_ENCODING);
        exact[flipped] ^= 0x10;
    }
    sizes[3] += 8;
    assert(shrinkwarp_decompress(codec, exact, encoded_bytes, sizes, BLOCKS, back, BYTES) == SHRINKWARP_STATUS_ENCODING);
    free(exact);
    free(encoded);
    free(back);
}

static void *round_trip_in_thread(void *codec) {
    check_round_trip(codec);
    return NULL;
}

static void check_every_codec(void) {
    size_t count = shrinkwarp_codec_count(), trained = 0;
    assert(count >= 16 && shrinkwarp_codec_name(count) == NULL && !shrinkwarp_codec_is_trained(count));
    for (size_t index = 0; index < count; index++) {
        const char *name = shrinkwarp_codec_name(index);
        assert(strlen(shrinkwarp_codec_summary(index)) > 0 && shrinkwarp_codec_parameters(index) != NULL);
        ShrinkwarpCodec *codec = create(name);
        check_round_trip(codec);

        size_t tables_bytes = 0;
        ShrinkwarpStatus status = shrinkwarp_codec_tables(codec, NULL, 0, &tables_bytes);
        assert(status == (tables_bytes == 0 ? SHRINKWARP_STATUS_OK : SHRINKWARP_STATUS_ROOM));
        assert((tables_bytes > 0) == shrinkwarp_codec_is_trained(index));
        uint8_t *tables = malloc(tables_bytes + 1);
        assert(shrinkwarp_codec_tables(codec, tables, tables_bytes, &tables_bytes) == SHRINKWARP_STATUS_OK);
        ShrinkwarpCodec *loaded = NULL;
        assert(shrinkwarp_codec_load(name, strlen(name), BLOCK_BYTES, tables, tables_bytes, &loaded) ==
               SHRINKWARP_STATUS_OK);
        check_round_trip(loaded);
        if (tables_bytes > 0) {
            trained++;
            ShrinkwarpCodec *none = NULL;
            assert(shrinkwarp_codec_load(name, strlen(name), BLOCK_BYTES, tables, tables_bytes - 1, &none) ==
                   SHRINKWARP_STATUS_TABLES);
            assert(none == NULL);
        }
        free(tables);
        shrinkwarp_codec_free(loaded);
        shrinkwarp_codec_free(codec);
    }
    assert(trained >= 8);
}

static void check_training_in_pieces(void) {
    const char *spec = "e2mc16:ways=4";
    ShrinkwarpTrainer *trainer = NULL;
    ShrinkwarpCodec *at_once = create(spec), *in_pieces = NULL;
    assert(shrinkwarp_trainer_create(spec, strlen(spec), BLOCK_BYTES, &trainer) == SHRINKWARP_STATUS_OK);
    assert(shrinkwarp_trainer_observe(trainer, data, BYTES / 2) == SHRINKWARP_STATUS_OK);
    assert(shrinkwarp_trainer_observe(trainer, data, 5) == SHRINKWARP_STATUS_ARGUMENT);
    assert(shrinkwarp_trainer_observe(trainer, data + BYTES / 2, BYTES / 2) == SHRINKWARP_STATUS_OK);
    assert(shrinkwarp_trainer_finish(trainer, &in_pieces) == SHRINKWARP_STATUS_OK);
    uint32_t first[BLOCKS], second[BLOCKS];
    assert(shrinkwarp_sizes_bits(at_once, data, BYTES, first, BLOCKS) == SHRINKWARP_STATUS_OK);
    assert(shrinkwarp_sizes_bits(in_pieces, data, BYTES, second, BLOCKS) == SHRINKWARP_STATUS_OK);
    assert(memcmp(first, second, sizeof first) == 0);
    assert(shrinkwarp_trainer_create(spec, strlen(spec), BLOCK_BYTES, &trainer) == SHRINKWARP_STATUS_OK);
    shrinkwarp_trainer_free(trainer);
    shrinkwarp_trainer_free(NULL);
    shrinkwarp_codec_free(at_once);
    shrinkwarp_codec_free(in_pieces);
    shrinkwarp_codec_free(NULL);
}

static void check_wrong_arguments(void) {
    ShrinkwarpCodec *codec = NULL, *bpc = create("bpc");
    uint32_t sizes[BLOCKS];
    char text[64];
    assert(shrinkwarp_codec_create("bpd", 3, BLOCK_BYTES, NULL, 0, &codec) == SHRINKWARP_STATUS_SPEC);
    assert(shrinkwarp_last_error(text, sizeof text) > 20 && strstr(text, "bpc") != NULL);
    size_t whole = shrinkwarp_last_error(NULL, 0);
    assert(shrinkwarp_last_error(text, 5) == whole && strlen(text) == 4);
    assert(shrinkwarp_codec_create("bpc", 3, 96, NULL, 0, &codec) == SHRINKWARP_STATUS_SPEC);
    assert(shrinkwarp_codec_create(NULL, 3, BLOCK_BYTES, NULL, 0, &codec) == SHRINKWARP_STATUS_ARGUMENT);
    assert(shrinkwarp_codec_create("\xff\xfe", 2, BLOCK_BYTES, NULL, 0, &codec) == SHRINKWARP_STATUS_ARGUMENT);
    assert(shrinkwarp_codec_create("bpc", 3, BLOCK_BYTES, NULL, 7, &codec) == SHRINKWARP_STATUS_ARGUMENT);
    assert(shrinkwarp_codec_create("bpc", 3, BLOCK_BYTES, NULL, 0, NULL) == SHRINKWARP_STATUS_ARGUMENT);
    assert(codec == NULL);
    assert(shrinkwarp_sizes_bits(NULL, data, BYTES, sizes, BLOCKS) == SHRINKWARP_STATUS_ARGUMENT);
    assert(shrinkwarp_sizes_bits(bpc, data, BYTES - 1, sizes, BLOCKS) == SHRINKWARP_STATUS_ARGUMENT);
    assert(shrinkwarp_sizes_bits(bpc, data, BYTES, sizes, BLOCKS - 1) == SHRINKWARP_STATUS_ARGUMENT);
    assert(shrinkwarp_sizes_bits(bpc, NULL, 0, NULL, 0) == SHRINKWARP_STATUS_OK);
    assert(shrinkwarp_trainer_observe(NULL, data, BYTES) == SHRINKWARP_STATUS_ARGUMENT);
    assert(shrinkwarp_trainer_finish(NULL, &codec) == SHRINKWARP_STATUS_ARGUMENT);
    shrinkwarp_codec_free(bpc);
}

static void check_threads(void) {
    pthread_t threads[THREADS];
    ShrinkwarpCodec *codec = create("e2mc8");
    for (int thread = 0; thread < THREADS; thread++) {
        assert(pthread_create(&threads[thread], NULL, round_trip_in_thread, codec) == 0);
    }
    for (int thread = 0; thread < THREADS; thread++) {
        pthread_join(threads[thread], NULL);
    }
    shrinkwarp_codec_free(codec);
}

int main(void) {
    make_data();
    check_every_codec();
    check_training_in_pieces();
    check_wrong_arguments();
    check_threads();
    printf("%zu codecs round-trip through the C library\n", shrinkwarp_codec_count());
    return 0;
}
