// Reading a whole file that has to be in memory: queries, suites.

extension ByteSource {
    /// All bytes; `nil` if there are more than `maximum`, and then a part of them was read.
    func readAll(upTo maximum: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Console.chunkLength, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let length = try read(into: buffer)
            if length == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<length])
            if bytes.count > maximum { return nil }
        }
    }
}
