// A disk that is full. The process mounts it, and no other process sees it.

#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import Persistence

private let mount = "mount -t tmpfs -o size=2m tmpfs \"$1\""

/// Runs a command of a shell that may mount file systems.
private func runMounting(_ script: String, _ words: String...) throws -> (lines: [String], end: ChildProcess.End) {
    let output = Pipe()
    let process = try ChildProcess(
        URL(filePath: "/usr/bin/unshare"), ["-rm", "sh", "-c", script, "sh"] + words, output: .pipe(output),
        errors: .nothing)
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (text.split(separator: "\n").map(String.init), process.waitUntilExit())
}

private func canMount() -> Bool {
    guard let place = try? TemporaryDatabase() else { return false }
    return (try? runMounting(mount, place.folder.path).end) == .exit(0)
}

@Suite(.fewAtOnce, .enabled("this system lets users mount file systems") { canMount() }) struct FullDiskTests {
    @Test func aFullDiskIsReportedAndNothingChanges() async throws {
        let place = try TemporaryDatabase()
        let probe = try #require(Bundle.main.executableURL).deletingLastPathComponent()
            .appending(path: "PersistenceProbe").path
        let script = mount + " && exec \"$2\" \"$1/test.db\" fill k"
        let (lines, end) = try await blocking { Result { try runMounting(script, place.folder.path, probe) } }.get()
        #expect(end == .exit(0))
        #expect(lines == ["ready", "\(StanzaDatabaseError.full)", "pending", "resolved"])
    }
}
#endif
