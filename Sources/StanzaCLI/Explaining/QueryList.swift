// Queries in files, one in each line, for `stanza explain --set`.

import QuerySyntax
import StanzaQuery

/// The queries of some files, as a set, and their mistakes.
struct QueryList {
    /// The maximum number of queries; the set and its drawing then take some hundred megabytes.
    static let maximumCount = 100_000
    /// The maximum number of bytes read of a file.
    static let maximumBytes = 16 << 20

    private(set) var set = QuerySet()
    private(set) var status = CommandStatus.success
    private let options: QueryOptions
    private let console: Console

    /// Reports on the console the unreadable files, and the queries with mistakes.
    init(_ files: [String], _ options: QueryOptions, _ console: Console) {
        self.options = options
        self.console = console
        for file in files {
            do throws(SystemError) {
                guard let text = try console.source(of: file).readAll(upTo: Self.maximumBytes) else {
                    report(
                        "\(file.asFileName): more than \(Self.maximumBytes) bytes: are these queries?", .badInput)
                    continue
                }
                if try !addLines(InputLines(text), file) { return }
            } catch {
                report("\(file.asFileName): \(error)", .badInput)
            }
        }
    }

    /// Returns whether there is room for more queries.
    private mutating func addLines(_ lines: InputLines, _ file: String) throws(SystemError) -> Bool {
        var lines = lines
        var number = 0
        while let line = try lines.next() {
            number += 1
            let place = "\(file.asFileName):\(number)"
            if case .text("") = line { continue }
            if set.count == Self.maximumCount {
                report("\(place): more than \(Self.maximumCount) queries", .badInput)
                return false
            }
            switch line {
            case .text(let query): add(query, place)
            case .unreadable(let reason): report("\(place): \(reason)", .badInput)
            }
        }
        return true
    }

    private mutating func add(_ text: String, _ place: String) {
        do throws(QueryError) {
            let query = try Query(text, options: options)
            try set.insert(query, arguments: query.specifiers.map(\.placeholder))
        } catch {
            status = max(status, .usage)
            for diagnostic in error.diagnostics {
                console.report(verbatim: "\(place): \(diagnostic.rendered(in: text))")
            }
        }
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
