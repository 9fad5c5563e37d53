// The code in the tables of an article.

import Foundation

/// The pieces of code in the last columns of an article's tables. Links to symbols are not among them.
///
/// - Parameter page: The article's path in the package.
public func codeInLastColumns(of page: String) throws -> [String] {
    let text = try String(contentsOf: packageFolder.appending(path: page), encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
    return rows.compactMap { $0.split(separator: "|").last }.flatMap { cell in
        cell.matches(of: /(?:^|[^`])`([^`]+)`(?!`)/).map { String($0.output.1) }
    }
}
