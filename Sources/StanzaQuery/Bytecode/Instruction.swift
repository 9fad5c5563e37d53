// The instruction set of a query's program, defined by its effects on a stack of cursors and values.
//
// This page defines the machine. `InstructionDefinition.swift` says the same as data for the verifier, disassembler,
// tracer and tests. Machine.swift explains how the machine runs without storing the stack.
//
// The model. A program runs on one element, the context, with a stack that holds one cursor, on the context. A step
// pushes a cursor over some children of the top cursor's element. Tests look at the top cursor. Every failure - a test,
// a step without candidates, a missing value - advances the top cursor to its next candidate. Execution then continues
// after the step that pushed it. A cursor without further candidates is popped, and the one below advances; when only
// the context is left, the program ends. A yield hands out a result and then fails.
//
// Effects are written ( before -- after ), the top on the right: `p` an element, `c` a child of it, `v` a text.

import QuerySyntax
import XMLTree

/// One instruction; 16 bytes.
package enum Instruction: Equatable {
    // MARK: Steps: ( p -- p c )

    /// Children with that namespace and local name.
    case childrenNamed(NameKey, outer: Address?)
    /// Children with that local name in the namespace of their parent (3.3).
    case childrenNamedInherited(NameKey, outer: Address?)
    /// Children with that local name in any namespace.
    case childrenNamedAnywhere(NameKey, outer: Address?)
    /// Children in that namespace.
    case childrenInNamespace(NameKey, outer: Address?)
    /// Children in the namespace of their parent.
    case childrenInInherited(outer: Address?)
    /// All child elements.
    case childrenAll(outer: Address?)

    // MARK: Ascending (3.5)

    /// ( p c -- p ) Drops the top cursor, and with it its other candidates: they have the same parent (2.5).
    case leave(outer: Address?)
    /// ( c -- p ) Moves the context's cursor to the parent; at the root it stays.
    case ascend

    // MARK: Tests of the element: ( c -- c )

    case isNamed(NameKey)
    /// The local name, and the namespace of the parent; of a root any namespace (3.3).
    case isNamedInherited(NameKey)
    case isNamedAnywhere(NameKey)
    case isInNamespace(NameKey)
    case isInInherited
    /// The local name is another one (3.4).
    case isNotNamed(NameKey)

    // MARK: Tests of an attribute, for names without a prefix: ( c -- c )

    case hasAttribute(NameKey)
    case attributeEquals(NameKey, StringIndex)
    case attributeEqualsArgument(NameKey, ArgumentIndex)

    // MARK: Values: ( c -- c v )

    /// The value of the attribute with that qualified name.
    case loadAttribute(NameKey)
    /// The value of an attribute in Clark notation or with a prefix (4.3).
    case loadResolvedAttribute(AttributeIndex)
    /// The namespace, as the pseudo-attribute `xmlns` (1.3).
    case loadNamespace
    /// The local name.
    case loadName
    /// The element's own text, if it is not empty; for conversions.
    case loadText
    /// The first value of the form field, if it is not empty; for conversions.
    case loadField(FormIndex)

    // MARK: Tests of a value: ( c v -- c )

    /// Accepts any value.
    case drop
    case equals(StringIndex)
    case equalsArgument(ArgumentIndex)
    /// Equal but for case, by simple folding.
    case equalsIgnoringCase(StringIndex)
    case equalsArgumentIgnoringCase(ArgumentIndex)
    /// One of the strings of a list: `^(a|b)$`.
    case isOneOf(StringListIndex)
    /// `^a`
    case hasPrefix(StringIndex)
    /// `a$`, not anchored: bound to the limit of 3.8.
    case hasSuffix(PatternIndex)
    /// `a`, not anchored.
    case contains(PatternIndex)
    /// The regular expression matches somewhere.
    case matches(PatternIndex)

    // MARK: Results; each then fails

    /// ( c -- c ) The element itself.
    case yieldElement
    /// ( c -- c ) All attributes.
    case yieldAttributes
    /// ( c v -- c ) The value as a string.
    case yieldString
    /// ( c -- c ) The element's own text, if it is not empty (4.2).
    case yieldText
    /// ( c -- c ) The first value of the form field, if it is not empty (5.4).
    case yieldFieldText(FormIndex)
    /// ( c -- c ) The element's own text, if it is not empty, converted to something that every text can be converted
    /// to.
    case yieldConvertedText(Conversion)
    /// ( c v -- c ) The converted value; no result when it cannot be converted.
    case yieldConverted(Conversion, isStrict: Bool)
    /// ( c -- c ) The form, if the element is one and the query's conditions hold (5.2, 5.3).
    case yieldForm(FormIndex)
    /// ( c -- c ) The description of the form field (5.5).
    case yieldFieldDescription(FormIndex)
}

/// The place of an instruction in its program.
package struct Address: Equatable, BitwiseCopyable {
    package let rawValue: UInt32
}

/// A string among a program's constants.
package struct StringIndex: Hashable, BitwiseCopyable {
    package let rawValue: UInt32

    static var empty: StringIndex { StringIndex(rawValue: 0) }
}
/// A list of strings among a program's constants.
package struct StringListIndex: Equatable, BitwiseCopyable { package let rawValue: UInt32 }
/// A regular expression among a program's constants.
package struct PatternIndex: Equatable, BitwiseCopyable { package let rawValue: UInt32 }
/// A value that is made from the evaluation's arguments.
package struct ArgumentIndex: Equatable, BitwiseCopyable { package let rawValue: UInt32 }
/// An attribute name with a prefix or a namespace among a program's constants.
package struct AttributeIndex: Equatable, BitwiseCopyable { package let rawValue: UInt32 }
/// A data-form query among a program's constants.
package struct FormIndex: Equatable, BitwiseCopyable { package let rawValue: UInt32 }
