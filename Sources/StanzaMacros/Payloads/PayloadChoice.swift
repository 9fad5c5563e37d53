// An enumeration with @Payload: the name of the element chooses the case, or the value of an attribute.

import SwiftSyntax
import SwiftSyntaxMacros

struct PayloadChoice {
    private struct Case {
        let name: String
        /// The element's name or the attribute's value; `nil` for no attribute.
        let value: String?
        /// The label and the type of its payload.
        let payload: (label: String, type: String)?
    }

    private let cases: [Case]
    private let arguments: PayloadArguments

    /// `nil`, with a report for each mistake, if one of the cases is wrong.
    init?(
        _ declaration: EnumDeclSyntax, _ arguments: PayloadArguments, _ node: AttributeSyntax,
        _ context: some MacroExpansionContext
    ) {
        self.arguments = arguments
        var (cases, isRight): ([Case], Bool) = ([], true)
        var values: Set<[UInt8]> = []
        for member in declaration.memberBlock.members {
            guard let declaration = member.decl.as(EnumCaseDeclSyntax.self) else { continue }
            let mark = declaration.attributes.attribute("Case")
            if let mark, declaration.elements.count > 1 {
                context.report("case", "one name for several cases: give each a declaration of its own", at: mark)
                isRight = false
            }
            for element in declaration.elements {
                guard let found = Self.case(element, declaration.elements.count > 1 ? nil : mark, arguments, context)
                else {
                    isRight = false
                    continue
                }
                let identity = found.payload.map { arguments.attribute == nil ? "type \($0.type)" : nil } ?? nil
                if !values.insert(Array((identity ?? found.value ?? "").utf8)).inserted {
                    context.report("duplicate", "two cases are read from the same content", at: element.name)
                    isRight = false
                }
                cases.append(found)
            }
        }
        if cases.isEmpty, isRight {
            context.report("case", "a choice needs a case", at: declaration.enumKeyword)
            isRight = false
        }
        if arguments.refusesOthers {
            context.report(
                "payload", "the payloads of the cases refuse other content, or not: write it there", at: node)
            isRight = false
        }
        guard isRight, Self.checkName(arguments, cases, node, context) else { return nil }
        self.cases = cases
    }

    private static func `case`(
        _ element: EnumCaseElementSyntax, _ mark: AttributeSyntax?, _ arguments: PayloadArguments,
        _ context: some MacroExpansionContext
    ) -> Case? {
        let parameters = element.parameterClause?.parameters
        if let parameters, parameters.count != 1 {
            context.report("case", "a case has one payload at most", at: parameters)
            return nil
        }
        let payload = parameters?.first.map { parameter in
            (parameter.firstName.map { "\($0.text): " } ?? "", parameter.type.trimmedDescription)
        }
        var value: String? = element.name.plainText
        if case .argumentList(let list)? = mark?.arguments, let argument = list.first?.expression {
            value = argument.stringValue
            if value == nil, !argument.is(NilLiteralExprSyntax.self) || arguments.attribute == nil {
                context.report("case", "expected a string literal", at: argument)
                return nil
            }
            if payload != nil, arguments.attribute == nil {
                context.report("case", "the payload has the name of the element: remove this", at: argument)
                return nil
            }
        }
        // The braces keep a namespace or a prefix out of the name.
        let problem = value.flatMap { WrittenName("{}\($0)").localProblem }
        if payload == nil, arguments.attribute == nil, let problem {
            context.report("name", problem, at: element.name)
            return nil
        }
        return Case(name: element.name.trimmed.text, value: value, payload: payload)
    }

    /// Reports the argument of the macro, which depends on the cases.
    private static func checkName(
        _ arguments: PayloadArguments, _ cases: [Case], _ node: AttributeSyntax, _ context: some MacroExpansionContext
    ) -> Bool {
        var problem: String?
        if let attribute = arguments.attribute {
            problem = attribute.value.problem
            if problem == nil {
                problem = arguments.name?.value.problem
                if arguments.name?.value.namespace == nil {
                    problem = "expected the name of the element: '{namespace}name'"
                }
            }
        } else if let name = arguments.name {
            problem = name.value.namespaceProblem
            if name.value.namespace == nil || !name.value.local.isEmpty {
                problem = "the cases are the names: write the namespace alone, '{namespace}'"
            }
        } else if cases.contains(where: { $0.payload == nil }) {
            problem = "a case without a payload needs a namespace: @Payload(\"{namespace}\")"
        }
        if let problem {
            context.report("name", problem, at: arguments.name.map { Syntax($0.expression) } ?? Syntax(node))
        }
        return problem == nil
    }

    /// The members of the conformance.
    var members: [String] { arguments.attribute == nil ? membersByName : membersByAttribute }

    // MARK: By the element's name

    private var membersByName: [String] {
        let names = cases.map { each in each.payload.map { "\($0.type).payloadName" } ?? literal(each) }
        var others = names.dropFirst().map { "[\($0)]" }
        others += cases.compactMap { each in each.payload.map { "\($0.type).alternativeNames" } }
        let tests = cases.map { each in
            "if reader._isNamed(\(each.payload.map { "as: \($0.type).self" } ?? literal(each))) {\n\(read(each))\nreturn\n}"
        }
        let elements = cases.map { each in
            each.payload == nil
                ? "case .\(each.name): \(literal(each))" : "case .\(each.name)(let payload): payload.elementName"
        }
        return [
            "static var payloadName: _PayloadName { \(names[0]) }",
            "static var alternativeNames: [_PayloadName] { _PayloadName._joined(\(others.joined(separator: ", "))) }",
            """
            init(from reader: _PayloadReader) throws(_PayloadError) {
            \(tests.joined(separator: "\n"))
            throw reader._noCase(of: Self.self)
            }
            """,
            """
            var elementName: _PayloadName {
            switch self {
            \(elements.joined(separator: "\n"))
            }
            }
            """,
            encode { _ in nil },
        ]
    }

    private func literal(_ each: Case) -> String {
        quoted("{\(arguments.name?.value.namespace ?? "")}\(each.value ?? "")")
    }

    // MARK: By an attribute

    private var membersByAttribute: [String] {
        let attribute = arguments.attribute?.expression.trimmedDescription ?? ""
        let tests = cases.map { each in
            "if reader._has(\(value(each)), for: \(attribute)) {\n\(read(each))\nreturn\n}"
        }
        let expected = cases.map { each in each.value.map { "'\($0)'" } ?? "none" }.joined(separator: ", ")
        return [
            "static var payloadName: _PayloadName { \(arguments.name?.expression.trimmedDescription ?? "") }",
            """
            init(from reader: _PayloadReader) throws(_PayloadError) {
            \(tests.joined(separator: "\n"))
            throw reader._noCase(of: \(attribute), expected: \(quoted(expected)))
            }
            """,
            encode { each in each.value == nil ? nil : "try writer.attribute(\(attribute), \(value(each)))" },
        ]
    }

    private func value(_ each: Case) -> String { each.value.map(quoted) ?? "nil" }

    private func quoted(_ text: String) -> String { StringLiteralExprSyntax(content: text).description }

    private func read(_ each: Case) -> String {
        let reader = arguments.attribute.map { "reader._chosen(by: \($0.expression.trimmedDescription))" } ?? "reader"
        return each.payload.map { "self = .\(each.name)(\($0.label)try \($0.type)(from: \(reader)))" }
            ?? "self = .\(each.name)"
    }

    private func encode(_ mark: (Case) -> String?) -> String {
        let bodies = cases.map { each in
            // The payload may write the attribute, too: the mark counts.
            let statements = [each.payload.map { _ in "try payload.encode(to: writer)" }, mark(each)].compactMap { $0 }
            return "case .\(each.name)\(each.payload == nil ? "" : "(let payload)"):\n"
                + (statements.isEmpty ? "break" : statements.joined(separator: "\n"))
        }
        return """
            func encode(to writer: _PayloadWriter) throws(_PayloadError) {
            switch self {
            \(bodies.joined(separator: "\n"))
            }
            }
            """
    }
}
