// Starts other programs: those of suites, and those that decompress.

import Foundation

/// A pipe whose ends other programs do not inherit.
struct PipeEnds {
    let reading: Int32
    let writing: Int32

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }
}

/// Starts a program. Searches for it in `PATH`.
///
/// - Parameter inGroup: Whether the program gets its own process group. A kill ends the whole group, and so does the
///   end of this process. Otherwise Ctrl-C at a terminal reaches it, too.
func startProgram(_ words: [String], input: Int32, output: Int32, inGroup: Bool) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    let environment = _NSGetEnviron().pointee
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    let environment = environ
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process ignores SIGPIPE; the program gets the default.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // The handler of signals has to know the process.
    var (deadly, former) = (Interruption.signals, sigset_t())
    pthread_sigmask(SIG_BLOCK, &deadly, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    posix_spawnattr_setsigmask(&attributes, &former)
    posix_spawnattr_setflags(
        &attributes,
        Int16((inGroup ? POSIX_SPAWN_SETPGROUP : 0) | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    let arguments = words.map { strdup($0) }
    defer { for string in arguments { free(string) } }
    var process = pid_t()
    let code = posix_spawnp(&process, words[0], &actions, &attributes, arguments + [nil], environment)
    if code != 0 { throw SystemError(code: code) }
    if inGroup { Interruption.endsProgram(process) }
    return process
}
