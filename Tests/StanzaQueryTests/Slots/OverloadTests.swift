// Which form a call takes: literals their own cache, literals with interpolations their slots, all else the text.

import TestSupport
import Testing

@testable import StanzaQuery

/// Read as a part of a query, it would find the second element by its other attribute.
private let hostile = "x><i=2"

@Suite struct OverloadTests {
    private let tree = "<r><a k='x' i='1'/><a k='x' i='2'/><a k='y' i='3'/></r>"

    // MARK: Literals with interpolations

    /// Every form with values that are found, and that would be found if they were read.
    @Test func interpolatedLiterals() throws {
        let root = try element(tree)
        let calls: [(String) throws -> [String?]] = [
            { value in try root.find("a<k=\(value)>@i").map(\.string) },
            { value in try root.find("a<k=\(value)>@i", as: String.self) },
            { value in try root.find(#"a<k=\#(value)>@i"#).map(\.string) },
            { value in try root.find(("a<k=\(value)>@i")).map(\.string) },
            { value in try root.find(value.isEmpty ? "b" : "a<k=\(value)>@i").map(\.string) },
            { value in
                try root.find(
                    """
                    a<k=\
                    \(value)>@i
                    """
                ).map(\.string)
            },
            { value in try root.thaw().find("a<k=\(value)>@i").map(\.string) },
            { value in try root.find(Query("a<k=\(value)>@i")).map(\.string) },
            { value in try root.find(Query("a<k=\(value)>@i", options: .strictConversions)).map(\.string) },
            { value in try root.find(Query("a<k=\(value)>@i", as: String.self)) },
            { value in try Self.generic(root, value) },
            { value in try root.find("a<k=\(value[...])>@i").map(\.string) },
            { value in
                let optional: String? = value
                return try root.find("a<k=\(optional, default: "y")>@i").map(\.string)
            },
            { value in
                let optional: (any QueryArgument)? = value
                return try root.find("a<k=\(optional, default: "y")>@i").map(\.string)
            },
            { value in
                let existential: any QueryArgument = value
                return try root.find("a<k=\(existential)>@i").map(\.string)
            },
        ]
        for (index, call) in calls.enumerated() {
            #expect(try call("x") == ["1", "2"], "call \(index)")
            #expect(try call("y") == ["3"], "call \(index)")
            #expect(try call(hostile) == [], "call \(index)")
        }
    }

    private static func generic(_ element: some QueryableElement, _ value: String) throws -> [String?] {
        try element.find("a<k=\(value)>@i").map(\.string)
    }

    @Test func theFirstResult() throws {
        let root = try element(tree)
        let calls: [(String) throws -> String?] = [
            { value in try root.findFirst("a<k=\(value)>@i")?.string },
            { value in try root.findFirst("a<k=\(value)>@i", as: String.self) },
            { value in try root.thaw().findFirst("a<k=\(value)>@i", as: String.self) },
            { value in try root.findFirst("a<k=\(value)>@i|int", as: Int.self).map(String.init) },
            { value in try root.findFirst(Query("a<k=\(value)>@i", as: String.self)) },
        ]
        for (index, call) in calls.enumerated() {
            #expect(try call("y") == "3", "call \(index)")
            #expect(try call(hostile) == nil, "call \(index)")
        }
    }

    @Test func whetherThereIsAResult() throws {
        let root = try element(tree)
        let node: any QueryableElement = root
        let calls: [(String) throws -> Bool] = [
            { value in try root.check("a<k=\(value)>") },
            { value in try root.thaw().check("a<k=\(value)>") },
            { value in try node.check("a<k=\(value)>") },
            { value in try root.check(Query("a<k=\(value)>", as: Element.self)) },
        ]
        for (index, call) in calls.enumerated() {
            #expect(try call("x"), "call \(index)")
            #expect(try !call(hostile), "call \(index)")
        }
    }

    @Test func namesAndNumbers() throws {
        let root = try element(tree)
        let (name, attribute) = ("a", "i")
        #expect(try root.find("\(name)<i=\(3)>@\(attribute)|int", as: Int.self) == [3])
        #expect(try root.check("a<i=\(3)>") && !root.check("a<i=\(UInt8(4))>"))
        #expect(try root.findFirst("\("*")") == nil)
    }

    /// Values are either in the text or after it: a mixture is an error.
    @Test func argumentsAfterInterpolations() throws {
        let root = try element(tree)
        let value = "x"
        let kinds = [
            queryError { _ = try root.find("a<k=\(value)>", value) }?.kind,
            queryError { _ = try root.findFirst("a<k=\(value)>", value, 5) }?.kind,
            queryError { _ = try root.check("\(value)", value) }?.kind,
            queryError { _ = try root.find("a<k=\(value)>", value, as: Element.self) }?.kind,
            queryError { _ = try root.findFirst("a<k=\(value)>", value, as: Element.self) }?.kind,
        ]
        #expect(kinds.allSatisfy { $0 == .arguments })
        let mixed = queryError { _ = try root.check("a<k=\(value)><i=%@>", value) }
        #expect(mixed?.first.problem == .specifierAmongSlots)
        #expect(queryError { _ = try root.find("a<k=\(value)>@i", as: Int.self) }?.kind == .resultType)
        // A literal of an explicit literal type may have specifiers, if it has no interpolation.
        let literal: QueryLiteral = "a<k=%@>@i"
        #expect(try root.find(literal, value, as: String.self) == ["1", "2"])
        #expect(try root.findFirst(literal, hostile) == nil)
    }

    // MARK: Literals without

    /// They do not reach the cache of texts, so they use the cheapest overload.
    @Test func literals() throws {
        let root = try element(tree)
        #expect(try root.find("a<k=x><i~^1.?$>@i").map(\.string) == ["1"])
        #expect(try root.findFirst("a<k=x><i~^1.?.?$>@i")?.string == "1")
        #expect(try root.check("a<k=x><i~^1.?.?.?$>@i"))
        #expect(try root.find("a<k=%@><i~^1.?$>@i", "x").map(\.string) == ["1"])
        #expect(try root.findFirst("a<k=%@><i~^1.?.?$>@i", "x")?.string == "1")
        #expect(try root.check("a<k=%@><i~^1.?.?.?$>@i", "x"))
        #expect(try root.find("a<k=%@><i=%d><i~^1.?$>@i", "x", 1).map(\.string) == ["1"])
        #expect(try root.findFirst("a<k=%@><i=%d><i~^1.?.?$>@i", "x", 1)?.string == "1")
        #expect(try root.check("a<k=%@><i=%d><i~^1.?.?.?$>@i", "x", 1))
        #expect(try root.find("a<k=x><i~^1.?$>@i|int", as: Int.self) == [1])
        #expect(try root.findFirst("a<k=x><i~^1.?.?$>@i|int", as: Int.self) == 1)
        #expect(try root.find("a<k=%@><i~^1.?$>@i|int", "x", as: Int.self) == [1])
        #expect(try root.findFirst("a<k=%@><i~^1.?.?$>@i|int", "x", as: Int.self) == 1)
        #expect(try root.find("a<k=%@><i=%d><i~^1.?$>@i|int", "x", 1, as: Int.self) == [1])
        #expect(try root.findFirst("a<k=%@><i=%d><i~^1.?.?$>@i|int", "x", 1, as: Int.self) == 1)
        let cache = QueryCache.shared
        for start in ["a<k=x>", "a<k=%@>", "a<k=%@><i=%d>"] {
            for end in [".?$>@i", ".?.?$>@i", ".?.?.?$>@i", ".?$>@i|int", ".?.?$>@i|int"] {
                #expect(!cache.holds("\(start)<i~^1\(end)"))
            }
        }
    }

    // MARK: Texts

    /// A `String` is read as a query.
    @Test func texts() throws {
        let root = try element(tree)
        let text = "a<k=\(hostile)>@i"
        #expect(try root.find(text).map(\.string) == ["2"])
        #expect(try root.find(Query(text, as: String.self)) == ["2"])
        #expect(try root.find("a<k=" + hostile + ">@i").map(\.string) == ["2"])
        #expect(try root.find("a<k=\(hostile)>" + "@i").map(\.string) == ["2"])
        #expect(try root.find("a<k=\(hostile)>@i" as String).map(\.string) == ["2"])
        #expect(try root.findFirst(String("a<k=\(hostile)>@i"))?.string == "2")
        #expect(try root.check(text))
        #expect(try root.findFirst("a<k=%@>" + "@i", "y")?.string == "3")
        #expect(try root.findFirst(Query("a<k=%@>" + "@i", as: String.self), "y") == "3")
        #expect(try root.find(Query("a<k=%@>" + "@i", as: String.self), "y") == ["3"])
        #expect(try root.find(Query("a<k=%@>" + "@i|int", as: Int.self, options: .strictConversions), "y") == [3])
        #expect(try root.find("a<k=%@>" + "@i", "y").map(\.string) == ["3"])
        #expect(try root.find("a<k=%@><i=%d>" + "@i", "y", 3).map(\.string) == ["3"])
        #expect(try root.check("a<k=%@><i=%d>" + "@i", "y", 3))
        #expect(try root.find(Query(text)).map(\.string) == ["2"])
    }

    /// A typed query of a text comes from the cache of texts; one with options does not, because the cache has none.
    @Test func typedTexts() throws {
        let cache = QueryCache.shared
        let (text, other, wrong) = ("typedTexts@\(hostile.count)|int", "typedTexts@b|int", "typedTexts@c|int")
        // Other tests fill the same cache at the same time.
        let isShared = try (0..<100).contains { _ in
            let query = try Query(text, as: Int.self)
            return try cache.holds(text) && query.compiled === Query(text[...], as: Int.self).compiled
        }
        #expect(isShared)
        #expect(try Query(other as String, as: Int.self, options: .strictConversions).options == .strictConversions)
        #expect(!cache.holds(other))
        // The type's mistake is not the text's: each call reports it, and the next one finds the compiled text.
        let isHeld = (0..<100).contains { _ in
            #expect(queryError { _ = try Query(wrong as String, as: Bool.self) }?.kind == .resultType)
            return cache.holds(wrong)
        }
        #expect(isHeld)
    }

    /// Forms of calls with a compiled query, of each type, with no argument, one and several.
    @Test func compiledQueries() throws {
        let (root, editable) = (try element(tree), try element(tree).thaw())
        let (any, typed) = (try Query("a<k=%@>@i"), try Query("a<k=%@>@i", as: String.self))
        let elements = try Query("a<k=%@>", as: Element.self)
        let two = try Query("a<k=%@><i=%d>@i")
        #expect(try root.find(any, "y").map(\.string) == ["3"] && editable.find(any, "y").map(\.string) == ["3"])
        #expect(try root.find(two, "y", 3).map(\.string) == ["3"] && root.find(two, "y", 1).isEmpty)
        #expect(try root.find(typed, "x") == ["1", "2"] && editable.findFirst(typed, "x") == "1")
        #expect(try root.find(elements, "x").count == 2 && editable.find(elements, "y").count == 1)
        #expect(try editable.findFirst(elements, "y")?["i"] == "3")
        #expect(try root.check(any, "y") && root.check(typed, "y") && editable.check(elements, "y"))
        #expect(try root.findFirst(any, "y")?.string == "3" && root.findFirst(two, "y", 3)?.string == "3")
        #expect(try root.find(any.binding("y")).map(\.string) == ["3"])
    }

    /// A `String` beside a literal makes the literal a `String`. The compiler cannot forbid that: the documentation and
    /// the linter warn of it.
    @Test func literalsBesideTexts() throws {
        let iq = try element("<iq><items node='x' id='1'/><items node='y' id='2'/></iq>")
        let node = "x><id=1"
        let (text, other, isKnown) = ("missing", String?.none, !node.isEmpty)
        let ofTernary = try iq.find(isKnown ? "items<node=\(node)>" : text)
        let ofDefault = try iq.find(other ?? "items<node=\(node)>")
        let set = try QuerySet(["items<node=\(node)>", text])
        #expect(ofTernary.count == 1 && ofDefault.count == 1)
        #expect(try set.bestMatch(in: iq)?.index == 0)
        // The type decides otherwise.
        #expect(try iq.find(isKnown ? "items<node=\(node)>" as QueryLiteral : "b").isEmpty)
        #expect(try QuerySet(["items<node=\(node)>", "\(text)"]).bestMatch(in: iq) == nil)
    }

    // MARK: Sets

    /// With any other arguments, the compiler does not take the literal for a text.
    @Test func setsWithOtherArguments() throws {
        let root = try element(tree)
        for (value, expected) in [("x", 1), (hostile, 0)] {
            var sets = [QuerySet](repeating: QuerySet(), count: 5)
            try sets[0].insert("a<k=\(value)>", priority: 1)
            try sets[1].insert("a<k=\(value)>", priority: value.count)
            try sets[2].insert("a<k=\(value)>", options: .strictConversions)
            try sets[3].insert("a<k=\(value)>", priority: 2, options: [])
            sets[4] = try QuerySet(["a<k=\(value)>"], options: .strictConversions)
            #expect(sets.map { $0.matches(root).map(\.index).count } == Array(repeating: expected, count: 5))
            #expect(queryError { try sets[0].insert("a<k=\(value)>", 5) }?.kind == .arguments)
        }
    }

    @Test func sets() throws {
        let root = try element(tree)
        for (value, expected) in [("x", true), (hostile, false)] {
            var set = QuerySet()
            let id = try set.insert("a<k=\(value)>", priority: 1)
            try set.insert("a<k=%@><i=9>", value)
            #expect(try (set.bestMatch(in: root) == id) == expected)
            #expect(set[id]?.arguments.isEmpty == true && set[id]?.query.argumentCount == 0)
            let many = try QuerySet(["b", "a<k=\(value)>@\("i")"])
            #expect(many.matches(root).map(\.index) == (expected ? [1] : []))
            let text = "a<k=\(value)>@i"
            #expect(try QuerySet([text]).bestMatch(in: root) != nil)
        }
        var set = QuerySet()
        #expect(queryError { try set.insert("a<k=\(hostile)>", "x") }?.kind == .arguments)
        let misplaced = #expect(throws: QuerySetError.self) { try QuerySet(["a", "a\(hostile)"]) }
        #expect(misplaced?.failures.map(\.index) == [1])
    }

    /// The query also compares a value that is not an argument, though the compiler warns of it.
    @Test func descriptions() throws {
        var pieces = QueryLiteral.StringInterpolation(literalCapacity: 0, interpolationCount: 1)
        pieces.appendLiteral("a<k=")
        pieces.appendDescription(of: Optional("x") as Any)
        pieces.appendLiteral(">")
        let literal = QueryLiteral(stringInterpolation: pieces)
        #expect(try element(#"<r><a k='Optional("x")'/></r>"#).check(literal))
        #expect(try !element(tree).check(literal))
        for (value, expected) in [([hostile], #"["x><i=2"]"#), (nil, "none")] as [([String]?, String)] {
            var pieces = QueryLiteral.StringInterpolation(literalCapacity: 0, interpolationCount: 1)
            pieces.appendLiteral("a<k=")
            pieces.appendDescription(of: value, default: "none")
            pieces.appendLiteral(">")
            let literal = QueryLiteral(stringInterpolation: pieces)
            #expect(
                try element("<r><a k='\(expected.replacing(">", with: "&gt;").replacing("<", with: "&lt;"))'/></r>")
                    .check(literal))
            #expect(try !element(tree).check(literal))
        }
    }
}
