// Which form a call takes: literals their own cache, literals with interpolations their slots, all else the text. And
// the results and mistakes of literals with interpolations.

import QuerySyntax
import QueryTools
import Testing

@testable import StanzaQuery

/// Read as a part of a query, it would find the second element by its other attribute.
private let hostile = "x><i=2"

@Suite struct OverloadTests {
    private let tree = "<r><a k='x' i='1'/><a k='x' i='2'/><a k='y' i='3'/></r>"

    // MARK: Literals with interpolations

    @Test func examples() throws {
        let message = try element(
            """
            <message xmlns='jabber:client'><event xmlns='http://jabber.org/protocol/pubsub#event'>\
            <items node='urn:xmpp:avatar:metadata'><item id='1'/></items><items node='b'/></event></message>
            """)
        let node = "urn:xmpp:avatar:metadata"
        let items = try Query("{http://jabber.org/protocol/pubsub#event}event/items<node=\(node)>/item@id")
        let id = try message.findFirst(items)?.string
        #expect(id == "1")
        #expect(items.source == "{http://jabber.org/protocol/pubsub#event}event/items<node=\\(…)>/item@id")

        let (namespace, attribute) = ("http://jabber.org/protocol/pubsub#event", "id")
        let found = try message.findFirst("{\(namespace)}event/items<node=\(node)>/item@\(attribute)")?.string
        #expect(found == "1")
    }

    @Test func everyTypeOfArgument() throws {
        let root = try element("<r a='-5' b='18446744073709551615' c='2.5' d='true' e='x' f='é'/>")
        #expect(
            try root.check(
                Query("/<a=\(-5)><b=\(UInt64.max)><c=\(2.5)><d=\(true)><e=\(Character("x"))><f=\("\u{E9}")>")))
        #expect(try !root.check(Query("/<f=\("e\u{301}")>")))
        #expect(try root.check(Query("/<c=\(2).\(5)>")))
    }

    @Test func namesOfEveryKind() throws {
        let root = try element("<r xmlns='u' id='7'><a xmlns='v' p:k='1' xmlns:p='w' xml:lang='de'/><b k='2'/></r>")
        let (namespace, name, local) = ("v", "a", "k")
        #expect(try root.check(Query("{\(namespace)}\(name)")))
        #expect(try root.findFirst(Query("\("b")@\(local)|int"))?.int == 2)
        #expect(try root.findFirst(Query("{*}a@{\("w")}\(local)"))?.string == "1")
        #expect(try root.findFirst(Query("{*}a@\("p:k")"))?.string == "1")
        #expect(try root.findFirst(Query("{*}a@\("xml:lang")"))?.string == "de")
        #expect(try root.findFirst(Query("{*}a@\("xmlns")"))?.string == "v")
        #expect(try root.findFirst(Query("{*}!\("a")$"))?.string == "b")
        // An empty namespace is none.
        let plain = try element("<r xmlns=''><a k='1'/></r>")
        #expect(try plain.findFirst(Query("{\("")}a@{\("")}k"))?.string == "1")
    }

    @Test func mistakesAreThrown() {
        let value = "v"
        let misplaced = queryError { _ = try Query("a<b~\(value)>") }
        #expect(misplaced?.first.problem == .misplacedSlot && misplaced?.range == 4..<10)
        #expect(queryError { _ = try Query("a<b=100%\(value)>") }?.first.repair == "<b=100%%\\(…)>")
        #expect(queryError { _ = try Query("a<b=\(value)><c~(>") }?.kind == .invalidRegex)
    }

    /// Runs alone with its own options, so that no other test's literals are counted.
    @Test func oneProgramForAllValues() throws {
        let options: QueryOptions = [.strictConversions, .caseInsensitiveFilters]
        func template(_ value: String) throws -> (query: Program, bound: Query<QueryValue>) {
            let literal: QueryLiteral = "one/program<for=\(value)>"
            let parts = try #require(literal.parts)
            let template = try compiledTemplate(parts.text, options: options)
            return (template.binding(parts.values).query, try Query(literal, options: options))
        }
        let (first, second) = (try template("a"), try template("b"))
        #expect(first.query === second.query)
        #expect(first.bound.values == [.text("a")] && second.bound.values == [.text("b")])
    }

    @Test func listingsAndSetsTakeThem() throws {
        let query = try Query("/{jabber:client}\("message")<type=\("chat")>@\("id")")
        #expect(query.listing.split(separator: "\n").count == query.program.stepCount)
        var set = QuerySet()
        let id = try set.insert(query)
        let message = try element("<message xmlns='jabber:client' type='chat' id='1'/>")
        #expect(try set.bestMatch(in: message) == id)
        #expect(try set.bestMatch(in: element("<message xmlns='jabber:client' type='error' id='1'/>")) == nil)
        #expect(try query.trace(on: message).steps.map(\.address) == [0, 1, 2])
        for query in [query, try Query("a<xmlns=\("u")>")] {
            var statistics = QueryStatistics(of: query)
            try statistics.evaluate(on: message)
            #expect(statistics.steps.count == query.program.stepCount)
        }
    }

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

    @Test func firstResultsAndChecks() throws {
        let root = try element(tree)
        let node: any QueryableElement = root
        let calls: [(String) throws -> Bool] = [
            { value in try root.findFirst("a<k=\(value)>@i")?.string == "3" },
            { value in try root.findFirst("a<k=\(value)>@i", as: String.self) == "3" },
            { value in try root.thaw().findFirst("a<k=\(value)>@i", as: String.self) == "3" },
            { value in try root.findFirst("a<k=\(value)>@i|int", as: Int.self) == 3 },
            { value in try root.findFirst(Query("a<k=\(value)>@i", as: String.self)) == "3" },
            { value in try root.check("a<k=\(value)>") },
            { value in try root.thaw().check("a<k=\(value)>") },
            { value in try node.check("a<k=\(value)>") },
            { value in try root.check(Query("a<k=\(value)>", as: Element.self)) },
        ]
        for (index, call) in calls.enumerated() {
            #expect(try call("y") && !call(hostile), "call \(index)")
        }
        #expect(try root.findFirst("a<k=\(hostile)>@i") == nil && root.findFirst("\("*")") == nil)
        let (name, attribute) = ("a", "i")
        #expect(try root.find("\(name)<i=\(3)>@\(attribute)|int", as: Int.self) == [3])
        #expect(try root.check("a<i=\(3)>") && !root.check("a<i=\(UInt8(4))>"))
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
        #expect(try root.find("a<k=%@><i=%d><i~^1.?$>@i", "x", 1).map(\.string) == ["1"])
        #expect(try root.findFirst("a<k=%@><i=%d><i~^1.?.?$>@i", "x", 1)?.string == "1")
        #expect(try root.check("a<k=%@><i~^1.?.?.?$>@i", "x"))
        #expect(try root.check("a<k=%@><i=%d><i~^1.?.?.?$>@i", "x", 1))
        #expect(try root.find("a<k=x><i~^1.?$>@i|int", as: Int.self) == [1])
        #expect(try root.findFirst("a<k=x><i~^1.?.?$>@i|int", as: Int.self) == 1)
        #expect(try root.find("a<k=%@><i=%d><i~^1.?$>@i|int", "x", 1, as: Int.self) == [1])
        #expect(try root.findFirst("a<k=%@><i~^1.?.?$>@i|int", "x", as: Int.self) == 1)
        for start in ["a<k=x>", "a<k=%@>", "a<k=%@><i=%d>"] {
            for end in [".?$>@i", ".?.?$>@i", ".?.?.?$>@i", ".?$>@i|int", ".?.?$>@i|int"] {
                #expect(!QueryCache.shared.holds("\(start)<i~^1\(end)"))
            }
        }
    }

    // MARK: Texts

    /// A `String` becomes a query by `Query` alone, which reads all of it.
    @Test func texts() throws {
        let root = try element(tree)
        let text = "a<k=\(hostile)>@i"
        let queries = try [
            Query(text), Query("a<k=" + hostile + ">@i"), Query("a<k=\(hostile)>" + "@i"), Query(text[...]),
            Query("a<k=\(hostile)>@i" as String), Query(String("a<k=\(hostile)>@i")),
        ]
        for (index, query) in queries.enumerated() {
            #expect(try root.find(query).map(\.string) == ["2"], "query \(index)")
        }
        #expect(try root.find(Query(text, as: String.self)) == ["2"] && root.check(Query(text)))
        #expect(try root.findFirst(Query("a<k=%@>" + "@i"), "y")?.string == "3")
        #expect(try root.findFirst(Query("a<k=%@>" + "@i", as: String.self), "y") == "3")
        #expect(try root.find(Query("a<k=%@>" + "@i|int", as: Int.self, options: .lenient), "y") == [3])
        #expect(try root.check(Query("a<k=%@><i=%d>" + "@i"), "y", 3))
    }

    /// The queries of texts come from the cache, for each type and for all options. Other tests fill the same cache at
    /// the same time.
    @Test func textsAreCompiledOnce() throws {
        let text = "texts@\(hostile.count)|int"
        let isShared = try (0..<100).contains { _ in
            let (typed, any) = try (Query(text, as: Int.self), Query(text))
            let (typedAgain, anyAgain) = try (Query(text[...], as: Int.self), Query(text))
            return typed.compiled !== any.compiled && typed.compiled === typedAgain.compiled
                && any.compiled === anyAgain.compiled
        }
        #expect(isShared)
    }

    /// The type of the caller's code decides, and an element belongs to the tree on which the query runs.
    @Test func inferredTypes() throws {
        let (root, editable) = (try element(tree), try element(tree).thaw())
        let (first, all, none): (String?, [Int], Int64?) = try (
            root.findFirst("a@i"), root.find("a@i|int"), root.findFirst("a@k|int")
        )
        #expect(first == "1" && all == [1, 2, 3] && none == nil)
        let message = try element("<message xmlns='jabber:client'><body>Hello</body></message>")
        let body: String? = try message.findFirst("body#")
        #expect(body == "Hello")
        for text: String in try editable.find("a<k=%@>@i", "y") { #expect(text == "3") }
        let lenient: Int? = try root.findFirst("a@k|int", options: .lenient)
        #expect(lenient == 0)
        let (any, copy): (QueryValue?, Element?) = try (root.findFirst("a"), editable.findFirst("a"))
        #expect(any?.element?["i"] == "1" && copy?["i"] == "1")
        let elements: [MutableElement?] = try [
            editable.findFirst("a", as: Element.self), editable.find("a", as: Element.self)[0],
            editable.findFirst("a")?.element, editable.find(Query("a")).first?.element,
            editable.findFirst(Query("a", as: Element.self)),
            editable.findFirst("a") as MutableElement?, editable.findFirst(_CheckedTemplate<Element>(":a")()),
        ]
        for (index, element) in elements.enumerated() {
            element?["i"] = "\(10 + index)"
            #expect(try editable.findFirst("a@i|int") == 10 + index)
        }
        #expect(copy?["i"] == "1")
    }

    /// Options after a literal, of every form.
    @Test func options() throws {
        let root = try element("<r><a k='X' i='7x'/><a k='x' i='8'/></r>")
        let (ignoring, strict): (QueryOptions, QueryOptions) = (.caseInsensitiveFilters, .strictConversions)
        #expect(try root.find("a<k=x>", options: ignoring).count == 2 && root.find("a<k=x>").count == 1)
        #expect(try root.find("a<k=%@>", "x", options: ignoring).count == 2)
        #expect(try root.find("a<k=\("x")>", options: ignoring).count == 2)
        #expect(try root.check("a<k=x><i=7x>", options: ignoring) && !root.check("a<k=x><i=7x>"))
        #expect(try root.check("a<k=%@><i=7x>", "x", options: ignoring) && !root.check("a<k=%@><i=7x>", "x"))
        #expect(try root.check("a<k=%@><i=%@>", "x", "7X", options: ignoring))
        #expect(try root.findFirst("a@i|int", options: strict)?.int == 8 && root.findFirst("a@i|int")?.int == 7)
        #expect(try root.findFirst("a@i|int", as: Int.self) == 8)
        #expect(try root.findFirst("a@i|int", as: Int.self, options: .lenient) == 7)
        #expect(try root.find("a<k=x>@i|int", as: Int.self, options: [.lenient, .caseInsensitiveFilters]) == [7, 8])
        #expect(try root.find("a<k=x>@i|int", as: Int.self, options: ignoring) == [8])
        #expect(try root.find("a<k=x>", as: Element.self, options: ignoring).count == 2)
        #expect(root.find(_CheckedTemplate<Int>(":a@i|int", options: .lenient)()) == [7, 8])
        #expect(root.find(_CheckedTemplate<Int>("4:a<k=>@i|int", options: ignoring)(.text("x"))) == [8])
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

    /// In `Query`, a `String` beside a literal makes the literal a `String`. The compiler cannot forbid that: the
    /// documentation and the linter warn of it.
    @Test func literalsBesideTexts() throws {
        let iq = try element("<iq><items node='x' id='1'/><items node='y' id='2'/></iq>")
        let node = "x><id=1"
        let (text, other, isKnown) = ("missing", String?.none, !node.isEmpty)
        let ofTernary = try iq.find(Query(isKnown ? "items<node=\(node)>" : text))
        let ofDefault = try iq.find(Query(other ?? "items<node=\(node)>"))
        #expect(ofTernary.count == 1 && ofDefault.count == 1)
        // Literals alone stay literals.
        #expect(try iq.find(Query(isKnown ? "items<node=\(node)>" : "b")).isEmpty)
    }

    // MARK: Sets

    /// With other arguments, too, the compiler does not take the literal for a text.
    @Test func sets() throws {
        let root = try element(tree)
        for (value, isFound) in [("x", true), (hostile, false)] {
            var sets = [QuerySet](repeating: QuerySet(), count: 5)
            let id = try sets[0].insert("a<k=\(value)>", priority: 1)
            try sets[1].insert("a<k=\(value)>", priority: value.count)
            try sets[2].insert("a<k=\(value)>", options: .strictConversions)
            try sets[3].insert("a<k=\(value)>", priority: 2, options: [])
            sets[4] = try QuerySet(["a<k=\(value)>@\("i")"], options: .strictConversions)
            #expect(sets.map { $0.matches(root).count } == Array(repeating: isFound ? 1 : 0, count: 5))
            #expect(sets[0][id]?.arguments.isEmpty == true && sets[0][id]?.query.argumentCount == 0)
            #expect(queryError { try sets[0].insert("a<k=\(value)>", 5) }?.kind == .arguments)
        }
        let misplaced = #expect(throws: QuerySetError.self) { try QuerySet(["a", "a\(hostile)"]) }
        #expect(misplaced?.failures.map(\.index) == [1])
    }

    /// The query also compares a value that is not an argument, though the compiler warns of it: only a deprecated test
    /// may write that without a warning.
    @available(*, deprecated)
    @Test func descriptions() throws {
        let (some, none, list, noList) = (Optional("x"), String?.none, Optional([hostile]), [String]?.none)
        for (literal, expected) in [
            ("a<k=\(some as Any)>", #"Optional("x")"#), ("a<k=\(none as Any)>", "nil"),
            ("a<k=\([hostile])>", #"["x><i=2"]"#), ("a<k=\(list, default: "none")>", #"["x><i=2"]"#),
            ("a<k=\(noList, default: "none")>", "none"),
        ] as [(QueryLiteral, String)] {
            let value = expected.replacing(">", with: "&gt;").replacing("<", with: "&lt;")
            #expect(try element("<r><a k='\(value)'/></r>").check(literal), "\(expected)")
            #expect(try !element(tree).check(literal), "\(expected)")
        }
    }
}
