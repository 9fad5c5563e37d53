// Trees cross isolation domains: this file compiles under Swift 6's checks, without annotations.

import Testing
import XMLTree

@Suite struct ConcurrencyTests {
    /// Keeps stanzas that another domain parsed.
    private actor Archive {
        private var stanzas: [Element] = []

        func store(_ stanza: Element) { stanzas.append(stanza) }

        func senders() -> [String] { stanzas.compactMap { $0["from"] } }

        func last() -> Element? { stanzas.last }
    }

    /// A Sendable value with an element in it.
    private struct Delivery: Sendable {
        let stanza: Element
        let number: Int
    }

    @Test func aStanzaIsSentToAnActorAndBack() async throws {
        let archive = Archive()
        for name in ["romeo", "juliet"] {
            await archive.store(try Element(parsing: "<message from='\(name)'><body>x</body></message>"))
        }
        #expect(await archive.senders() == ["romeo", "juliet"])
        let last = try #require(await archive.last())
        #expect(last.child("body")?.text == "x")
    }

    /// Edits elements in its own domain.
    private actor CopyEditor {
        private var elements: [MutableElement] = []

        func take(_ element: sending MutableElement) { elements.append(element) }

        func edit() -> [String] {
            elements.map { element in
                element.setName("edited")
                return element.xmlString()
            }
        }
    }

    /// An editable copy may leave the domain of its original.
    @Test func editableCopiesAreSent() async throws {
        let original = MutableElement("a", attributes: ["k": "v"], children: [MutableElement("b")], text: "x")
        let editor = CopyEditor()
        await editor.take(original.copy())
        await editor.take(original.shallowCopy())
        await editor.take(original.thaw())
        original.text = "changed"
        #expect(
            await editor.edit()
                == ["<edited k='v'>x<b/></edited>", "<edited k='v'/>", "<edited k='v'>x<b/></edited>"])
        #expect(original.xmlString() == "<a k='v'>changed<b/></a>")
    }

    @Test func manyTasksReadOneTree() async throws {
        let stanza = try Element(parsing: "<a>" + String(repeating: "<b k='v'>text</b>", count: 100) + "</a>")
        let delivery = Delivery(stanza: stanza, number: 100)
        let counts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    delivery.stanza.children.count { $0["k"] == "v" && $0.text == "text" }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: delivery.number, count: 8))
    }

    /// An arena still adds names to the table that frozen trees share with it.
    @Test func freezingWhileTheArenaContinues() async throws {
        let source = MutableElement("a", namespace: "u")
        var readers: [Task<Bool, Never>] = []
        for number in 0..<200 {
            try source[XMLName("name\(number)")] = String(number)
            let frozen = source.freeze()
            readers.append(Task { frozen.attributes.allSatisfy { $0.name == "name\($0.value)" } })
        }
        for reader in readers { #expect(await reader.value) }
    }

    /// A copy reads the names of its source while the source gets more.
    @Test func copyingWhileTheArenaContinues() async throws {
        let source = MutableElement("a", namespace: "u")
        var readers: [Task<Bool, any Error>] = []
        for number in 0..<200 {
            try source[XMLName("name\(number)")] = String(number)
            let editor = Editor(source.copy())
            readers.append(
                Task {
                    let edited = try await editor.edit()
                    return edited.attributes.dropLast().allSatisfy { $0.name == "name\($0.value)" }
                })
        }
        for reader in readers { #expect(try await reader.value) }
    }

    private actor Editor {
        private let tree: MutableElement

        init(_ tree: sending MutableElement) { self.tree = tree }

        func edit() throws -> Element {
            tree["edited"] = "yes"
            return tree.freeze()
        }
    }

    @Test func aFreshTreeMovesIntoAnActor() async throws {
        let built = MutableElement("a", children: [MutableElement("b")])
        #expect(try await Editor(built).edit()["edited"] == "yes")
        let thawed = try Element(parsing: "<a/>").thaw()
        #expect(try await Editor(thawed).edit()["edited"] == "yes")
    }
}
