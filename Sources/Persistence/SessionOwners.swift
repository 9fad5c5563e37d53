// Who of those that own sessions is still there. The table of owners says who may write (SessionTable.swift); this only
// tells whether an owner that never gave its session up can be passed over, because its process has ended.

import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The signs of life of this process's owners: each holds a lock on one byte of a file, which stays empty. The system
/// takes the lock back when the process ends, however it ends.
final class SessionOwners: Sendable {
    private struct State {
        /// The file, as long as somebody owns something and the database is not frozen.
        var descriptor: CInt?
        var tokens: Set<Int64> = []
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    deinit {
        state.withLock { if let descriptor = $0.descriptor { close(descriptor) } }
    }

    /// Makes an owner, which is seen to live from now on.
    /// - Throws: `StanzaDatabaseError.unreadable` if there cannot be such a file.
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

    /// The owner gives up.
    func remove(_ token: Int64) {
        state.withLock { state in
            guard state.tokens.remove(token) != nil, let descriptor = state.descriptor else { return }
            Self.unlock(token, in: descriptor)
        }
    }

    /// Whether the owner is one of this database's.
    func has(_ token: Int64) -> Bool { state.withLock { $0.tokens.contains(token) } }

    /// Whether the owner's process runs, and its database is not frozen.
    func lives(_ token: Int64) throws(StanzaDatabaseError) -> Bool {
        let answer: Bool? = state.withLock { state in
            if state.tokens.contains(token) { return true }
            // It gave the session up, or nobody has made it.
            guard token > 0, token < Self.end else { return false }
            guard let descriptor = Self.open(path, &state) else { return nil }
            return Self.isLocked(token, in: descriptor)
        }
        guard let answer else { throw .unreadable(path) }
        return answer
    }

    /// Holds no lock for now.
    func freeze() {
        state.withLock { state in
            if let descriptor = state.descriptor { close(descriptor) }
            state.descriptor = nil
        }
    }

    /// Takes the locks again. They are free: no two owners have the same byte.
    func unfreeze() {
        state.withLock { state in
            guard !state.tokens.isEmpty, let descriptor = Self.open(path, &state) else { return }
            for token in state.tokens where !Self.lock(token, in: descriptor) { state.tokens.remove(token) }
        }
    }

    // MARK: Locks

    /// Owners are drawn below this: two of them are the same less often than disks fail.
    private static let end = Int64(1) << 62

    // Locks that belong to an open file, not to a process: so two databases in one process tell each other apart. The
    // system's headers have these numbers, but Swift does not always see them.
    #if canImport(Darwin)
    private static let setLock: CInt = 90
    private static let getLock: CInt = 92
    #else
    private static let setLock: CInt = 37
    private static let getLock: CInt = 36
    #endif

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
        // Where the system cannot tell, the owner is taken to live: it can be taken over from.
        return fcntl(descriptor, getLock, &lock) != 0 || CInt(lock.l_type) != CInt(F_UNLCK)
    }
}
