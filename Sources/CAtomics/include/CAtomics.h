// Atomic operations on words, for systems without the module Synchronization.
#ifndef CATOMICS_H
#define CATOMICS_H
#include <stdbool.h>
#include <stdint.h>

// Words of the program or library, 0 at its start: the first for the cache of queries, the second for the memory of patterns.
// A static variable of Swift would check at each use whether it is initialized. Hidden: a library and its program may have
// different versions.
extern uintptr_t stanza_words[2] __attribute__((visibility("hidden")));
static inline uintptr_t *stanza_word(unsigned number) { return &stanza_words[number & 1]; }

static inline uintptr_t stanza_atomic_load(const uintptr_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

static inline void stanza_atomic_store(uintptr_t *word, uintptr_t value) {
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static inline uintptr_t stanza_atomic_exchange(uintptr_t *word, uintptr_t value) {
    return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}

// Returns the value before: it is `expected` if the word has the new value.
static inline uintptr_t stanza_atomic_replace(uintptr_t *word, uintptr_t expected, uintptr_t value) {
    __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

#endif
