// The clocks: almost everything is timed with the first, work of several threads with the others.

import Glibc

/// The processor time of this thread: time in which other threads have the processor does not count. All measured work
/// runs in one thread and never waits, so on an otherwise idle machine this is wall-clock time.
enum ThreadClock {
    static var nanoseconds: Double { time(of: CLOCK_THREAD_CPUTIME_ID) }
}

/// The processor time of all threads of this process.
enum ProcessClock {
    static var nanoseconds: Double { time(of: CLOCK_PROCESS_CPUTIME_ID) }
}

/// The processor time of processes that this one started and that have ended, with their own.
enum ChildClock {
    static var nanoseconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        let microseconds = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        return seconds * 1e9 + microseconds * 1e3
    }
}

/// The time on the wall.
enum WallClock {
    static var nanoseconds: Double { time(of: CLOCK_MONOTONIC) }
}

private func time(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
