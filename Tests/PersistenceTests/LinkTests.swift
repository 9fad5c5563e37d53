// A database that is opened by symbolic links. Its lock and its log are next to the file, whatever its name is.

import Foundation
import Persistence
import StreamManagement
import Testing

@Suite(.fewAtOnce) struct LinkTests {
    private let place: TemporaryDatabase
    private let links: TemporaryDatabase

    init() throws { (place, links) = (try TemporaryDatabase(), try TemporaryDatabase()) }

    /// The first link is relative, and its target does not exist before the database is opened.
    @Test(arguments: [1, 2]) func aLinkSharesTheFilesOfItsTarget(count: Int) async throws {
        let folder = "../\(place.folder.lastPathComponent)"
        try FileManager.default.createSymbolicLink(atPath: links.path, withDestinationPath: folder + "/test.db")
        let link = count == 1 ? links.path : links.path + ".second"
        if count == 2 { try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: links.path) }
        let first = try await StanzaDatabase.open(at: link)
        let second = try await place.open()
        let session = try first.openSession("juliet@example.org")
        #expect(throws: StorageError.inUse(account: "juliet@example.org")) {
            try second.openSession("juliet@example.org")
        }
        session.close()
        try second.openSession("juliet@example.org").close()
        let files = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
        let endings = ["", "-shm", "-wal", ".lock"]
        #expect(files.sorted() == endings.map { "test.db" + $0 })
        #expect(try FileManager.default.contentsOfDirectory(atPath: links.folder.path).count == count)
        let mode = try FileManager.default.attributesOfItem(atPath: place.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(URL(filePath: first.path).standardized.path == place.path)
    }

    @Test func linksInACircleNameNoDatabase() async throws {
        try FileManager.default.createSymbolicLink(atPath: links.path, withDestinationPath: links.path)
        await #expect(throws: StanzaDatabaseError.unreadable(links.path)) { try await links.open() }
    }
}
