// What the tests of forms share: forms from XML, asked through both kinds of trees.

import DataForms
import Testing
import XMLTree

func form(_ xml: String) throws -> Element {
    try Element(parsing: xml, in: .clientStream)
}

/// The questions that both kinds of forms answer.
protocol ReadableForm {
    var type: String? { get }
    var formType: String? { get }
    var itemCount: Int { get }
    func value(of field: String, inItem item: Int?) -> String?
    func field(_ name: String, inItem item: Int?) -> FormField?
}

extension ReadableForm {
    func value(of field: String) -> String? { value(of: field, inItem: nil) }
    func field(_ name: String) -> FormField? { field(name, inItem: nil) }
}

extension DataForm: ReadableForm {}
extension MutableDataForm: ReadableForm {}

/// Runs the same expectations on the form in a frozen tree and in an editable one.
func expectBoth(_ xml: String, _ body: (any ReadableForm) throws -> Void) throws {
    let element = try form(xml)
    try body(try #require(DataForm(element)))
    try body(try #require(MutableDataForm(element.thaw())))
}
