// Which failures of SQLite may be over soon.

import Foundation
import GRDB
import StreamManagement
import Testing

@testable import Persistence

@Suite struct TemporaryErrorTests {
    private static let table: [(code: ResultCode, isTemporary: Bool)] = [
        (.SQLITE_BUSY, true), (.SQLITE_BUSY_SNAPSHOT, true), (.SQLITE_LOCKED, true), (.SQLITE_FULL, true),
        (.SQLITE_IOERR, true), (.SQLITE_IOERR_WRITE, true), (.SQLITE_IOERR_FSYNC, true), (.SQLITE_IOERR_SHMMAP, true),
        (.SQLITE_IOERR_AUTH, true), (.SQLITE_AUTH, true), (.SQLITE_IOERR_CORRUPTFS, false), (.SQLITE_IOERR_DATA, false),
        (.SQLITE_CANTOPEN, true), (.SQLITE_NOMEM, true), (.SQLITE_PROTOCOL, true), (.SQLITE_CORRUPT, false),
        (.SQLITE_NOTADB, false), (.SQLITE_READONLY, false), (.SQLITE_PERM, false), (.SQLITE_CONSTRAINT, false),
        (.SQLITE_ERROR, false), (.SQLITE_MISUSE, false), (.SQLITE_TOOBIG, false),
    ]

    @Test(arguments: table) func failure(code: ResultCode, isTemporary: Bool) throws {
        let error = try #require(StanzaDatabaseError(DatabaseError(resultCode: code), path: ""))
        #expect(error.isTemporary == isTemporary, "\(error)")
    }

    /// A step can need more memory than there ever is, or a file that does not exist.
    @Test(arguments: [ResultCode.SQLITE_NOMEM, .SQLITE_IOERR_NOMEM, .SQLITE_CANTOPEN])
    func aStepThatLacksAResourceIsAtFaultWhileThereIsSome(code: ResultCode) async throws {
        let place = try TemporaryDatabase()
        let error = DatabaseError(resultCode: code)
        try await StanzaDatabase.open(at: place.path).write { transaction in
            #expect(transaction.couldNotDo(error, lacks: { ($0 == .temporaryFiles) == (code == .SQLITE_CANTOPEN) }))
            #expect(!transaction.couldNotDo(error))
        }
    }

    /// A device that is locked protects its files. The next attempt may succeed.
    @Test(arguments: [ResultCode.SQLITE_AUTH, .SQLITE_IOERR_AUTH]) func aLockedDevice(code: ResultCode) async throws {
        let thrown = DatabaseError(resultCode: code)
        #expect(StanzaDatabaseError(thrown, path: "") == .deviceLocked)
        #expect("\(StanzaDatabaseError.deviceLocked)".contains("device is locked"))
        let place = try TemporaryDatabase()
        try await StanzaDatabase.open(at: place.path).write { #expect($0.couldNotDo(thrown)) }
    }

    /// The error names the cause, and only too many open files pass.
    @Test func aFileThatCannotBeOpened() {
        typealias Failure = StanzaDatabaseError
        for code in [EMFILE, ENFILE] { #expect(Failure(opening: "/a.db", code) == .tooManyOpenFiles) }
        #expect(Failure(opening: "/a.db", EROFS) == .readOnlyVolume("/a.db"))
        #expect(Failure(opening: "/a.db", EACCES) == .unreadable("/a.db"))
        #expect(Failure.tooManyOpenFiles.isTemporary && !Failure.readOnlyVolume("/a.db").isTemporary)
        #expect("\(Failure.readOnlyVolume("/a.db"))".contains("read-only volume"))
        #expect("\(Failure.tooManyOpenFiles)".contains("too many files"))
    }
}
