// The reasons why queries found nothing, from a second look at the files: a search that finds pays nothing for them.

import QueryTools
import StanzaQuery
import XMLTree

extension Console {
    /// A second look at so many stanzas takes a second or two.
    private static var mostStanzas: Int { 200_000 }

    /// Reports why queries found nothing. An input that cannot be read again, such as a pipe, has no second look.
    ///
    /// - Parameter searches: One for each query, with its name if there are several.
    func report(
        nearMissesOf searches: [(name: String, search: NearMissSearch)], in files: [String], _ settings: ReadingSettings
    ) {
        var searches = searches
        var rest = Self.mostStanzas
        var interruption = WorkInterruption(on: self)
        for file in files where byteCount(file) != nil && rest > 0 && !interruption.stops() {
            do throws(SystemError) {
                try StanzaReader.read(self.source(of: file), settings) { item in
                    guard case .stanza(let stanza, _, _) = item else { return true }
                    for index in searches.indices {
                        do throws(QueryError) { try searches[index].search.add(stanza) } catch {}
                    }
                    rest -= 1
                    return rest > 0 && !interruption.stops()
                }
            } catch {
                // The search has reported it.
            }
        }
        for (name, search) in searches {
            if let miss = search.nearMiss { report(verbatim: "\(name)no result: \(miss)") }
        }
    }
}
