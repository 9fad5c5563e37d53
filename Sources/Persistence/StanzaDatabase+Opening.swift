// Opening, as users see it. What is done to the file is OpenFile.swift, with the options.

import Foundation

extension StanzaDatabase {
    /// Opens the database, which is made if there is none; only the user that made it may read and write it then. Its
    /// folder has to be there. An application may open a file of its own: our tables are added to its tables then. If
    /// the file has migrations of GRDB already, `Options.migrations` has to have them, which tells that it is the same
    /// application; so it is with an `application_id`. One that it sets later stays, and so does the file ours.
    ///
    /// Our tables are checked, and those of the application are not: opening takes no longer the more they hold.
    ///
    /// - Throws: `StanzaDatabaseError.newerVersion` if a newer version of the program has written it; nothing is
    ///   changed then. `.foreign` for the database of another program, which is not changed either. `.corrupt` if the
    ///   file is damaged; it was put aside then, unless another process has it open, and opening again begins a new
    ///   one. `.busy`, `.full`, `.unreadable`.
    public static func open(at path: String, options: Options = Options()) async throws -> StanzaDatabase {
        // Opening waits for other processes, which a task must not do.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try StanzaDatabase(path: path, options: options) })
            }
        }
    }

    /// Opens a database to look into it. Nothing can be changed, and processes that use it are not disturbed.
    ///
    /// - Throws: `StanzaDatabaseError.unreadable` if there is none, `.newerVersion` or `.olderVersion` if it was not
    ///   written by this version of the program, `.foreign` if it is another program's, `.corrupt`, `.busy`.
    public static func inspect(at path: String) async throws -> StanzaDatabase {
        var options = Options()
        options.isInspected = true
        return try await open(at: path, options: options)
    }
}
