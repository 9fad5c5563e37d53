// Reports the slow path of Synchronization.Mutex to the thread sanitizer. .ci/sanitize preloads it.
//
// The fast path of Mutex is compiled into its caller, where the sanitizer sees its atomic operations. A contended lock
// changes hands in a futex, inside of libswiftSynchronization.so, which is not instrumented. Without these hooks, each
// such change is reported as a race.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// A preloaded library is in every process that is started, also in those without the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// The calling convention of Swift passes the lock's address, `self`, in the register of the context.
#define SELF __attribute__((swift_context)) void *self
#define SWIFT __attribute__((swiftcall))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void hook_lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool hook_try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void hook_unlock(SELF) __asm__(UNLOCK);

static SWIFT void (*real_lock)(uint32_t, SELF);
static SWIFT bool (*real_try_lock)(SELF);
static SWIFT void (*real_unlock)(SELF);

// Looked up once, before other threads exist.
__attribute__((constructor)) static void find(void) {
    real_lock = (__typeof__(real_lock))dlsym(RTLD_NEXT, LOCK);
    real_try_lock = (__typeof__(real_try_lock))dlsym(RTLD_NEXT, TRY_LOCK);
    real_unlock = (__typeof__(real_unlock))dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void hook_lock(uint32_t thread, SELF) {
    real_lock(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool hook_try_lock(SELF) {
    bool is_locked = real_try_lock(self);
    if (is_locked && __tsan_acquire) __tsan_acquire(self);
    return is_locked;
}

SWIFT void hook_unlock(SELF) {
    if (__tsan_release) __tsan_release(self);
    real_unlock(self);
}
