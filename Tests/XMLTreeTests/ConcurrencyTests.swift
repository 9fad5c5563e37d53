// Trees cross isolation domains: this file compiles under Swift 6's checks, without annotations.

import Testing
import XMLTree

@Suite struct ConcurrencyTests {
    /// Edits elements in its own domain.
    private actor Editor {
        private let tree: MutableElement

        init(_ tree: sending MutableElement) { self.tree = tree }

        func edit() -> Element {
            tree["edited"] = "yes"
            return tree.freeze()
        }
    }

    /// An editable copy may leave the domain of its original.
    @Test func editableCopiesAreSent() async throws {
        let original = MutableElement("a", attributes: ["k": "v"], children: [MutableElement("b")], text: "x")
        let editors = [Editor(original.copy()), Editor(original.shallowCopy()), Editor(original.thaw())]
        original.text = "changed"
        var edited: [String] = []
        for editor in editors { edited.append(await editor.edit().xmlString()) }
        #expect(
            edited == ["<a k='v' edited='yes'>x<b/></a>", "<a k='v' edited='yes'/>", "<a k='v' edited='yes'>x<b/></a>"])
        #expect(original.xmlString() == "<a k='v'>changed<b/></a>")
        // A fresh tree moves.
        #expect(await Editor(MutableElement("a", children: [MutableElement("b")])).edit()["edited"] == "yes")
        let thawed = try Element(parsing: "<a/>").thaw()
        #expect(await Editor(thawed).edit()["edited"] == "yes")
    }

    @Test func manyTasksReadOneTree() async throws {
        let stanza = try Element(parsing: "<a>" + String(repeating: "<b k='v'>text</b>", count: 100) + "</a>")
        let counts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { stanza.children.count { $0["k"] == "v" && $0.text == "text" } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 100, count: 8))
    }

    /// An arena still adds names to the table that frozen trees and copies share with it.
    @Test func namesAreReadWhileTheArenaContinues() async throws {
        let source = MutableElement("a", namespace: "u")
        var readers: [Task<Bool, Never>] = []
        for number in 0..<200 {
            try source[XMLName("name\(number)")] = String(number)
            let frozen = source.freeze()
            readers.append(Task { frozen.attributes.allSatisfy { $0.name == "name\($0.value)" } })
            let editor = Editor(source.copy())
            readers.append(
                Task { await editor.edit().attributes.dropLast().allSatisfy { $0.name == "name\($0.value)" } })
        }
        for reader in readers { #expect(await reader.value) }
    }
}
