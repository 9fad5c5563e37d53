// Counts allocations by standing in front of the C library's: these definitions are in the executable, so they win.
// glibc only.
#include "counters.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAS_CALLGRIND 1
#else
#define HAS_CALLGRIND 0
#endif

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// Of this thread: an atomic addition would slow down whoever allocates much.
static _Thread_local unsigned long allocations;
static _Thread_local int is_tracking;
static _Thread_local long tracked_bytes;

static long size_of(void *block) { return block ? (long)(malloc_usable_size(block) + sizeof(size_t)) : 0; }

static void *count(void *block) {
    allocations++;
    if (is_tracking) tracked_bytes += size_of(block);
    return block;
}

void *malloc(size_t size) { return count(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return count(__libc_calloc(number, size)); }

void *realloc(void *block, size_t size) {
    if (is_tracking) tracked_bytes -= size_of(block);
    return count(__libc_realloc(block, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return count(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    void *block = count(__libc_memalign(alignment, size));
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}

void free(void *block) {
    if (is_tracking) tracked_bytes -= size_of(block);
    __libc_free(block);
}

unsigned long counters_allocations(void) { return allocations; }

void counters_track_bytes(void) {
    tracked_bytes = 0;
    is_tracking = 1;
}

long counters_tracked_bytes(void) {
    is_tracking = 0;
    return tracked_bytes;
}

#if HAS_CALLGRIND
void counters_begin(void) {
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
}

void counters_end(const char *name) {
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(name);
}

int counters_under_valgrind(void) { return RUNNING_ON_VALGRIND != 0; }
#else
void counters_begin(void) {}
void counters_end(const char *name) { (void)name; }
int counters_under_valgrind(void) { return 0; }
#endif
