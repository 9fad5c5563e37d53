// The instruction set as data: name, operands, stack effect and synopsis of each instruction.
//
// Instruction.swift has the prose. Verifier.swift checks programs against this data, QuerySet/Trie/Guard.swift compares
// tests by it, and the module QueryTools prints programs and reads effects in it. No second list exists.

import QuerySyntax
import XMLTree

/// The static facts about an instruction.
package struct InstructionDefinition {
    /// Its name in listings.
    package let mnemonic: String
    package let operands: [Operand]
    package let effect: StackEffect
    /// Its effect in a few words.
    package let synopsis: String

    init(_ mnemonic: String, _ operands: [Operand], _ effect: StackEffect, _ synopsis: String) {
        self.mnemonic = mnemonic
        self.operands = operands
        self.effect = effect
        self.synopsis = synopsis
    }
}

/// The effect of an instruction on the stack, apart from failing.
package enum StackEffect: Equatable {
    /// ( p -- p c ) Pushes a cursor.
    case step
    /// ( p c -- p ) Pops a cursor.
    case leave
    /// ( c -- p ) Moves the context's cursor, if it is the only one.
    case ascend
    /// ( c -- c )
    case test
    /// ( c -- c v )
    case load
    /// ( c v -- c )
    case testValue
    /// ( c -- c ), and then the cursor is used up.
    case yield
    /// ( c v -- c ), and then the cursor is used up.
    case yieldValue

    /// The effect as the instruction set's page writes it.
    package var notation: String {
        switch self {
        case .step: "( p -- p c )"
        case .leave: "( p c -- p )"
        case .ascend: "( c -- p )"
        case .test, .yield: "( c -- c )"
        case .load: "( c -- c v )"
        case .testValue, .yieldValue: "( c v -- c )"
        }
    }

    /// How many cursors may be on the stack above the context's.
    var cursors: ClosedRange<Int> {
        switch self {
        case .leave: 1...Int.max
        case .ascend: 0...0
        case .step, .test, .load, .testValue, .yield, .yieldValue: 0...Int.max
        }
    }

    /// The number of values that must be on the stack, and the change of that number.
    var values: (needed: Int, change: Int) {
        switch self {
        case .step, .leave, .ascend, .test, .yield: (0, 0)
        case .load: (0, 1)
        case .testValue, .yieldValue: (1, -1)
        }
    }

    /// Whether the program ends here.
    var isLast: Bool { self == .yield || self == .yieldValue }
}

/// An operand, with the thing that it refers to.
package enum Operand: Equatable {
    case name(NameKey)
    case string(StringIndex)
    case strings(StringListIndex)
    /// A pattern that PCRE2 matches.
    case regex(PatternIndex)
    /// A pattern that a literal replaces.
    case literal(PatternIndex)
    case argument(ArgumentIndex)
    case attribute(AttributeIndex)
    case form(FormIndex)
    /// A form query that names a field.
    case formField(FormIndex)
    case conversion(Conversion, isStrict: Bool)
    /// The step of the next lower cursor.
    case outer(Address?)
}

extension Instruction {
    /// This instruction's entry in the instruction set.
    package var definition: InstructionDefinition {
        switch self {
        case .childrenNamed(let name, let outer):
            .init("children.named", [.name(name), .outer(outer)], .step, "children of that name and namespace")
        case .childrenNamedInherited(let name, let outer):
            .init(
                "children.named.inherited", [.name(name), .outer(outer)], .step,
                "children of that name in its namespace")
        case .childrenNamedAnywhere(let name, let outer):
            .init(
                "children.named.anywhere", [.name(name), .outer(outer)], .step,
                "children of that name in any namespace")
        case .childrenInNamespace(let namespace, let outer):
            .init("children.in", [.name(namespace), .outer(outer)], .step, "children in that namespace")
        case .childrenInInherited(let outer):
            .init("children.inherited", [.outer(outer)], .step, "children in its namespace")
        case .childrenAll(let outer):
            .init("children.all", [.outer(outer)], .step, "all children")
        case .leave(let outer):
            .init("leave", [.outer(outer)], .leave, "back to the parent, once")
        case .ascend:
            .init("ascend", .ascend, "the context's parent; a root stays")
        case .isNamed(let name):
            .init("is.named", [.name(name)], .test, "has that name and namespace")
        case .isNamedInherited(let name):
            .init("is.named.inherited", [.name(name)], .test, "has that name and its parent's namespace")
        case .isNamedAnywhere(let name):
            .init("is.named.anywhere", [.name(name)], .test, "has that name")
        case .isInNamespace(let namespace):
            .init("is.in", [.name(namespace)], .test, "is in that namespace")
        case .isInInherited:
            .init("is.inherited", .test, "is in its parent's namespace")
        case .isNotNamed(let name):
            .init("is.not.named", [.name(name)], .test, "has another name")
        case .hasAttribute(let name):
            .init("attribute.exists", [.name(name)], .test, "has that attribute")
        case .attributeEquals(let name, let string):
            .init("attribute.equals", [.name(name), .string(string)], .test, "has that attribute with that value")
        case .attributeEqualsArgument(let name, let argument):
            .init(
                "attribute.equals.argument", [.name(name), .argument(argument)], .test,
                "has that attribute with the argument's value")
        case .loadAttribute(let name):
            .init("load.attribute", [.name(name)], .load, "the attribute's value")
        case .loadResolvedAttribute(let attribute):
            .init("load.attribute.resolved", [.attribute(attribute)], .load, "the value of an attribute in a namespace")
        case .loadNamespace:
            .init("load.namespace", .load, "the namespace")
        case .loadName:
            .init("load.name", .load, "the local name")
        case .loadText:
            .init("load.text", .load, "the element's own text")
        case .loadField(let form):
            .init("load.field", [.formField(form)], .load, "the first value of the form's field")
        case .drop:
            .init("drop", .testValue, "whatever the value is")
        case .equals(let string):
            .init("equals", [.string(string)], .testValue, "equals that string")
        case .equalsArgument(let argument):
            .init("equals.argument", [.argument(argument)], .testValue, "equals the argument")
        case .equalsIgnoringCase(let string):
            .init("equals.caseless", [.string(string)], .testValue, "equals that string but for case")
        case .equalsArgumentIgnoringCase(let argument):
            .init("equals.argument.caseless", [.argument(argument)], .testValue, "equals the argument but for case")
        case .isOneOf(let strings):
            .init("is.one.of", [.strings(strings)], .testValue, "is one of those strings")
        case .hasPrefix(let string):
            .init("has.prefix", [.string(string)], .testValue, "begins with that string")
        case .hasSuffix(let pattern):
            .init("has.suffix", [.literal(pattern)], .testValue, "ends with that string")
        case .contains(let pattern):
            .init("contains", [.literal(pattern)], .testValue, "holds that string")
        case .matches(let pattern):
            .init("matches", [.regex(pattern)], .testValue, "the regular expression matches")
        case .yieldElement:
            .init("yield.element", .yield, "the element")
        case .yieldAttributes:
            .init("yield.attributes", .yield, "all attributes")
        case .yieldString:
            .init("yield.string", .yieldValue, "the value as it is")
        case .yieldText:
            .init("yield.text", .yield, "the element's own text")
        case .yieldFieldText(let form):
            .init("yield.field.text", [.formField(form)], .yield, "the first value of the form's field")
        case .yieldConvertedText(let conversion):
            .init(
                "yield.text.converted", [.conversion(conversion, isStrict: false)], .yield,
                "the element's own text, converted")
        case .yieldConverted(let conversion, let isStrict):
            .init("yield.converted", [.conversion(conversion, isStrict: isStrict)], .yieldValue, "the converted value")
        case .yieldForm(let form):
            .init("yield.form", [.form(form)], .yield, "the data form")
        case .yieldFieldDescription(let form):
            .init("yield.field.description", [.formField(form)], .yield, "the description of the form's field")
        }
    }
}

extension InstructionDefinition {
    fileprivate init(_ mnemonic: String, _ effect: StackEffect, _ synopsis: String) {
        self.init(mnemonic, [], effect, synopsis)
    }
}
