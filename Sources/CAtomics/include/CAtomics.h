// Atomic operations on words, for systems without the module Synchronization.
#ifndef CATOMICS_H
#define CATOMICS_H
#include <stdbool.h>
#include <stdint.h>

// Words of the process, 0 at its start. A static variable of Swift would check at each use whether it is initialized.
extern uintptr_t stanza_query_cache, stanza_match_scratch;
static inline uintptr_t *stanza_query_cache_word(void) { return &stanza_query_cache; }
static inline uintptr_t *stanza_match_scratch_word(void) { return &stanza_match_scratch; }

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
