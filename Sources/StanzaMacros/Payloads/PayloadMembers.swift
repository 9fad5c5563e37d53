// All members of a structure with @Payload: their order and duplicates, and the bodies of the functions.

import SwiftSyntax
import SwiftSyntaxMacros

struct PayloadMembers {
    private var members: [PayloadMember] = []

    /// `nil`, with a report for each mistake, if one of the properties is wrong.
    init?(_ declaration: StructDeclSyntax, _ context: some MacroExpansionContext) {
        var identities: Set<[UInt8]> = []
        var rest: PayloadMember?
        var isRight = true
        for member in declaration.memberBlock.members {
            if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                isRight = Self.reportMarks(inside: condition, context) && isRight
            }
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            if variable.payloadMarks.isEmpty {
                isRight =
                    StoredProperty.checkOther(
                        variable,
                        "is not a member and has no value: add '@Attribute', '@Child' or another mark, or a value",
                        mark: nil, context) && isRight
                continue
            }
            guard let member = PayloadMember(variable, context) else {
                isRight = false
                continue
            }
            if let identity = member.identity, !identities.insert(Array(identity.utf8)).inserted {
                context.report("duplicate", "two members are \(identity)", at: member.place)
                isRight = false
            }
            if rest != nil, member.known != nil {
                context.report(
                    "order", "'@Rest' reads the content that the members before it leave: write it after this one",
                    at: member.place)
                isRight = false
            }
            if member.kind == .rest { rest = member }
            members.append(member)
        }
        if !isRight { return nil }
    }

    /// The statements that read the members.
    func reading(refusesOthers: Bool) -> String {
        let known = "[\(members.compactMap(\.known).joined(separator: ", "))]"
        var statements = members.map { $0.reading(known: known) }
        if refusesOthers {
            let attributes = members.compactMap(\.attribute).joined(separator: ", ")
            let hasRest = members.contains { $0.kind == .rest }
            let hasText = members.contains { $0.kind == .text }
            statements.append(
                """
                try reader._refuseOthers(attributes: [\(attributes)], children: \(hasRest ? "nil" : known), \
                allowsText: \(hasText))
                """)
            let wrapped = members.compactMap(\.wrapped)
            for (index, reader) in wrapped.map(\.reader).enumerated() {
                if wrapped[..<index].contains(where: { $0.reader == reader }) { continue }
                let inner = wrapped.filter { $0.reader == reader }.map(\.known).joined(separator: ", ")
                let arguments = "attributes: [], children: [\(inner)], allowsText: false"
                statements.append("try \(reader)._refuseOthers(\(arguments))")
            }
        }
        return statements.joined(separator: "\n")
    }

    /// The statements that write them.
    var writing: String { members.compactMap(\.writing).joined(separator: "\n") }

    /// Reports members inside `#if`: a macro cannot see which of them are compiled.
    private static func reportMarks(inside condition: IfConfigDeclSyntax, _ context: some MacroExpansionContext) -> Bool
    {
        var isRight = true
        for clause in condition.clauses {
            for member in clause.elements?.as(MemberBlockItemListSyntax.self) ?? [] {
                if let nested = member.decl.as(IfConfigDeclSyntax.self) {
                    isRight = reportMarks(inside: nested, context) && isRight
                }
                guard let mark = member.decl.as(VariableDeclSyntax.self)?.payloadMarks.first else { continue }
                context.report("payload", "a member is not allowed inside of '#if'", at: mark.attribute)
                isRight = false
            }
        }
        return isRight
    }
}

extension VariableDeclSyntax {
    /// The marks of `@Payload` on a property.
    var payloadMarks: [(kind: PayloadMember.Kind, attribute: AttributeSyntax)] {
        PayloadMember.Kind.allCases.compactMap { kind in attributes.attribute(kind.rawValue).map { (kind, $0) } }
    }
}
