// Detects whether the owner of a session still lives. The table of owners decides which owner may write
// (SessionTable.swift). This file only decides whether an owner that never gave its session up can be ignored, because
// its process has ended.

import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The signs of life of this process's owners. Each owner holds a lock on one byte of a file, which stays empty. The
/// system releases the lock when the process ends, however it ends.
final class SessionOwners: Sendable {
    private struct State {
        /// The file, from its first use on, unless the database is frozen.
        var descriptor: CInt?
        var tokens: Set<Int64> = []
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    deinit { state.withLock { Self.release(&$0) } }

    /// Creates an owner, which counts as alive from now on.
    ///
    /// - Throws: `StanzaDatabaseError.unreadable` if the file cannot be created.
    func add() throws(StanzaDatabaseError) -> Int64 {
        let token = Int64.random(in: 1..<Self.end)
        let isLocked = state.withLock { state in
            guard let descriptor = Self.open(path, &state), Self.lock(token, in: descriptor) else { return false }
            state.tokens.insert(token)
            return true
        }
        if !isLocked { throw .unreadable(path) }
        return token
    }

    /// Removes an owner that gives its session up.
    func remove(_ token: Int64) {
        state.withLock { state in
            guard state.tokens.remove(token) != nil, let descriptor = state.descriptor else { return }
            Self.unlock(token, in: descriptor)
        }
    }

    /// Whether this database has made the owner.
    func has(_ token: Int64) -> Bool { state.withLock { $0.tokens.contains(token) } }

    /// Whether the owner's process runs, and its database is not frozen.
    func lives(_ token: Int64) throws(StanzaDatabaseError) -> Bool {
        let answer: Bool? = state.withLock { state in
            if state.tokens.contains(token) { return true }
            // The owner gave the session up, or no database has made it.
            guard token > 0, token < Self.end else { return false }
            guard let descriptor = Self.open(path, &state) else { return nil }
            return Self.isLocked(token, in: descriptor)
        }
        guard let answer else { throw .unreadable(path) }
        return answer
    }

    /// Releases all locks for now.
    func freeze() { state.withLock { Self.release(&$0) } }

    /// Takes the locks again. They are free: no two owners have the same byte.
    func unfreeze() {
        state.withLock { state in
            guard !state.tokens.isEmpty, let descriptor = Self.open(path, &state) else { return }
            for token in state.tokens where !Self.lock(token, in: descriptor) { state.tokens.remove(token) }
        }
    }

    // MARK: Locks

    /// The bound of the random tokens: two tokens are equal less often than disks fail.
    private static let end = Int64(1) << 62

    // These locks belong to an open file, not to a process, so two databases in one process can distinguish their
    // locks. The system's headers have these numbers, but Swift does not always import them.
    #if canImport(Darwin)
    private static let setLock: CInt = 90
    private static let getLock: CInt = 92
    #else
    private static let setLock: CInt = 37
    private static let getLock: CInt = 36
    #endif

    /// Releases the locks and closes the file. Closing alone releases nothing while a process that is being started has
    /// a copy of the descriptor.
    private static func release(_ state: inout State) {
        guard let descriptor = state.descriptor else { return }
        for token in state.tokens { unlock(token, in: descriptor) }
        close(descriptor)
        state.descriptor = nil
    }

    private static func open(_ path: String, _ state: inout State) -> CInt? {
        if let descriptor = state.descriptor { return descriptor }
        #if canImport(Glibc)
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #elseif canImport(Musl)
        let descriptor = Musl.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #else
        let descriptor = Darwin.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #endif
        state.descriptor = descriptor < 0 ? nil : descriptor
        return state.descriptor
    }

    private static func byte(_ token: Int64, _ type: CInt) -> flock {
        var lock = flock()
        lock.l_type = numericCast(type)
        lock.l_whence = numericCast(SEEK_SET)
        lock.l_start = numericCast(token)
        lock.l_len = 1
        return lock
    }

    private static func lock(_ token: Int64, in descriptor: CInt) -> Bool {
        var lock = byte(token, CInt(F_WRLCK))
        return fcntl(descriptor, setLock, &lock) == 0
    }

    private static func unlock(_ token: Int64, in descriptor: CInt) {
        var lock = byte(token, CInt(F_UNLCK))
        _ = fcntl(descriptor, setLock, &lock)
    }

    private static func isLocked(_ token: Int64, in descriptor: CInt) -> Bool {
        var lock = byte(token, CInt(F_WRLCK))
        // If the system cannot report the lock, the owner counts as alive: another owner can still take over.
        return fcntl(descriptor, getLock, &lock) != 0 || CInt(lock.l_type) != CInt(F_UNLCK)
    }
}
