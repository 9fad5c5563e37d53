// The documented differences of an implementation from the language: `stanza conformance --differences FILE`.

/// Reasons why cases may fail, by the name of the case or of its suite.
struct Differences {
    /// A name of a case or a suite, byte by byte.
    private var reasons: [[UInt8]: String] = [:]
    private var excused: Set<[UInt8]> = []
    private var passed: Set<[UInt8]> = []

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

    /// The outcome of a case with regard to the reasons: a documented failure is a difference.
    mutating func apply(to outcome: CaseOutcome, of name: String, in suite: String) -> CaseOutcome {
        let keys = [Array(name.utf8), Array(suite.utf8)].filter { reasons[$0] != nil }
        switch outcome {
        case .passed: passed.formUnion(keys)
        case .failed:
            guard let key = keys.first, let reason = reasons[key] else { return outcome }
            excused.insert(key)
            return .different(reason)
        case .different, .unsupported: break
        }
        return outcome
    }

    /// The names whose cases passed without their reason, in order.
    var unused: [String] { passed.subtracting(excused).map { String(decoding: $0, as: UTF8.self) }.sorted() }
}
