// A query reaches every problem of the language page: a new case of `Problem` has no number here, and the test reports
// a number that no query reaches.

import QuerySyntax
import Testing

@testable import StanzaQuery

@Suite struct EveryProblemTests {
    private static let queries = [
        "a*", "/", "a/", "a//b", "<a=b>", "$", "|int", "!*", "!..", "..<a=b>", "{}", "@{*}a", "@", "a<b>", "a<b=>",
        "a<b~>", "a<b=%y>", "a<b=%1001d>", "\\@\\", "\\[]\\", "a@b|", "a@b|x", "a|int", "a@b/c", "..@id", "a<b~(>",
        "http://a", "a[@b]", "a[1]", "text()", "a@b=c",
    ]

    @Test func everyProblemIsReached() throws {
        var reached: Set<Int> = []
        for query in Self.queries {
            let error = try #require(queryError { _ = try Query(query) }, "\(query)")
            reached.formUnion(error.diagnostics.map { number(of: $0.problem) })
        }
        for text in [Self.text(withSlotBehind: "a"), Self.text(withSlotBehind: "a<b=%d>/")] {
            reached.formUnion(ParsedQuery(parsing: text).diagnostics.map { number(of: $0.problem) })
        }
        let element = try Element(parsing: "<m><a k='\(String(repeating: "a", count: 60))!'/></m>")
        for (text, arguments): (String, [any QueryArgument]) in [
            ("a<k=%d>", []), ("a<k=%d>", [1, 2]), ("a<k=%d>", ["one"]), ("a<k~^(a+)+$>", []),
        ] {
            let query = try Query(text)
            let error = try #require(
                queryError { _ = try element.check(query.binding(arguments: arguments)) }, "\(text)")
            reached.formUnion(error.diagnostics.map { number(of: $0.problem) })
        }
        for body: () throws -> Void in [
            { _ = try element.check(Query("a<k=%d>").binding(1), 2) }, { _ = try Query("a@k", as: Int.self) },
        ] {
            let error = try #require(queryError { try body() })
            reached.formUnion(error.diagnostics.map { number(of: $0.problem) })
        }
        #expect(reached == Set(0..<Self.count))
    }

    private static func text(withSlotBehind text: String) -> QueryText {
        var text = QueryText(text)
        text.appendSlot()
        return text
    }

    private static let count = 39

    /// One for each case, from 0.
    private func number(of problem: Diagnostic.Problem) -> Int {
        switch problem {
        case .unexpected: 0
        case .loneSlash: 1
        case .trailingSlash: 2
        case .emptySegment: 3
        case .filterNeedsName: 4
        case .nameExtractionNeedsName: 5
        case .conversionNeedsExtraction: 6
        case .negationNeedsName: 7
        case .parentIsNoName: 8
        case .parentTakesNoFilter: 9
        case .emptyBraces: 10
        case .anyNamespaceOfAttribute: 11
        case .attributeNeedsName: 12
        case .filterNeedsCondition: 13
        case .emptyValue: 14
        case .emptyRegex: 15
        case .invalidSpecifier: 16
        case .specifierNumberTooLarge: 17
        case .formFieldNeedsName: 18
        case .formIndexNeedsDigits: 19
        case .emptyConversion: 20
        case .misplacedSlot: 21
        case .specifierAmongSlots: 22
        case .unknownConversion: 23
        case .misplacedConversion: 24
        case .extractionBeforeEnd: 25
        case .extractionOfParent: 26
        case .invalidRegex: 27
        case .missingArgument: 28
        case .tooManyArguments: 29
        case .argumentMismatch: 30
        case .regexLimit: 31
        case .namespaceNeedsBraces: 32
        case .conditionInBrackets: 33
        case .positionInBrackets: 34
        case .functionCall: 35
        case .comparisonNeedsFilter: 36
        case .argumentsAreBound: 37
        case .resultType: 38
        }
    }
}
