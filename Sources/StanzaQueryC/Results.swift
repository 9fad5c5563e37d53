// The results of one evaluation, handed to C one after the other.

import CStanzaQuery
import DataForms
import Foundation
import StanzaQuery

/// Results that C iterates over. They own the memory that the last one points to.
final class Results {
    private let values: [QueryValue]
    private var next = 0
    private var element: HeldElement?
    private var text: OwnedText?
    private var attributes: [(name: OwnedText, value: OwnedText)] = []

    init(_ values: [QueryValue]) {
        self.values = values
    }

    var count: Int { values.count }

    func takeNext() -> stanza_value? {
        guard next < values.count else { return nil }
        defer { next += 1 }
        element = nil
        text = nil
        attributes = []
        return describe(values[next])
    }

    func attribute(at index: Int) -> (name: OwnedText, value: OwnedText)? {
        attributes.indices.contains(index) ? attributes[index] : nil
    }

    private func describe(_ result: QueryValue) -> stanza_value {
        var value = stanza_value()
        value.kind = result.kind.number
        switch result {
        case .element(let element): value.element = hold(element)
        // NULL for a field that cannot be written, as the header documents.
        case .field(let field): value.element = (try? field.element()).map(hold)
        case .form(let form): value.element = hold(form.element)
        case .string(let string): value.text = hold(string.utf8)
        case .data(let data): value.text = hold(data)
        case .uuid(let uuid): value.text = hold(uuid.uuidString.lowercased().utf8)
        case .bool(let bool): value.value.boolean = bool
        case .int(let int): value.value.integer = Int64(int)
        case .uint(let uint): value.value.unsigned_integer = UInt64(uint)
        case .double(let double): value.value.floating = double
        case .date(let date): value.value.floating = date.timeIntervalSince1970
        case .attributes(let map):
            attributes = map.map { (OwnedText($0.key.utf8), OwnedText($0.value.utf8)) }
            value.value.count = attributes.count
        }
        return value
    }

    private func hold(_ element: Element) -> OpaquePointer {
        let held = HeldElement(element)
        self.element = held
        return Handle.borrowing(held)
    }

    private func hold(_ bytes: some Collection<UInt8>) -> stanza_text {
        let owned = OwnedText(bytes)
        text = owned
        return owned.text
    }
}

extension ResultKind {
    /// The number of STANZA_VALUE_….
    var number: Int32 {
        switch self {
        case .element: STANZA_VALUE_ELEMENT
        case .string: STANZA_VALUE_STRING
        case .attributes: STANZA_VALUE_ATTRIBUTES
        case .bool: STANZA_VALUE_BOOL
        case .int: STANZA_VALUE_INT
        case .uint: STANZA_VALUE_UINT
        case .double: STANZA_VALUE_DOUBLE
        case .datetime: STANZA_VALUE_DATETIME
        case .base64: STANZA_VALUE_BASE64
        case .uuid: STANZA_VALUE_UUID
        case .form: STANZA_VALUE_FORM
        case .field: STANZA_VALUE_FIELD
        }
    }
}

@_cdecl("stanza_results_count")
public func resultsCount(_ results: OpaquePointer?) -> Int { Handle<Results>.object(results)?.count ?? 0 }

@_cdecl("stanza_results_next")
public func resultsNext(_ results: OpaquePointer?, _ value: UnsafeMutablePointer<stanza_value>?) -> Bool {
    let next = Handle<Results>.object(results)?.takeNext()
    value?.pointee = next ?? stanza_value()
    return next != nil
}

@_cdecl("stanza_results_attribute")
public func resultsAttribute(
    _ results: OpaquePointer?, _ index: Int, _ name: UnsafeMutablePointer<stanza_text>?,
    _ value: UnsafeMutablePointer<stanza_text>?
) -> Bool {
    let attribute = Handle<Results>.object(results)?.attribute(at: index)
    name?.pointee = attribute?.name.text ?? stanza_text()
    value?.pointee = attribute?.value.text ?? stanza_text()
    return attribute != nil
}

@_cdecl("stanza_results_free")
public func resultsFree(_ results: OpaquePointer?) { Handle<Results>.free(results) }
