// Calls that take a query, as each language writes them.

struct QueryCall {
    /// The called function: `find`, `findFirst`, `check`, `Query` or `query`.
    let name: String
    let literal: SourceLiteral
    /// The number of arguments for the query; `nil` if the source does not show it.
    let argumentCount: Int?

    /// Whether the call has options, which may change how filters compare.
    let hasOptions: Bool
    /// Whether the literal is a part of the call's argument, and a `String` there.
    let isSpliced: Bool
    /// Whether the call's result is a condition, in Objective-C.
    let isCondition: Bool
    /// Whether the call makes a query that `check` gets.
    private(set) var isChecked = false
    /// The range of the text of the receiver, in Objective-C.
    private var receiver = 0..<0
    /// Whether the call has a label that no call of this package has.
    private let hasOtherLabels: Bool
    /// Whether the call probably takes a query; another library may have a function of the same name.
    private(set) var isSure = true

    init(
        _ name: String, _ literal: SourceLiteral, argumentCount: Int? = nil, hasOptions: Bool = false,
        hasOtherLabels: Bool = false, isSpliced: Bool = false, isCondition: Bool = false
    ) {
        self.name = name
        self.literal = literal
        self.argumentCount = argumentCount
        self.hasOptions = hasOptions
        self.hasOtherLabels = hasOtherLabels
        self.isSpliced = isSpliced
        self.isCondition = isCondition
    }

    /// Whether interpolations are its only arguments, as the macro's: specifiers are mistakes.
    var takesOnlySlots: Bool { name == "query" }

    /// All calls in a text, in order.
    static func calls(in text: SourceText, _ language: SourceLanguage) -> [QueryCall] {
        var cursor = SourceCursor(text, language)
        var calls: [QueryCall] = []
        var before: UInt8?
        var scope = QueryableScope()
        var imports = SwiftImports()
        var messages = MessageScope()
        var nodes = NodeReceivers()
        var operand = LuaOperand()
        var checked: Int?
        while let byte = cursor.current {
            if cursor.skipComment() { continue }
            if cursor.literal() != nil {
                if language == .lua { operand.passLiteral() }
                before = UInt8(ascii: "\"")
                continue
            }
            let place = cursor.position
            if let name = cursor.name() {
                switch language {
                case .swift where before != UInt8(ascii: "."):
                    scope.pass(name, cursor)
                    imports.pass(name, cursor)
                case .objectiveC: nodes.pass(name, cursor)
                case .swift, .lua: break
                }
                let isMessage = language == .objectiveC && messages.pass(name, cursor)
                // A string has a `find` of its own.
                let isOfText = language == .lua && operand.isText
                if language == .lua { operand.pass(name, after: before) }
                if !isOfText, isCall(name, after: before, language, isInElement: scope.isInside, isMessage: isMessage) {
                    let start = cursor.position
                    if var call = call(name, &cursor, isCondition: messages.isCondition) {
                        call.isChecked = place == checked
                        call.receiver = messages.receiverStart..<place
                        calls.append(call)
                        // `LuaOperand` has to see the argument.
                        if language == .lua { cursor.position = start }
                    } else {
                        cursor.position = start
                        if name == "check" { checked = placeOfArgument(cursor) }
                        calls += spliced(name, cursor)
                    }
                }
                before = UInt8(ascii: "a")
                continue
            }
            switch language {
            case .swift: scope.pass(byte)
            case .objectiveC: messages.pass(byte, after: before, cursor)
            case .lua: operand.pass(byte, after: before)
            }
            if !SourceCursor.isSpace(byte) { before = byte }
            cursor.position += 1
        }
        // Declarations may follow the calls.
        for index in calls.indices {
            switch language {
            case .swift: calls[index].isSure = imports.bringQueries && !calls[index].hasOtherLabels
            case .objectiveC:
                calls[index].isSure =
                    nodes.isLikely(calls[index].name, to: calls[index].receiver, in: cursor)
                    || QueryShape.isOnlyOurs(calls[index].literal.text)
            case .lua: break
            }
        }
        // A spliced literal is found before the calls in front of it.
        return calls.sorted { $0.literal.range.lowerBound < $1.literal.range.lowerBound }
    }

    private static func isCall(
        _ name: String, after before: UInt8?, _ language: SourceLanguage, isInElement: Bool, isMessage: Bool
    ) -> Bool {
        switch (language, name) {
        case (.swift, "find"), (.swift, "findFirst"), (.swift, "check"): isInElement || before == UInt8(ascii: ".")
        case (.swift, "Query"): before != UInt8(ascii: ".")
        case (.swift, "query"): before == UInt8(ascii: "#")
        case (.objectiveC, "find"), (.objectiveC, "findFirst"), (.objectiveC, "check"): isMessage
        case (.lua, "find"): before == UInt8(ascii: ":")
        default: false
        }
    }

    /// Reads the text after the name, up to the end of the query; `nil` if it is not a literal.
    private static func call(
        _ name: String, _ cursor: inout SourceCursor, isCondition: Bool
    ) -> QueryCall? {
        if name == "query" || name == "Query" { cursor.skipTypeArguments() }
        if name == "Query" { _ = cursor.skip(".init") }
        cursor.skipSpace()
        let isOpen =
            switch cursor.language {
            case .swift, .lua: cursor.skip("(")
            case .objectiveC: cursor.skip(":")
            }
        guard isOpen || cursor.language == .lua else { return nil }
        cursor.skipSpace()
        if name == "query" { _ = cursor.skip("regex:") }
        guard let literal = cursor.wholeLiteral() else { return nil }
        // The macro reports that mistake.
        if name == "query", literal.hasDefaults { return nil }
        // The arguments may contain calls: the scan continues with these.
        let end = cursor.position
        defer { cursor.position = end }
        switch cursor.language {
        case .swift:
            guard let arguments = cursor.arguments(until: ")") else { return nil }
            return QueryCall(
                name, literal, argumentCount: takesArguments(name) ? arguments.given : nil,
                hasOptions: arguments.hasOptions, hasOtherLabels: arguments.hasOtherLabels)
        case .objectiveC:
            guard let arguments = cursor.arguments(until: "]") else { return nil }
            return QueryCall(
                name, literal, argumentCount: arguments.given, isCondition: isCondition && cursor.endsOperand)
        case .lua:
            // Prosody's `find` takes nothing else; a string's takes where to begin.
            if isOpen, cursor.arguments(until: ")")?.total != 0 { return nil }
            var call = QueryCall(name, literal)
            call.isSure = !LuaSearch.isMeant(by: literal.text)
            return call
        }
    }

    /// The place of the name that begins the first argument of a call, if that argument is a call itself.
    private static func placeOfArgument(_ cursor: SourceCursor) -> Int? {
        var cursor = cursor
        cursor.skipSpace()
        guard cursor.skip("(") else { return nil }
        cursor.skipSpace()
        if cursor.skip("try") { cursor.skipSpace() }
        _ = cursor.skip("#")
        return cursor.position
    }

    private static func takesArguments(_ name: String) -> Bool {
        name == "find" || name == "findFirst" || name == "check"
    }

    /// Literals next to a `String` in `Query(…)`, which takes a `String`, too.
    private static func spliced(_ name: String, _ cursor: SourceCursor) -> [QueryCall] {
        guard cursor.language == .swift, name == "Query" else { return [] }
        var cursor = cursor
        cursor.skipTypeArguments()
        _ = cursor.skip(".init")
        cursor.skipSpace()
        guard cursor.skip("(") else { return [] }
        let literals = cursor.splicedLiterals()
        let hasOtherLabels = cursor.arguments(until: ")")?.hasOtherLabels ?? false
        return literals.map { QueryCall(name, $0, hasOtherLabels: hasOtherLabels, isSpliced: true) }
    }
}

extension SourceCursor {
    /// A literal with its value; in C, several adjacent literals are one.
    fileprivate mutating func wholeLiteral() -> SourceLiteral? {
        collectsValues = true
        defer { collectsValues = false }
        var parentheses = 0
        skipSpace()
        while skip("(") {
            parentheses += 1
            skipSpace()
        }
        guard case .literal(var literal)? = literal() else { return nil }
        while language == .objectiveC {
            let end = position
            skipSpace()
            guard current == UInt8(ascii: "\"") || isAt("@\""), case .literal(let more)? = self.literal() else {
                position = end
                break
            }
            literal.append(more)
        }
        // Only the literal is between them.
        for _ in 0..<parentheses {
            skipSpace()
            guard skip(")") else { return nil }
        }
        literal.repair()
        return literal
    }
}
