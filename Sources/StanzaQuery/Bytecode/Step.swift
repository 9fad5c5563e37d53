// The instruction set. A compiled query is one array of these steps, which the machine, sets, prefilters and listings
// read.
//
// The model. A query runs on one element, the context, with a stack that holds one cursor, on the context. `child`
// pushes a cursor over some children of the top cursor's element. Tests look at the top cursor. Every failure - a test,
// or a `child` without candidates - advances the top cursor to its next candidate. Execution then continues after the
// step that pushed it. A cursor without further candidates is popped, and the one below advances; when only the context
// is left, the query ends. A yield hands out a result and then fails.
//
// Effects are written ( before -- after ), the top on the right: `p` an element, `c` a child of it. Machine.swift
// explains how the machine runs without storing the stack.

import QuerySyntax
import XMLTree

/// One step of a compiled query; 16 bytes.
package struct Step: Equatable, Sendable, BitwiseCopyable {
    /// The opcodes. After each: the operands, and the query text that makes it.
    package enum Op: UInt8, CaseIterable, BitwiseCopyable {
        /// ( p -- p c ) The children that pass the test. `test`, `key`, `outer`: `a`, `{u}a`, `*`
        case child
        /// ( c -- c ) The element itself passes the test. `test`, `key`: `/a`, `/{u}*`, `a<xmlns=u>`
        case own
        /// ( c -- c ) The local name is another one (3.4). `key`: `!a`
        case not
        /// ( p c -- p ) Drops the top cursor, and with it its other candidates: they have the same parent (2.5).
        /// `outer`: the `..` of `a/..`
        case leave
        /// ( c -- p ) Moves the context's cursor to the parent; at the root it stays (3.5). `..`
        case ascend
        /// ( c -- c ) A value exists and meets the condition (3.7). `source`, `key`, `condition`, `operand`: `<k=v>`,
        /// `<k~^(a|b)$>`
        case filter
        /// ( c -- c ) Hands out a result, if there is one, and then fails. `result`, `conversion`, and the source or
        /// the form: `@k`, `#|int`, `\@field\`; the element itself without an extraction
        case yield
    }

    /// The test of `child` and `own`: the parts of a name that are compared with `key`.
    package enum Test: UInt8, BitwiseCopyable {
        /// `{u}a`: namespace and local name.
        case name
        /// `a`: the local name, and the namespace of the parent; of a root any namespace (3.3).
        case inherited
        /// `{*}a`: the local name.
        case anywhere
        /// `{u}*`: the namespace.
        case namespace
        /// `*`: the namespace of the parent.
        case inheritedNamespace
        /// `{*}*`: nothing.
        case any
    }

    /// Where `filter` and `yield` of an attribute find a value.
    package enum Source: UInt8, BitwiseCopyable {
        /// `k`: the attribute whose qualified name is `k`.
        case plain
        /// `{u}k`: the attribute `k` in the namespace `u`.
        case expanded
        /// `p:k`: as written, or else by the namespace that the prefix is bound to. `key` is a number in `prefixed`.
        case prefixed
        /// `xmlns`: the namespace of the element (1.3).
        case namespace
    }

    /// The condition of `filter`, and its operand.
    package enum Condition: UInt8, BitwiseCopyable {
        /// `~^.*$`
        case exists
        /// `=v`: a string, or a value made of arguments.
        case equals
        /// `~^a(b|c)$`: a string that holds strings, the first of which begins all texts.
        case isOneOf
        /// `~^a`: a string.
        case hasPrefix
        /// `~a$`: a string; not anchored, and so bound to the limit of 3.8, as the two below.
        case hasSuffix
        /// `~a`: a string.
        case contains
        /// Any other pattern, by its number.
        case matches
    }

    /// The result of `yield`.
    package enum Result: UInt8, BitwiseCopyable {
        case element
        /// `@@`
        case attributes
        /// `#`: the own text, if it is not empty (4.2).
        case text
        /// `$`
        case name
        /// `@k`
        case attribute
        /// `\\`: the element, if it is a form that meets the conditions (5.2, 5.3). `key` is the form's number, here
        /// and below.
        case form
        /// `\@field\`: the first value of the field, if it is not empty (5.4).
        case field
        /// `\&field\` (5.5)
        case description
    }

    /// The source, and two properties of conditions.
    private struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt8
        static let ignoresCase = Flags(rawValue: 4)
        static let takesArgument = Flags(rawValue: 8)

        init(rawValue: UInt8) { self.rawValue = rawValue }
        init(_ source: Source) { rawValue = source.rawValue }

        var source: Source {
            @inline(__always) get { unsafeBitCast(rawValue & 3, to: Source.self) }
            set { self = Flags(rawValue: rawValue & ~3 | newValue.rawValue) }
        }
    }

    package let op: Op
    private let kind: UInt8
    private var flags: Flags
    /// The conversion of a yield's text.
    package let conversion: Conversion?
    package var operand: UInt32
    package var key: NameKey

    private init(
        _ op: Op, kind: UInt8 = 0, flags: Flags = [], conversion: Conversion? = nil, operand: UInt32 = 0,
        key: NameKey = .unbound
    ) {
        self.op = op
        self.kind = kind
        self.flags = flags
        self.conversion = conversion
        self.operand = operand
        self.key = key
    }

    // Each function writes the kind that its opcode reads, so that the casts below are valid.

    static func child(_ test: Test, _ key: NameKey, outer: UInt32 = 0) -> Step {
        Step(.child, kind: test.rawValue, operand: outer, key: key)
    }
    static func own(_ test: Test, _ key: NameKey) -> Step { Step(.own, kind: test.rawValue, key: key) }
    static func not(_ name: NameKey) -> Step { Step(.not, key: name) }
    static func leave(outer: UInt32) -> Step { Step(.leave, operand: outer) }
    static var ascend: Step { Step(.ascend) }
    static func filter(
        _ condition: Condition, of source: Source = .plain, _ key: NameKey, operand: UInt32 = 0,
        ignoringCase: Bool = false, takesArgument: Bool = false
    ) -> Step {
        var flags = Flags(source)
        if ignoringCase { flags.insert(.ignoresCase) }
        if takesArgument { flags.insert(.takesArgument) }
        return Step(.filter, kind: condition.rawValue, flags: flags, operand: operand, key: key)
    }
    static func yield(
        _ result: Result, as conversion: Conversion? = nil, of source: Source = .plain, _ key: NameKey = .unbound
    ) -> Step {
        Step(.yield, kind: result.rawValue, flags: Flags(source), conversion: conversion, key: key)
    }

    package var test: Test { @inline(__always) get { unsafeBitCast(kind, to: Test.self) } }
    package var condition: Condition { @inline(__always) get { unsafeBitCast(kind, to: Condition.self) } }
    package var result: Result { @inline(__always) get { unsafeBitCast(kind, to: Result.self) } }
    package internal(set) var source: Source {
        @inline(__always) get { flags.source }
        set { flags.source = newValue }
    }
    package var ignoresCase: Bool { flags.contains(.ignoresCase) }
    /// Whether the operand of a condition is a value that is made of arguments.
    package var takesArgument: Bool { flags.contains(.takesArgument) }
    /// Whether source and condition are the simplest: the string of an attribute without a prefix.
    var isPlain: Bool { @inline(__always) get { flags.isEmpty } }
    /// The test, condition or result as a number: it distinguishes steps with one opcode and key.
    var kindNumber: UInt8 { @inline(__always) get { kind } }
    /// The place after the step that pushed the next lower cursor; 0 if it is the context's.
    package var outer: UInt32 { operand }
    /// The number of the form that a yield reads.
    package var form: Int { Int(key.rawValue) }

    /// The kind of a yield's results.
    var resultKind: ResultKind {
        if let conversion { return conversion.kind }
        return switch result {
        case .element: .element
        case .attributes: .attributes
        case .text, .name, .attribute, .field: .string
        case .form: .form
        case .description: .field
        }
    }

    /// Whether the step can end an evaluation with an error (3.8).
    package var mayFail: Bool {
        guard op == .filter else { return false }
        switch condition {
        case .hasSuffix, .contains, .matches: return true
        case .exists, .equals, .isOneOf, .hasPrefix: return false
        }
    }
}

extension NameKey {
    /// The placeholder key of a name that is not bound yet.
    static var unbound: NameKey { NameKey(rawValue: 0) }
}
