// The clock that everything is timed with.

import Glibc

/// The processor time of this thread: what it takes while others have the processor does not count. Everything that is
/// measured runs in one thread and never waits, so on a machine of its own it is the time on the wall.
enum ThreadClock {
    static var nanoseconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
