// Counts the bytes written to files, the waits for a disk and those of threads. It replaces functions of the C library.
// SQLite uses these two; sockets are written to by others.
#define _GNU_SOURCE
#include "counters.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_ulong syncs;
static atomic_ulong file_bytes;

int fdatasync(int descriptor) {
    atomic_fetch_add_explicit(&syncs, 1, memory_order_relaxed);
    return (int)syscall(SYS_fdatasync, descriptor);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    ssize_t written = syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    if (written > 0) atomic_fetch_add_explicit(&file_bytes, (unsigned long)written, memory_order_relaxed);
    return written;
}

unsigned long counters_syncs(void) { return atomic_load_explicit(&syncs, memory_order_relaxed); }

unsigned long counters_file_bytes(void) { return atomic_load_explicit(&file_bytes, memory_order_relaxed); }

unsigned long counters_switches(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return (unsigned long)usage.ru_nvcsw;
}
