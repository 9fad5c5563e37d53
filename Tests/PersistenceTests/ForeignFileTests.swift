// Paths that name no database of this package: they stay as they are, and the error says why.

import Foundation
import GRDB
import Handlers
import Locking
import Persistence
import TestSupport
import Testing

@Suite(.fewAtOnce) struct ForeignFileTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: place.folder.path).sorted() }
    }

    @Test(arguments: ["x", "shorter", "a text file\n", String(repeating: "long ", count: 5000)])
    func aFileThatIsNotADatabaseStaysUnchanged(text: String) async throws {
        try Data(text.utf8).write(to: URL(filePath: place.path))
        await #expect(throws: StanzaDatabaseError.notADatabase) { try await place.open() }
        await #expect(throws: StanzaDatabaseError.notADatabase) { try await StanzaDatabase.inspect(at: place.path) }
        #expect(try Data(contentsOf: URL(filePath: place.path)) == Data(text.utf8))
        #expect(try names == ["test.db"])
        let words = "\(StanzaDatabaseError.notADatabase)"
        #expect(words.contains("SQLite database") && words.contains("give another path"))
    }

    /// Opening a pipe for reading would wait for its writer.
    @Test(.timeLimit(.minutes(60))) func foldersAndDevicesAreNoDatabases() async throws {
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

    /// Another process may have made the file, and this one may see no lock of it: the header has our mark.
    @Test(arguments: [100, 4096]) func aTruncatedDatabaseIsDamaged(length: Int) async throws {
        try await place.open().close()
        let whole = try Data(contentsOf: URL(filePath: place.path))
        let copy = try TemporaryDatabase()
        try whole.prefix(length).write(to: URL(filePath: copy.path))
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: copy.path + ".damaged-1")) { try await copy.open() }
    }

    /// Some libraries encrypt a file except for its first bytes. The beginning of a file alone shows no owner either.
    @Test(arguments: [16, 32, 68, 100], [0, 8192])
    func aFileThatOnlyBeginsLikeADatabaseStaysAsItIs(plain: Int, encrypted: Int) async throws {
        let other = try DatabaseQueue(path: place.path)
        try await other.write { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
        try other.close()
        var generator = SeededGenerator(seed: UInt64(plain))
        let noise = (0..<encrypted).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let content = try Data(contentsOf: URL(filePath: place.path)).prefix(plain) + Data(noise)
        try content.write(to: URL(filePath: place.path))
        for _ in 0..<2 {
            await #expect(throws: StanzaDatabaseError.notADatabase) { try await place.open() }
            await #expect(throws: StanzaDatabaseError.notADatabase) { try await StanzaDatabase.inspect(at: place.path) }
        }
        #expect(try Data(contentsOf: URL(filePath: place.path)) == content)
        #expect(try names == ["test.db", "test.db.lock"])
    }

    /// A folder at the path of the log keeps SQLite from opening the file for now. The failure does not make it ours.
    @Test func aFileThatCannotBeReadForNowStaysAsItIs() async throws {
        let content = Data("SQLite format 3\0".utf8) + Data(repeating: 0xA5, count: 8192)
        try content.write(to: URL(filePath: place.path))
        let log = place.path + "-wal"
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
        await #expect(throws: StanzaDatabaseError.unreadable(place.path)) { try await place.open() }
        try FileManager.default.removeItem(atPath: log)
        await #expect(throws: StanzaDatabaseError.notADatabase) { try await place.open() }
        #expect(try Data(contentsOf: URL(filePath: place.path)) == content)
        #expect(try names == ["test.db", "test.db.lock"])
    }

    /// SQLite has written nothing yet, or the machine has failed before the content was on the disk.
    @Test func aFileWithoutAHeaderIsReplaced() async throws {
        let copy = try TemporaryDatabase()
        let isFirst = Lock(true)
        var options = StanzaDatabase.Options()
        options.statementObserver = { [place] _ in
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }
                return !isFirst
            }) {
                return
            }
            for ending in ["", ".lock"] {
                try? FileManager.default.copyItem(atPath: place.path + ending, toPath: copy.path + ending)
            }
        }
        try await place.open(options).close()
        #expect(try Data(contentsOf: URL(filePath: copy.path)) == Data())
        try Data(count: 4096).write(to: URL(filePath: copy.path))
        await #expect(throws: StanzaDatabaseError.corrupt(asideAt: copy.path + ".damaged-1")) { try await copy.open() }
        #expect(try await copy.open().read { try $0.promises.allPromises() } == [])
    }

    /// SQLite would open a database in memory, a temporary one, or another path.
    @Test(arguments: ["", ":memory:", "file:stanza-test.db", "file:stanza-test.db?mode=memory"])
    func aNameThatIsNotAPathIsRefused(name: String) async throws {
        await #expect(throws: StanzaDatabaseError.notADatabase) { try await StanzaDatabase.open(at: name) }
        await #expect(throws: StanzaDatabaseError.notADatabase) { try await StanzaDatabase.inspect(at: name) }
        for ending in ["", ".lock"] where !(name + ending).isEmpty {
            #expect(!FileManager.default.fileExists(atPath: name + ending), "\(name + ending)")
        }
        #expect(!FileManager.default.fileExists(atPath: "stanza-test.db"))
    }

    /// The system would end the path at the NUL character, and would create a folder with the name `~`.
    @Test(arguments: [("/tmp/a\0b.db", "NUL"), ("~/a.db", "~"), ("~", "~")])
    func aPathThatMeansAnotherOneIsRefused(path: String, reason: String) async throws {
        for open in [{ try await StanzaDatabase.open(at: path) }, { try await StanzaDatabase.inspect(at: path) }] {
            let error = await #expect(throws: StanzaDatabaseError.self) { _ = try await open() }
            guard case .invalidPath(let words)? = error else { Issue.record("\(String(describing: error))"); continue }
            #expect(words.contains(reason) && error?.isTemporary == false)
        }
    }

    /// The folder exists, or may exist. The error does not claim the opposite.
    @Test func aFolderThatCannotBeReachedIsNotCalledMissing() async throws {
        let folder = place.folder.path + "/loop"
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: folder)
        await #expect(throws: StanzaDatabaseError.unreadable(folder)) {
            try await StanzaDatabase.open(at: folder + "/test.db")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may search every folder"))
    func aFolderThatCannotBeSearchedIsNotCalledMissing() async throws {
        let folder = place.folder.path + "/outer/inner"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(chmod(place.folder.path + "/outer", 0) == 0)
        defer { chmod(place.folder.path + "/outer", 0o700) }
        await #expect(throws: StanzaDatabaseError.unreadable(folder)) {
            try await StanzaDatabase.open(at: folder + "/test.db")
        }
    }

    @Test func aMissingFolderIsNamed() async throws {
        let folder = place.folder.path + "/no"
        await #expect(throws: StanzaDatabaseError.missingFolder(folder)) {
            try await StanzaDatabase.open(at: folder + "/such.db")
        }
        let words = "\(StanzaDatabaseError.missingFolder(folder))"
        #expect(words.contains(folder) && !words.contains(".lock"))
    }

    /// The second opening checks whose file it is, like the first one.
    @Test func aForeignFileThatReplacesAFrozenOneStaysAsItIs() async throws {
        let database = try await place.open()
        database.freeze()
        let own = place.path + ".own"
        #expect(rename(place.path, own) == 0)
        let other = try DatabaseQueue(path: place.path)
        try await other.writeWithoutTransaction {
            try $0.execute(sql: "CREATE TABLE note (text TEXT); PRAGMA application_id = 5")
        }
        try other.close()
        let before = try Data(contentsOf: URL(filePath: place.path))
        await #expect(throws: StanzaDatabaseError.foreign) { try await database.unfreeze() }
        #expect(try Data(contentsOf: URL(filePath: place.path)) == before)
        await #expect(throws: StanzaDatabaseError.frozen) { try await database.read { _ in } }
        #expect(rename(own, place.path) == 0)
        try await database.unfreeze()
        try await database.write { _ in }
    }
}
