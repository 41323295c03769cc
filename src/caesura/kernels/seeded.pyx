"""Random numbers of many small samples, each with its own seed, with the bits of numpy's generators.

Row i of the result is ::

    numpy.random.Generator(PCG64(SeedSequence(seed, spawn_key=keys[i]))).random(count)

Building these objects takes a thousand times as long as drawing a few numbers from them. SeedSequence is the hash of O'Neill
(2015, "Developing a seed_seq alternative") over a pool of four words of 32 bits; PCG64 is the generator PCG XSL RR 128/64 of
O'Neill (2014), "PCG: A family of simple fast space-efficient statistically good algorithms for random number generation". The
products of 128 bits are made of words of 64 bits, because not every compiler has a type for them.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

import numpy as np

cdef uint32_t POOL_START = 0x43B0D7E5, POOL_FACTOR = 0x931E8875
cdef uint32_t STATE_START = 0x8B51F9DD, STATE_FACTOR = 0x58F38DED
cdef uint32_t MIX_LEFT = 0xCA01F9DD, MIX_RIGHT = 0x4973F715
cdef uint64_t LOWER_HALF = 0xFFFFFFFF
cdef uint64_t FACTOR_HIGH = 0x2360ED051FC65DA4, FACTOR_LOW = 0x4385DF649FCCF645


cdef struct Pool:
    uint32_t word[4]
    uint32_t factor  # changes with every word that is hashed


cdef struct Generator:
    uint64_t high, low, increment_high, increment_low


cdef inline uint32_t hashed(Pool* pool, uint32_t value) noexcept nogil:
    value ^= pool.factor
    pool.factor *= POOL_FACTOR
    value *= pool.factor
    return value ^ (value >> 16)


cdef inline void mix(Pool* pool, int place, uint32_t value) noexcept nogil:
    cdef uint32_t mixed = MIX_LEFT * pool.word[place] - MIX_RIGHT * hashed(pool, value)
    pool.word[place] = mixed ^ (mixed >> 16)


cdef void fill_pool(Pool* pool, const uint32_t* entropy, int64_t words) noexcept nogil:
    """Fill the pool from at least four words of entropy."""
    cdef int64_t source
    cdef int place
    pool.factor = POOL_START
    for place in range(4):
        pool.word[place] = hashed(pool, entropy[place])
    for source in range(4):
        for place in range(4):
            if place != source:
                mix(pool, place, pool.word[source])
    for source in range(4, words):
        for place in range(4):
            mix(pool, place, entropy[source])


cdef inline uint64_t multiplied(uint64_t a, uint64_t b, uint64_t* high) noexcept nogil:
    """Return the lower half of the product; the upper half is stored in ``high``."""
    cdef uint64_t a0 = a & LOWER_HALF, a1 = a >> 32, b0 = b & LOWER_HALF, b1 = b >> 32
    cdef uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32), other = a0 * b1 + (cross & LOWER_HALF)
    high[0] = a1 * b1 + (cross >> 32) + (other >> 32)
    return (other << 32) | (low & LOWER_HALF)


cdef inline void advance(Generator* g) noexcept nogil:
    cdef uint64_t high, low = multiplied(g.low, FACTOR_LOW, &high)
    high += g.high * FACTOR_LOW + g.low * FACTOR_HIGH
    g.low = low + g.increment_low
    g.high = high + g.increment_high + (g.low < low)


cdef void start(Generator* g, const Pool* pool) noexcept nogil:
    cdef uint64_t state[4]
    cdef uint32_t word, factor = STATE_START
    cdef uint64_t low
    cdef int k
    for k in range(8):
        word = pool.word[k % 4] ^ factor
        factor *= STATE_FACTOR
        word *= factor
        word ^= word >> 16
        if k % 2 == 0:
            state[k // 2] = word
        else:
            state[k // 2] |= <uint64_t>word << 32
    g.increment_high = (state[2] << 1) | (state[3] >> 63)
    g.increment_low = (state[3] << 1) | 1
    g.high = g.low = 0
    advance(g)
    low = g.low + state[1]
    g.high += state[0] + (low < g.low)
    g.low = low
    advance(g)


cdef inline double uniform(Generator* g) noexcept nogil:
    """Return a random number from 0 to 1, 1 excluded, with 53 bits."""
    cdef uint64_t x
    cdef int turn
    advance(g)
    x, turn = g.high ^ g.low, <int>(g.high >> 58)
    x = (x >> turn) | (x << ((64 - turn) & 63))
    return (x >> 11) * (1.0 / 9007199254740992.0)


def uniforms(const uint32_t[::1] entropy not None, const uint32_t[:, ::1] keys not None, int64_t count):
    """Return ``count`` numbers for each row of ``keys``, which is a spawn key.

    ``entropy`` has the words of the seed, with zeros up to the fourth.
    """
    cdef int64_t known = entropy.shape[0], rows = keys.shape[0], length = keys.shape[1], i, k
    cdef uint32_t[::1] words = np.zeros(known + length, np.uint32)
    cdef double[:, ::1] out = np.empty((rows, count))
    cdef Pool pool
    cdef Generator g
    words[:known] = entropy
    with nogil:
        for i in range(rows):
            for k in range(length):
                words[known + k] = keys[i, k]
            fill_pool(&pool, &words[0], known + length)
            start(&g, &pool)
            for k in range(count):
                out[i, k] = uniform(&g)
    return np.asarray(out)
