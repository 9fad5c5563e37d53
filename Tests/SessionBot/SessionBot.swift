// A bot for `Tests/EchoClients/foreign-client`, made of the public API as the articles *Getting started* and
// *Running as a daemon* teach it. It adds a row to its own table for each message. Bot.swift has its session.
//
//     SessionBot FOLDER PORT [insert-early]
//
// FOLDER has the database bot.db, and authority.pem: the certificate of the authority to trust. SIGTERM suspends the
// session and ends the process with exit code 0. With `insert-early` the bot makes a mistake on purpose: it adds each
// row in a transaction of its own.

import Foundation
import StreamManagement

@main
enum SessionBot {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2, let port = UInt16(arguments[1]) else {
            FileHandle.standardError.write(Data("usage: SessionBot FOLDER PORT [insert-early]\n".utf8))
            exit(64)
        }
        let bot = try await Bot(folder: arguments[0], insertsEarly: arguments.dropFirst(2).contains("insert-early"))
        let end = try await run(bot, port: port)
        FileHandle.standardError.write(Data("the session has ended: \(end)\n".utf8))
        exit(end.isSuspended ? 0 : 1)
    }

    /// Runs the bot until SIGTERM suspends its session, or the session ends.
    private static func run(_ bot: Bot, port: UInt16) async throws -> StreamEnd {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        source.setEventHandler { continuation.yield() }
        source.resume()
        defer { source.cancel() }

        let running = Task { try await bot.run(port: port) }
        let suspending = Task {
            for await _ in signals {
                try await bot.session.suspend(gracePeriod: .seconds(5))
                running.cancel()
                return true
            }
            return false
        }
        let end = await running.result
        continuation.finish()
        return try await suspending.value ? .suspended : end.get()
    }
}

extension StreamEnd {
    fileprivate var isSuspended: Bool { if case .suspended = self { true } else { false } }
}
