// Elements for C: handles of frozen elements.

import CStanzaQuery
import StanzaQuery

/// An element that C holds. It never changes.
final class HeldElement: Sendable {
    let element: Element

    init(_ element: Element) {
        self.element = element
    }
}

@_cdecl("stanza_element_parse")
public func elementParse(
    _ xml: UnsafePointer<CChar>?, _ length: Int, _ defaultNamespace: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    reporting(error) { () throws(CallError) in
        guard let xml = bytes(xml, length) else { throw .use("the XML is missing") }
        var context = NamespaceContext.empty
        if let defaultNamespace {
            guard let namespace = String(validatingCString: defaultNamespace) else {
                throw .use("the namespace is not UTF-8")
            }
            context.defaultNamespace = namespace
        }
        do throws(XMLParseError) {
            return Handle.owning(HeldElement(try Element(parsing: xml, in: context)))
        } catch {
            throw .xml(error)
        }
    }
}

@_cdecl("stanza_element_copy")
public func elementCopy(_ element: OpaquePointer?) -> OpaquePointer? {
    Handle<HeldElement>.object(element).map { Handle.owning($0) }
}

@_cdecl("stanza_element_xml")
public func elementXML(_ element: OpaquePointer?, _ length: UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<CChar>?
{
    length?.pointee = 0
    guard let element = Handle<HeldElement>.object(element)?.element else { return nil }
    let xml = OwnedText.terminated(element.xmlBytes())
    length?.pointee = xml.count - 1
    return xml.baseAddress
}

@_cdecl("stanza_string_free")
public func stringFree(_ string: UnsafeMutablePointer<CChar>?) { string?.deallocate() }

@_cdecl("stanza_element_free")
public func elementFree(_ element: OpaquePointer?) { Handle<HeldElement>.free(element) }
