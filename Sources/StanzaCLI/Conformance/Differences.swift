// The documented differences of an implementation from the language: `stanza conformance --differences FILE`.

/// Reasons why cases may fail, by the name of the case or of its suite.
struct Differences {
    /// A name of a case or a suite, byte by byte.
    private var reasons: [[UInt8]: String] = [:]
    private var isUsed: [[UInt8]: Bool] = [:]

    init() {}

    /// Reads an object: each member's name is a reason, and its value an array of names.
    init(
        contentsOf path: String, on console: Console, _ interruption: inout WorkInterruption
    ) throws(SuiteError) {
        guard let members = try Suite.json(contentsOf: path, on: console, &interruption).object else {
            throw SuiteError("differences are a JSON object")
        }
        for member in members {
            guard let names = member.value.names else {
                throw SuiteError("'\(member.name)' must be an array of names of cases and suites")
            }
            for name in names {
                guard reasons.updateValue(member.name, forKey: Array(name.utf8)) == nil else {
                    throw SuiteError("has '\(name)' twice")
                }
            }
        }
    }

    /// The reason why a case may fail.
    mutating func reason(for name: String, of suite: String) -> String? {
        for key in [Array(name.utf8), Array(suite.utf8)] {
            guard let reason = reasons[key] else { continue }
            isUsed[key] = true
            return reason
        }
        return nil
    }

    /// The names for which no reason was needed, in order.
    var unused: [String] {
        reasons.keys.filter { isUsed[$0] == nil }.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }
}
