// Paths that name no database of this package: they stay as they are, and the error says why.

import Foundation
import GRDB
import Persistence
import Promises
import Testing

@Suite(.fewAtOnce) struct ForeignFileTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: place.folder.path).sorted() }
    }

    @Test(arguments: ["x", "shorter", "a text file\n", String(repeating: "long ", count: 5000)])
    func aFileThatIsNoDatabaseStaysAsItIs(text: String) async throws {
        try Data(text.utf8).write(to: URL(filePath: place.path))
        await #expect(throws: StanzaDatabaseError.notADatabase) { try await place.open() }
        await #expect(throws: StanzaDatabaseError.notADatabase) { try await StanzaDatabase.inspect(at: place.path) }
        #expect(try Data(contentsOf: URL(filePath: place.path)) == Data(text.utf8))
        #expect(try names == ["test.db"])
        let words = "\(StanzaDatabaseError.notADatabase)"
        #expect(words.contains("SQLite database") && words.contains("give another path"))
    }

    /// Opening a pipe for reading would wait for its writer.
    @Test(.timeLimit(.minutes(10))) func foldersAndDevicesAreNoDatabases() async throws {
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: false)
        let pipe = place.folder.appending(path: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [place.path, pipe, "/dev/null"] {
            await #expect(throws: StanzaDatabaseError.notADatabase, "\(path)") {
                try await StanzaDatabase.open(at: path)
            }
            await #expect(throws: StanzaDatabaseError.notADatabase, "\(path)") {
                try await StanzaDatabase.inspect(at: path)
            }
        }
        #expect(try names == ["pipe", "test.db"])
    }

    /// A process that was killed when it had created the file leaves it like this.
    @Test func anEmptyFileBecomesADatabase() async throws {
        try Data().write(to: URL(filePath: place.path))
        #expect(try await place.open().read { try $0.promises.allPromises().isEmpty })
    }

    /// Another process may have made the file, and this one may see no lock of it: only the header is left.
    @Test(arguments: [16, 100, 4096]) func aTruncatedDatabaseIsDamaged(length: Int) async throws {
        try await place.open().close()
        let whole = try Data(contentsOf: URL(filePath: place.path))
        let copy = try TemporaryDatabase()
        try whole.prefix(length).write(to: URL(filePath: copy.path))
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: copy.path + ".damaged-1")) { try await copy.open() }
    }

    @Test func aMissingFolderIsNamed() async throws {
        let folder = place.folder.path + "/no"
        await #expect(throws: StanzaDatabaseError.missingFolder(folder)) {
            try await StanzaDatabase.open(at: folder + "/such.db")
        }
        let words = "\(StanzaDatabaseError.missingFolder(folder))"
        #expect(words.contains(folder) && !words.contains(".lock"))
    }

    // MARK: Files that vanish

    private enum Change: CaseIterable { case deleted, moved, replaced }

    @Test(arguments: Change.allCases) private func aFileThatVanishesIsNoticed(change: Change) async throws {
        let database = try await place.open()
        let promises = try await PromiseCentre.start(store: database, role: .resolver)
        let session = try database.openSession("juliet@example.org")
        switch change {
        case .deleted: try FileManager.default.removeItem(atPath: place.path)
        case .moved: try FileManager.default.moveItem(atPath: place.path, toPath: place.path + ".old")
        case .replaced:
            let other = place.path + ".other"
            try await StanzaDatabase.open(at: other).close()
            #expect(rename(other, place.path) == 0)
        }
        await #expect(throws: StanzaDatabaseError.moved) { try await promises.create(Int.self) }
        #expect(throws: StanzaDatabaseError.moved) { try session.write([.lastDisconnect(Date())], .immediate) }
        #expect("\(StanzaDatabaseError.moved)".contains("open it again"))
        try await database.freeze()
        try await database.unfreeze()
        _ = try await promises.create(Int.self)
    }
}
