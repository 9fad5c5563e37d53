// Runs the demonstration: starts a server and the two programs, and prints each step.

import Foundation

/// One run: the fate of the app, and the server's answer.
struct AvatarDemo {
    enum Fate: String, CaseIterable {
        case suspended, killed
    }

    enum Outcome: String, CaseIterable {
        case success, error
    }

    let fate: Fate
    let outcome: Outcome

    /// All four runs. The first is that of the story.
    static let runs = [
        AvatarDemo(fate: .suspended, outcome: .error), AvatarDemo(fate: .suspended, outcome: .success),
        AvatarDemo(fate: .killed, outcome: .error), AvatarDemo(fate: .killed, outcome: .success),
    ]

    /// Plays the run, and prints each step when it happens.
    /// - Throws: `DemoFailure` if another step happens, `EndingSignal` if a signal comes first.
    func play(_ tell: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stanza-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // All programs have ended when this returns.
        try play(in: folder, tell)
    }

    private func play(in folder: URL, _ tell: (String) throws -> Void) throws {
        let server = try DemoServer(in: folder)
        try server.waitUntilItListens()
        try tell("server     Prosody listens on 127.0.0.1:\(server.port)")
        let place = [folder.appending(path: "session.db").path, "\(server.port)"]

        let isRemoval = fate == .suspended && outcome == .error
        var app = try DemoProcess(["demo-role", "app"] + place + (isRemoval ? [] : ["--image"]))
        _ = try app.wait(for: "asked")
        try tell("app        asks to \(isRemoval ? "remove" : "change") the avatar of \(AvatarRequest.room)")
        try tell("app        has stored the request, its handler and a promise, and shows that it waits")
        switch fate {
        case .suspended:
            app.send(SIGUSR1)
            _ = try app.wait(for: "suspended")
            app.send(SIGSTOP)
            try tell("app        is in the background: it has acknowledged everything, and is suspended")
        case .killed:
            app.kill()
            try tell("app        is killed")
        }

        let other = try DemoProcess(["demo-role", "extension"] + place)
        try tell("extension  is started")
        try tell("extension  \(other.wait(for: "session "))")
        try server.answer(outcome.rawValue)
        try tell("server     answers: \(outcome == .success ? "success" : "an error")")
        _ = try other.wait(for: "handled")
        try tell(
            "extension  has called the handler, which has \(outcome == .success ? "fulfilled" : "rejected") the promise"
        )
        _ = try other.wait(for: "gone")
        try tell("extension  is gone")

        switch fate {
        case .suspended:
            app.send(SIGCONT)
            try tell("app        is active again")
        case .killed:
            app = try DemoProcess(["demo-role", "app"] + place)
            try tell("app        is started again")
            _ = try app.wait(for: "reattached")
            try tell("app        has found its promise")
        }
        let shown = try app.wait(for: "shown ")
        try tell("app        shows: \(shown)")
        guard shown.hasPrefix(outcome == .success ? "success" : "error forbidden") else {
            throw DemoFailure("expected \(outcome.rawValue)")
        }
        let session = try app.wait(for: "session ")
        try tell("app        \(session)")
        guard session == "resumes the session" else { throw DemoFailure("expected the session to be resumed") }
    }
}
