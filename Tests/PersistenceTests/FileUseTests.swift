// The record of the files that processes have open, and the decision whether a file and its log belong together.

import Foundation
import Testing

@testable import Persistence

@Suite struct FileUseTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    private static let record = FileRecord(file: 1, log: .max - 1)

    private static func file(_ number: UInt64, size: UInt64 = 4096) -> FilePlace.File {
        FilePlace.File(number: number, size: size)
    }

    @Test func aRecordIsReadAgain() throws {
        let first = try FileUse(of: place.path)
        #expect(first.isAlone)
        #expect(first.record == nil)
        first.share(recording: Self.record)
        let second = try FileUse(of: place.path)
        #expect(!second.isAlone)
        #expect(second.record == Self.record)
        let later = FileRecord(file: 1, log: 3)
        second.share(recording: later)
        first.release()
        second.release()
        let third = try FileUse(of: place.path)
        #expect(third.isAlone)
        #expect(third.record == later)
        third.release()
    }

    /// An older version of this package leaves the file empty.
    @Test func aShortRecordDoesNotCount() {
        for count in 0..<FileRecord.length { #expect(FileRecord(Array(Self.record.bytes.prefix(count))) == nil) }
        #expect(FileRecord(Self.record.bytes) == Self.record)
    }

    private typealias Files = (file: FilePlace.File?, log: FilePlace.File?, record: FileRecord?, verdict: FileVerdict)

    private static let openFiles: [Files] = [
        (file(1), file(9), record, .fits), (file(2), file(9), record, .moved), (nil, file(9), record, .moved),
        (file(1, size: 0), file(9), record, .moved), (nil, nil, nil, .moved), (file(2), file(9), nil, .fits),
    ]

    @Test(arguments: openFiles) func whileOthersHaveItOpenTheFileMustBeTheirs(
        file: FilePlace.File?, log: FilePlace.File?, record: FileRecord?, verdict: FileVerdict
    ) {
        #expect(FileVerdict(file: file, log: log, record: record, isAlone: false) == verdict)
    }

    private static let closedFiles: [Files] = [
        // Nothing to lose.
        (nil, nil, record, .fits), (file(2), nil, record, .fits), (nil, file(.max - 1, size: 0), record, .fits),
        // No file, or SQLite has not written it.
        (nil, file(9), nil, .strayLog), (file(1, size: 0), file(.max - 1), record, .strayLog),
        // After a crash; after a file was replaced; after both were restored.
        (file(1), file(.max - 1), record, .fits), (file(2), file(.max - 1), record, .strayLog),
        (file(2), file(9), record, .fits), (file(2), file(9), nil, .fits),
    ]

    @Test(arguments: closedFiles) func aLogMustBelongToItsFile(
        file: FilePlace.File?, log: FilePlace.File?, record: FileRecord?, verdict: FileVerdict
    ) {
        #expect(FileVerdict(file: file, log: log, record: record, isAlone: true) == verdict)
    }
}
