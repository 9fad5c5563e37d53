// The reasons why queries found nothing, from a second look at the input: a search that finds pays nothing for them.

import QueryTools
import StanzaQuery
import XMLTree

extension Console {
    /// A second look at so many bytes takes a sixth of a second, and holds no more of them in trees.
    private static var mostBytes: Int { 8 << 20 }

    /// Reports why queries found nothing. A named pipe cannot be read again, and has no second look.
    ///
    /// - Parameters:
    ///   - searches: One for each query, with its name if there are several.
    ///   - containers: The elements of the input that are the stanzas; `nil` if each is one itself.
    ///   - standardInput: The beginning of standard input.
    func report(
        nearMissesOf searches: [(name: String, search: NearMissSearch)], in containers: Query<Element>?,
        _ files: [String], _ standardInput: RememberedSource, _ settings: ReadingSettings
    ) {
        var searches = searches
        var (count, isWhole, rest) = (0, !standardInput.isCut, Self.mostBytes)
        var interruption = WorkInterruption(on: self)
        standardInput.rewind()
        for file in files {
            guard file == "-" || byteCount(file) != nil else {
                isWhole = false
                continue
            }
            do throws(SystemError) {
                let source = CountedSource(try reading(standardInput).source(of: file), maximum: rest)
                try StanzaReader.read(source, settings) { item in
                    if interruption.stops() { return false }
                    guard case .stanza(let stanza, _, _) = item else { return true }
                    let elements = containers.map { containers in try? stanza.find(containers) } ?? [stanza]
                    for element in elements ?? [] {
                        let stanza = containers == nil ? element : element.copy()
                        for index in searches.indices { _ = try? searches[index].search.add(stanza) }
                        count += 1
                    }
                    return true
                }
                rest -= source.count
                isWhole = isWhole && !source.isCut
            } catch {
                // The search has reported it.
                isWhole = false
            }
            isWhole = isWhole && !interruption.leftWork
            if rest == 0 || interruption.leftWork { break }
        }
        if count == 0, isWhole { return report(verbatim: "no stanza in the input") }
        let place = isWhole ? "" : "; in the first \(counted(count, "stanza"))"
        for (name, search) in searches {
            if let miss = search.nearMiss { report(verbatim: "\(name)no result\(place): \(miss)") }
        }
    }
}

/// Standard input, which can be read again from its beginning.
final class RememberedSource: ByteSource {
    private let source: any ByteSource
    private var beginning: [UInt8] = []
    /// The place of the second reading.
    private var place: Int?
    /// Whether a second reading ends before the input.
    private(set) var isCut = false

    /// The bytes kept: some thousand stanzas, copied in a fraction of a millisecond.
    static let maximum = 1 << 20

    init(_ source: any ByteSource) {
        self.source = source
    }

    var mayWait: Bool { place == nil && source.mayWait }

    func rewind() { place = 0 }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        if let place {
            let rest = beginning[place...].prefix(buffer.count)
            buffer.copyBytes(from: rest)
            self.place = rest.endIndex
            return rest.count
        }
        let count = try source.read(into: buffer)
        let kept = min(count, Self.maximum - beginning.count)
        if kept > 0 { beginning.append(contentsOf: buffer[..<kept]) }
        isCut = isCut || kept < count
        return count
    }
}
