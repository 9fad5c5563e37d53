// Single edits in cases that the random edits do not reach.

import Testing
import XMLTree

@Suite struct EditingTests {
    @Test func addingCopies() throws {
        let child = MutableElement("b", text: "x")
        let parent = MutableElement("a")
        let added = parent.add(child)
        #expect(added !== child)
        #expect(added === parent.firstChild)
        child.text = "changed"
        #expect(parent.xmlString() == "<a><b>x</b></a>")
        added.text = "y"
        #expect(parent.xmlString() == "<a><b>y</b></a>")
    }

    @Test func anElementCanBeAddedToItselfAndItsDescendants() throws {
        let a = MutableElement("a", children: [MutableElement("b")])
        let b = try #require(a.firstChild)
        b.add(a)
        #expect(a.xmlString() == "<a><b><a><b/></a></b></a>")
        a.add(a)
        #expect(a.xmlString() == "<a><b><a><b/></a></b><a><b><a><b/></a></b></a></a>")
        #expect(a.firstChild === b)
        a.insert(b, at: 0)
        #expect(a.children.count == 3)
        #expect(a.children[1] === b)
    }

    @Test func insertingBetweenTextAndChildren() throws {
        let a = try Element(parsing: "<a>1<b/>2<c/>3</a>").thaw()
        let x = MutableElement("x")
        a.insert(x, at: 0)
        #expect(a.xmlString() == "<a>1<x/><b/>2<c/>3</a>")
        a.insert(x, at: 2)
        #expect(a.xmlString() == "<a>1<x/><b/>2<x/><c/>3</a>")
        a.insert(x, at: 4)
        #expect(a.xmlString() == "<a>1<x/><b/>2<x/><c/>3<x/></a>")
        #expect(a.children.map(\.childIndex) == [0, 1, 2, 3, 4])
        #expect(a.freeze().children.map(\.childIndex) == [0, 1, 2, 3, 4])
        #expect(a.childIndex == 0)
    }

    @Test func aRemovedElementIsARootAndTheTextStays() throws {
        let a = try Element(parsing: "<a xmlns='u'>1<b k='v'>in<c/></b>2<d/>3</a>").thaw()
        let b = try #require(a.firstChild)
        let c = try #require(b.firstChild)
        #expect(b.remove() === b)
        #expect(a.xmlString() == "<a xmlns='u'>12<d/>3</a>")
        #expect(b.isRoot)
        #expect(b.xmlString() == "<b xmlns='u' k='v'>in<c/></b>")
        #expect(c.root === b)
        #expect(c.parent === b)
        // Removing a root has no effect.
        #expect(b.remove() === b)
        #expect(a.children.count == 1)
        // The removed part can be the larger one.
        let tree = try Element(parsing: "<a>1<b><c/><c/><c/><c/></b>2</a>").thaw()
        let large = try #require(tree.firstChild)
        large.remove()
        #expect(tree.xmlString() == "<a>12</a>")
        #expect(large.xmlString() == "<b><c/><c/><c/><c/></b>")
        #expect(large.isRoot)
        #expect(tree.isRoot)
    }

    @Test func replacing() throws {
        let a = try Element(parsing: "<a xmlns='u'>1<b/>2<c/></a>").thaw()
        let b = try #require(a.firstChild)
        let x = b.replace(with: MutableElement("x"))
        #expect(a.xmlString() == "<a xmlns='u'>1<x/>2<c/></a>")
        #expect(x === a.firstChild)
        #expect(x.namespace == "u")
        #expect(b.isRoot)
        x.replace(with: try Element(parsing: "<y/>"))
        #expect(a.xmlString() == "<a xmlns='u'>1<y xmlns=''/>2<c/></a>")
        // A root is not replaced; the call returns a copy of the new element.
        let copy = a.replace(with: b)
        #expect(copy !== b)
        #expect(copy == b)
        // An element can take the place of its parent.
        let nested = try Element(parsing: "<a><b><c/></b></a>").thaw()
        let c = try #require(nested.firstChild?.firstChild)
        c.parent?.replace(with: c)
        #expect(nested.xmlString() == "<a><c/></a>")
    }

    @Test func removingAll() throws {
        let a = try Element(parsing: "<a xmlns:p='u' k='1' p:k='2'>1<b/>2<c><d/></c>3</a>").thaw()
        let d = try #require(a.children[1].firstChild)
        a.removeAllChildren()
        #expect(a.xmlString() == "<a xmlns:p='u' k='1' p:k='2'>123</a>")
        #expect(d.parent?.name == "c")
        #expect(d.root.name == "c")
        a.removeAllContent()
        #expect(a.xmlString() == "<a xmlns:p='u' k='1' p:k='2'/>")
        a.removeAllAttributes()
        #expect(a.xmlString() == "<a xmlns:p='u'/>")
        #expect(a.text == nil)
    }

    @Test func textOfMixedContent() throws {
        let a = try Element(parsing: "<a>1<b>in</b>2</a>").thaw()
        a.text = "x"
        #expect(a.xmlString() == "<a>x<b>in</b></a>")
        a.addText("y")
        a.addText("")
        a.addText("z")
        #expect(a.xmlString() == "<a>x<b>in</b>yz</a>")
        #expect(a.text == "xyz")
        a.text = nil
        #expect(a.xmlString() == "<a><b>in</b></a>")
        #expect(a.text == nil)
        a.text = ""
        #expect(a.text == nil)
    }

    /// Grows a run of text until its length takes one byte, then two, then three.
    @Test func textGrowsBySmallPieces() throws {
        let a = MutableElement("a", children: [MutableElement("b")])
        let b = try #require(a.firstChild)
        var expected = ""
        for number in 0..<6000 {
            a.addText("\(number),")
            expected += "\(number),"
            if number % 1000 == 999 {
                b.addText("interrupts")
                #expect(a.text == expected)
            }
        }
        #expect(a.text == expected)
        #expect(b.text == String(repeating: "interrupts", count: 6))
    }

    @Test func attributesKeepTheirPlace() throws {
        let a = MutableElement("a", attributes: ["x": "1", "y": "2", "z": "3"])
        a["y"] = "changed"
        a["x"] = nil
        a["x"] = "last"
        a["nothing"] = nil
        #expect(a.attributes.map(\.name) == ["y", "z", "x"])
        #expect(a.attributes.map(\.value) == ["changed", "3", "last"])
        a["y"]?.append("!")
        a["nothing"]?.append("!")
        #expect(a["y"] == "changed!" && a["nothing"] == nil)
    }

    @Test func namesAndNamespaces() throws {
        let a = try Element(parsing: "<p:a xmlns:p='u'><p:b/></p:a>").thaw()
        a.setName("c")
        #expect(a.xmlString() == "<p:c xmlns:p='u'><p:b/></p:c>")
        a.setNamespace("v")
        #expect(a.xmlString() == "<c xmlns='v' xmlns:p='u'><p:b/></c>")
        a.setNamespace(.empty)
        #expect(a.namespace == nil)
        let child = a.add(MutableElement("d", namespace: "w"))
        child.setNamespace(.inherited)
        #expect(child.namespace == nil)
        a.setNamespace("x")
        #expect(child.namespace == nil)
        child.setNamespace(.inherited)
        #expect(child.namespace == "x")
        // A child without a namespace takes the one that its parent gets later.
        let waiting = MutableElement("e", children: [MutableElement("f")])
        waiting.setNamespace("y")
        #expect(waiting.firstChild?.namespace == "y")
    }

    @Test func shallowCopies() throws {
        let a = try Element(parsing: "<p:a xmlns:p='u' k='1'>x<b/>y</p:a>")
        for copy in [a.shallowCopy().xmlString(), a.thaw().shallowCopy().xmlString()] {
            #expect(copy == "<p:a xmlns:p='u' k='1'/>")
        }
        for copy in [a.shallowCopy(withText: true).xmlString(), a.thaw().shallowCopy(withText: true).xmlString()] {
            #expect(copy == "<p:a xmlns:p='u' k='1'>xy</p:a>")
        }
        let b = try #require(a.firstChild)
        #expect(b.shallowCopy().isRoot)
        // Copies of an element that waits for a namespace still wait for one; a frozen element does not.
        let waiting = MutableElement("w").shallowCopy()
        #expect(MutableElement("x", namespace: "u").add(waiting).namespace == "u")
        #expect(MutableElement("x", namespace: "u").add(waiting.copy()).namespace == "u")
        #expect(MutableElement("x", namespace: "u").add(waiting.freeze()).namespace == nil)
    }

    @Test func loopsMayEditWhatTheyGoThrough() throws {
        let a = try Element(parsing: "<a><b/><c/><b/><d/></a>").thaw()
        for child in a.children where child.name == "b" { child.remove() }
        #expect(a.xmlString() == "<a><c/><d/></a>")
        for child in a.children { a.add(child) }
        #expect(a.xmlString() == "<a><c/><d/><c/><d/></a>")
    }

    // MARK: Equal texts

    /// Equal short texts of a parsed tree are stored once. In an editable tree each is a text of its own.
    @Test func editsOfOneTextLeaveEqualOnesAlone() throws {
        for copies in [false, true] {
            let thawed = try Element(parsing: "<a>\n<b/>\n</a>").thaw()
            let edited = copies ? thawed.copy() : thawed
            edited.addText("x")
            #expect(edited.xmlString() == "<a>\n<b/>\nx</a>")
            edited.text = nil
            #expect(edited.xmlString() == "<a><b/></a>")
            edited.text = "y"
            #expect(edited.xmlString() == "<a>y<b/></a>")
        }
    }

    @Test func manyEqualTextsHaveRoomWhenATreeGrows() throws {
        let text = "<a>" + String(repeating: "<b/>\n              ", count: 1000) + "</a>"
        let thawed = try Element(parsing: text).thaw()
        let value = String(repeating: "x", count: 200)
        thawed["k"] = value
        #expect(thawed.xmlString() == "<a k='\(value)'" + text.dropFirst(2))
        thawed.text = nil
        #expect(thawed.xmlString() == "<a k='\(value)'>" + String(repeating: "<b/>", count: 1000) + "</a>")
    }

    @Test func attributesOfTwoNamespaces() {
        #expect(MutableElement("a", attributes: ["k": "1", "{u}k": "2"]).attributes.count == 2)
    }
}
