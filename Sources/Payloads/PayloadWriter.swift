// Writes the members of a payload into its element. Each function is the counterpart of one of PayloadReader's.

import DataForms
public import FormModel
public import XMLTree

/// The element that a payload is written into.
///
/// The functions write nothing for `nil` and for empty arrays. They throw `PayloadError` for a value without a text,
/// and for a character that XML forbids. Names are those of `PayloadReader`.
public struct PayloadWriter {
    private let owner: MutableElement
    /// The names of child elements around the content, the outermost first. The first content makes them.
    private var wrappers: [XMLName] = []

    /// The writer of an element.
    public init(_ element: MutableElement) { owner = element }

    /// The element itself, for content that the other functions do not write.
    public var element: MutableElement {
        wrappers.reduce(owner) { parent, name in
            PayloadReader(parent).child(name, after: nil).map { parent.element(at: $0) } ?? parent.addChild(name)
        }
    }

    /// The writer of a child element that only wraps others. It is made if something is written into it.
    public func within(_ name: XMLName) -> PayloadWriter {
        var writer = self
        writer.wrappers.append(name)
        return writer
    }

    /// Writes an attribute.
    public func attribute(_ name: XMLName, _ value: (some PayloadValue)?) throws(PayloadError) {
        if let value { element[name] = try text(of: value, "@\(name)") }
    }

    /// Writes the element's own text.
    public func text(_ value: (some PayloadValue)?) throws(PayloadError) {
        if let value { element.text = try text(of: value, "#") }
    }

    // MARK: Child elements

    /// Writes an empty child element if the value is true.
    public func flag(_ name: XMLName, _ value: Bool) { if value { element.addChild(name) } }

    /// Writes a child element with a value in its text, or in one of its attributes.
    public func child<Value: PayloadValue>(
        _ name: XMLName, attribute: XMLName? = nil, _ value: Value?
    ) throws(PayloadError) {
        guard let value else { return }
        let text = try text(of: value, attribute.map { "\(name)@\($0)" } ?? "\(name)#")
        if let attribute {
            element.addChild(name)[attribute] = text
        } else {
            element.addChild(name, text: text)
        }
    }

    /// Writes a child element for each value.
    public func child<Value: PayloadValue>(
        _ name: XMLName, attribute: XMLName? = nil, _ values: [Value]
    ) throws(PayloadError) {
        for value in values { try child(name, attribute: attribute, value) }
    }

    /// Writes a child element for each language.
    public func child(_ name: XMLName, _ texts: LocalizedText) throws(PayloadError) {
        for entry in texts.entries {
            let text = try text(of: entry.text, "\(name)#")
            let language = try entry.language.map { language throws(PayloadError) in
                try self.text(of: language, "\(name)@xml:lang")
            }
            element.addChild(name, attributes: ["xml:lang": language], text: text)
        }
    }

    /// Writes a payload as a child element.
    public func child<P: Payload>(_ payload: P?) throws(PayloadError) { if let payload { try element.add(payload) } }

    /// Writes each payload as a child element.
    public func child<P: Payload>(_ payloads: [P]) throws(PayloadError) {
        for payload in payloads { try element.add(payload) }
    }

    /// Copies an element in, which must have this name.
    public func child(_ name: XMLName, _ element: Element?) throws(PayloadError) {
        guard let element else { return }
        let key = PayloadReader(self.element).key(of: name)
        guard PayloadReader(element).key == key else {
            throw error(.unwritable("the element has another name than '\(name)'"), "\(name)")
        }
        self.element.add(element)
    }

    /// Copies elements in, which must have this name.
    public func child(_ name: XMLName, _ elements: [Element]) throws(PayloadError) {
        for element in elements { try child(name, element) }
    }

    /// Copies an element in.
    public func rest(_ element: Element?) { if let element { self.element.add(element) } }

    /// Copies elements in.
    public func rest(_ elements: [Element]) { for element in elements { self.element.add(element) } }

    // MARK: Forms

    /// Writes a form, of its own kind.
    public func form(_ form: DataForm?) throws(PayloadError) {
        guard let form else { return }
        do throws(XMLTreeError) {
            element.add(try form.element())
        } catch {
            throw self.error(.unwritable("\(error)"), "{jabber:x:data}x")
        }
    }

    /// Writes forms, each of its own kind.
    public func form(_ forms: [DataForm]) throws(PayloadError) {
        for form in forms { try self.form(form) }
    }

    /// Writes a structure as a form of this kind.
    public func form<Form: DataFormConvertible>(
        _ form: Form?, as kind: DataForm.Kind = .submit
    ) throws(PayloadError) {
        guard let form else { return }
        let values: DataForm
        do throws(FormEncodingError) {
            values = try form.dataForm(kind)
        } catch {
            throw self.error(.unwritable("\(error)"), "{jabber:x:data}x")
        }
        try self.form(values)
    }

    // MARK: Texts and errors

    private func text<Value: PayloadValue>(of value: Value, _ member: String) throws(PayloadError) -> String {
        guard let text = value.payloadText else {
            throw error(.unwritable("it has no text; expected \(Value.payloadExpectation)"), member)
        }
        do throws(XMLTreeError) { try XMLTreeError.check(text: text) } catch {
            throw self.error(.unwritable("\(error)"), member)
        }
        return text
    }

    private func error(_ reason: PayloadError.Reason, _ member: String) -> PayloadError {
        let reader = PayloadReader(owner)
        return reader.error(reason, at: reader.node, within: wrappers, member)
    }
}
