// The public functions that open a database. OpenFile.swift opens the file and defines the options.

import Foundation

extension StanzaDatabase {
    /// Opens the database, and creates its file if the file does not exist.
    ///
    /// The folder must exist. Only the user that creates the file can read and write it.
    ///
    /// An app can open a file of its own; the package then adds its tables to that file. If the file already has GRDB
    /// migrations, `Options.migrations` must contain them, to identify the app. A file that already has an
    /// `application_id` must have such migrations. The app can set an `application_id` after our tables were added.
    ///
    /// Opening checks our tables, but not the tables of the app. Large tables of the app do not slow it down.
    ///
    /// - Parameters:
    ///   - path: The path of the file. `:memory:` and URIs are refused: other processes could not open such a database.
    ///   - options: How to open it.
    /// - Throws: `StanzaDatabaseError.newerVersion` if a newer version of the program has written the file, `.foreign`
    ///   if it belongs to another program, `.notADatabase` if the path names no SQLite database; the file then stays
    ///   unchanged. `.corrupt` if the file is damaged. The file is then moved aside, unless another process has it
    ///   open, and the next call creates a new one. `.moved` while another process has a file open that was at this
    ///   path before. Also `.missingFolder`, `.busy`, `.full`, `.unreadable`. Errors of your migrations other than
    ///   GRDB's are thrown unchanged.
    public static func open(at path: String, options: Options = Options()) async throws -> StanzaDatabase {
        // Opening waits for other processes, which a task must not do.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try StanzaDatabase(path: path, options: options) })
            }
        }
    }

    /// Opens a database to inspect it. It cannot be changed, and processes that use it are not disturbed.
    ///
    /// - Throws: `StanzaDatabaseError.unreadable` if it does not exist, `.newerVersion` or `.olderVersion` if another
    ///   version of the program has written it, `.foreign` if it belongs to another program, `.notADatabase` if the
    ///   path names no SQLite database, `.corrupt`, `.busy`.
    public static func inspect(at path: String) async throws -> StanzaDatabase {
        var options = Options()
        options.isInspected = true
        return try await open(at: path, options: options)
    }
}
