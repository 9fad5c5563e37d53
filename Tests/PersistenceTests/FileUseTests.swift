// The record of the files that processes have open, and the decision whether a file and its log belong together.

import Foundation
import Synchronization
import Testing

@testable import Persistence

@Suite struct FileUseTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    private static func identity(_ number: UInt64, born birth: UInt64 = 5) -> FileIdentity {
        FileIdentity(number: number, birth: birth)
    }

    private static func file(_ number: UInt64, born birth: UInt64 = 5, size: UInt64 = 4096) -> FilePlace.File {
        FilePlace.File(identity: identity(number, born: birth), size: size)
    }

    private static let record = FileRecord(file: identity(1), log: identity(.max - 1, born: .max))

    @Test func aRecordIsReadAgain() throws {
        let first = try FileUse(of: place.path)
        #expect(first.isAlone)
        #expect(first.record == nil)
        first.record(Self.record)
        first.share()
        let second = try FileUse(of: place.path)
        #expect(!second.isAlone)
        #expect(second.record == Self.record)
        let later = FileRecord(file: Self.identity(1), log: nil)
        second.record(later)
        second.share()
        first.release()
        second.release()
        let third = try FileUse(of: place.path)
        #expect(third.isAlone)
        #expect(third.record == later)
        third.release()
    }

    @Test func aFileWithoutABirthTimeIsTheFileWithIts() {
        #expect(Self.identity(1, born: 0) == Self.identity(1))
        #expect(Self.identity(1) == Self.identity(1, born: 0))
        #expect(Self.identity(1, born: 0) != Self.identity(2, born: 0))
        #expect(Self.identity(1) != Self.identity(1, born: 6))
    }

    /// An older version of this package leaves the file empty.
    @Test func aShortRecordDoesNotCount() {
        for count in 0..<FileRecord.length { #expect(FileRecord(Array(Self.record.bytes.prefix(count))) == nil) }
        #expect(FileRecord(Self.record.bytes) == Self.record)
    }

    /// A process that is killed while it opens another file leaves no record of the former one.
    @Test func theRecordComesBeforeTheFirstStatement() async throws {
        let records = Mutex<[FileRecord?]>([])
        var options = StanzaDatabase.Options()
        options.statementObserver = { [place] _ in
            let bytes = try? Data(contentsOf: URL(filePath: place.path + ".users"))
            records.withLock { $0.append(bytes.flatMap { FileRecord(Array($0)) }) }
        }
        try await place.open().close()
        let other = try TemporaryDatabase()
        try await other.open().close()
        #expect(rename(other.path, place.path) == 0)
        let file = try #require(FilePlace(place.path).file()?.identity)
        let database = try await place.open(options)
        #expect(records.withLock { $0.first??.file } == file)
        let log = try #require(FilePlace(place.path).file("-wal")?.identity)
        let bytes = try Data(contentsOf: URL(filePath: place.path + ".users"))
        #expect(FileRecord(Array(bytes)) == FileRecord(file: file, log: log))
        database.close()
    }

    private typealias Files = (file: FilePlace.File?, log: FilePlace.File?, record: FileRecord?, verdict: FileVerdict)

    private static let itsLog = file(.max - 1, born: .max)
    private static let withoutLog = FileRecord(file: identity(1), log: nil)

    private static let openFiles: [Files] = [
        (file(1), itsLog, record, .fits), (file(2), itsLog, record, .moved), (nil, itsLog, record, .moved),
        (file(1, born: 6), itsLog, record, .moved), (file(1, size: 0), itsLog, record, .moved),
        // The log was removed, and perhaps replaced.
        (file(1), nil, record, .moved), (file(1), file(9), record, .moved),
        (file(1), file(.max - 1), record, .moved), (file(1), file(9), withoutLog, .fits),
        (nil, nil, nil, .moved), (file(2), file(9), nil, .fits),
    ]

    @Test(arguments: openFiles, [false, true]) private func whileOthersHaveThemOpenTheFilesMustBeTheirs(
        files: Files, hasIndex: Bool
    ) {
        let verdict = FileVerdict(
            file: files.file, log: files.log, hasIndex: hasIndex, record: files.record, isAlone: false)
        #expect(verdict == files.verdict)
    }

    private static let closedFiles: [Files] = [
        // Nothing to lose.
        (nil, nil, nil, .fits), (file(1), nil, record, .fits), (file(1), file(9, size: 0), record, .fits),
        // No file, or SQLite has not written it.
        (nil, file(9), nil, .strayLog), (file(1, size: 0), itsLog, record, .strayLog),
        // After a crash; after a file was replaced; after both were restored.
        (file(1), itsLog, record, .fits), (file(2), itsLog, record, .strayLog),
        (file(1, born: 6), itsLog, record, .strayLog), (file(2), file(9), record, .fits),
        (file(2), file(9), nil, .fits),
        // A process was killed while it opened the file.
        (file(1), file(9), withoutLog, .fits), (file(2), file(9), withoutLog, .strayLog),
    ]

    @Test(arguments: closedFiles, [false, true]) private func aLogMustBelongToItsFile(files: Files, hasIndex: Bool) {
        let verdict = FileVerdict(
            file: files.file, log: files.log, hasIndex: hasIndex, record: files.record, isAlone: true)
        #expect(verdict == files.verdict)
    }

    /// A connection that only inspected the former file has left the index, which may describe that file.
    @Test(arguments: [nil, file(9, size: 0)]) func anIndexMustBelongToItsFile(log: FilePlace.File?) {
        for (hasIndex, verdict) in [(false, FileVerdict.fits), (true, .strayIndex)] {
            for file in [nil, Self.file(2), Self.file(1, born: 6)] {
                #expect(
                    FileVerdict(file: file, log: log, hasIndex: hasIndex, record: Self.record, isAlone: true) == verdict
                )
            }
        }
    }
}
