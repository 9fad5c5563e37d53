// Helpers for the tests of forms: they read forms from XML through both kinds of trees.

import DataForms
import Testing
import XMLTree

func parse(_ xml: String) throws -> Element {
    try Element(stanza: xml)
}

/// Runs the same expectations on the form in a frozen tree and in an editable one.
func expectBoth(_ xml: String, _ body: (any ReadableForm) throws -> Void) throws {
    let element = try parse(xml)
    try body(try #require(DataFormElement(element)))
    try body(try #require(DataFormElement(element.thaw())))
}

/// The properties that forms in both kinds of trees have.
protocol ReadableForm {
    var rawKind: String? { get }
    var formType: String? { get }
    var itemCount: Int { get }
    func value(of field: String, inItem item: Int?) -> String?
    func field(_ name: String, inItem item: Int?) -> FormField?
}

extension ReadableForm {
    func value(of field: String) -> String? { value(of: field, inItem: nil) }
    func field(_ name: String) -> FormField? { field(name, inItem: nil) }
}

extension DataFormElement: ReadableForm {}
