// JSON lines: each line is an object whose member `xml` is a stanza. A bad line costs nothing but itself.

import StanzaQuery

/// Reads JSON lines.
final class JSONLinesInput: StanzaInput {
    private let context: NamespaceContext
    private let limits: ParserLimits
    private var items: [InputItem] = []
    private var firstItem = 0
    /// The beginning of the line that is being read.
    private var pending: [UInt8] = []
    /// Whether the rest of this line is passed over, for it is too long.
    private var isSkipping = false
    private var lineNumber = 1

    init(in context: NamespaceContext, limits: ParserLimits) {
        self.context = context
        self.limits = limits
    }

    var hasEnded: Bool { false }

    func next() -> InputItem? {
        guard firstItem < items.count else {
            items.removeAll(keepingCapacity: true)
            firstItem = 0
            return nil
        }
        defer { firstItem += 1 }
        return items[firstItem]
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            add(UnsafeRawBufferPointer(rebasing: rest[..<end]))
            endLine()
            lineNumber += 1
            rest = rest[(end + 1)...]
        }
        add(UnsafeRawBufferPointer(rebasing: rest))
    }

    func finish() {
        endLine()
    }

    private func add(_ bytes: UnsafeRawBufferPointer) {
        if isSkipping { return }
        guard pending.count + bytes.count <= limits.bytes else {
            isSkipping = true
            pending = []
            return report(
                at: 1, "this line has more than \(limits.bytes) bytes; --max-stanza-bytes allows more")
        }
        pending.append(contentsOf: bytes)
    }

    private func endLine() {
        if !isSkipping { readLine() }
        isSkipping = false
        pending.removeAll(keepingCapacity: true)
    }

    private func readLine() {
        if lineNumber == 1, pending.starts(with: [0xEF, 0xBB, 0xBF]) { pending.removeFirst(3) }
        if pending.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(pending)
        } catch {
            return report(at: column(of: error.offset), error.message)
        }
        guard let members = value.object else {
            return report(at: 1, "expected a JSON object with the member 'xml'")
        }
        guard let member = members.member("xml") else {
            return report(at: 1, "this object has no member 'xml'")
        }
        guard let xml = member.value.string else {
            return report(at: column(of: member.offset), "the member 'xml' must be a string")
        }
        do throws(XMLParseError) {
            items.append(.stanza(try Element(parsing: xml, in: context, limits: limits), line: lineNumber))
        } catch {
            report(
                at: column(of: member.offset),
                "in 'xml', line \(error.position.line), column \(error.position.column): \(error.advice)")
        }
    }

    /// Counts the scalars before a byte of the line.
    private func column(of offset: Int) -> Int {
        pending.prefix(offset).count { $0 & 0xC0 != 0x80 } + 1
    }

    private func report(at column: Int, _ message: String) {
        items.append(.problem(InputProblem(line: lineNumber, column: column, message: message)))
    }
}
