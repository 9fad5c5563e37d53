// Reads a source to its end, for commands other than `find`: a search has to print between two reads.

import XMLTree

extension StanzaReader {
    /// Takes stanzas and problems out of a source until its end, or until no more are wanted.
    ///
    /// - Parameter take: Gets each item, and returns whether more are wanted.
    static func read(
        _ source: any ByteSource, _ settings: ReadingSettings, _ take: (InputItem) -> Bool
    ) throws(SystemError) {
        let reader = StanzaReader(settings)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Console.chunkLength, alignment: 1)
        defer { buffer.deallocate() }
        var isAtEnd = false
        while !isAtEnd, !reader.hasEnded {
            let length = try source.read(into: buffer)
            isAtEnd = length == 0
            if isAtEnd {
                reader.finish()
            } else {
                reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
            }
            while let item = reader.next() {
                if !take(item) { return }
            }
        }
    }
}
