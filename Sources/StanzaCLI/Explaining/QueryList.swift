// Queries in files, one in each line, for `find --query-file` and `explain --set`.

import QuerySyntax
import StanzaQuery

/// The queries of some files, and whether there were mistakes.
struct QueryList {
    /// The maximum number of queries; a set of them and its drawing then take some hundred megabytes.
    static let maximumCount = 100_000
    /// The maximum number of bytes read of a file.
    static let maximumBytes = 16 << 20

    /// Each query with its file and line.
    private(set) var queries: [(query: Query<QueryValue>, place: String)] = []
    private(set) var status = CommandStatus.success
    private let console: Console

    /// Reports on the console the unreadable files, and the queries with mistakes.
    init(_ files: [String], _ options: QueryOptions, _ console: Console) {
        self.console = console
        for file in files {
            do throws(SystemError) {
                guard let text = try console.source(of: file).readAll(upTo: Self.maximumBytes) else {
                    report(
                        "\(file.asFileName): more than \(Self.maximumBytes) bytes: are these queries?", .badInput)
                    continue
                }
                if try !addLines(InputLines(text), file, options) { return }
            } catch {
                report("\(file.asFileName): \(error)", .badInput)
            }
        }
    }

    /// The queries as a set, with a value for each specifier that represents all its values. Reports mistakes.
    mutating func makeSet() -> QuerySet {
        var set = QuerySet()
        for (query, place) in queries {
            do throws(QueryError) {
                try set.insert(query, arguments: query.specifiers.map(\.placeholder))
            } catch {
                report(error, in: query.source, place)
            }
        }
        return set
    }

    /// Returns whether there is room for more queries.
    private mutating func addLines(
        _ lines: InputLines, _ file: String, _ options: QueryOptions
    ) throws(SystemError) -> Bool {
        var lines = lines
        var number = 0
        while let line = try lines.next() {
            number += 1
            let place = "\(file.asFileName):\(number)"
            // No query begins like a comment.
            if case .text(let text) = line, text.isEmpty || text.hasPrefix("# ") { continue }
            if queries.count == Self.maximumCount {
                report("\(place): more than \(Self.maximumCount) queries", .badInput)
                return false
            }
            switch line {
            case .text(let text):
                do throws(QueryError) {
                    queries.append((try Query(text, options: options), place))
                } catch {
                    report(error, in: text, place)
                }
            case .unreadable(let reason): report("\(place): \(reason)", .badInput)
            }
        }
        return true
    }

    private mutating func report(_ error: QueryError, in text: String, _ place: String) {
        status = max(status, .usage)
        for diagnostic in error.diagnostics {
            console.report(verbatim: "\(place): \(diagnostic.rendered(in: text))")
        }
        console.report(warningsAfter: error, [])
    }

    private mutating func report(_ message: String, _ status: CommandStatus) {
        self.status = max(self.status, status)
        console.report(message)
    }
}

extension FormatSpecifier {
    /// A value that represents all values of this specifier.
    fileprivate var placeholder: QueryArgumentValue {
        switch conversion {
        case .any, .string, .character: .text("…")
        case .decimal, .integer, .unsigned, .hexadecimal, .upperHexadecimal, .octal: .integer(0)
        case .fixed, .exponent, .general: .floating(0)
        }
    }
}
