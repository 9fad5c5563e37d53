// What libxml2 calls: C functions that pass its events on to the parser's state.
//
// No closure captures anything and nothing is global: the state comes as the callbacks' first argument. No handler
// stores entities or looks them up, so that libxml2 knows the five predefined ones only: nothing expands.

internal import CLibXML2

enum LibXML2Callbacks {
    /// Initialises libxml2 once, before the first parser: afterwards any number of threads may have parsers.
    static let initializeLibrary: Void = xmlInitParser()

    /// The table of callbacks; libxml2 copies it.
    static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startDocument = { stateOf($0).pointee.declarationEnded() }
        handler.startElementNs = startElement
        handler.endElementNs = { state, _, _, _ in stateOf(state).pointee.endElement() }
        handler.characters = characters
        // The same function: otherwise libxml2 looks ahead to find out which white space could be ignored.
        handler.ignorableWhitespace = characters
        handler.cdataBlock = { stateOf($0).pointee.characterData(UnsafeBufferPointer(start: $1, count: Int($2))) }
        handler.comment = { state, _ in stateOf(state).pointee.comment() }
        handler.processingInstruction = { state, _, data in
            stateOf(state).pointee.processingInstruction(dataLength: UnsafeBufferPointer.terminated(data).count)
        }
        handler.internalSubset = { state, _, _, _ in stateOf(state).pointee.documentType() }
        handler.attributeDecl = attributeDeclaration
        handler.elementDecl = { state, _, _, _ in stateOf(state).pointee.declaration() }
        handler.entityDecl = { state, _, _, _, _, _ in stateOf(state).pointee.declaration() }
        handler.unparsedEntityDecl = { state, _, _, _, _ in stateOf(state).pointee.declaration() }
        handler.notationDecl = { state, _, _, _ in stateOf(state).pointee.declaration() }
        handler.getParameterEntity = { state, _ in
            stateOf(state).pointee.declaration()
            return nil
        }
        handler.serror = { data, error in
            // The data is not the state where libxml2 speaks as a validator: of a value that is declared twice. And
            // there is no context where it has no memory.
            let context = error?.pointee.ctxt?.assumingMemoryBound(to: xmlParserCtxt.self)
            // The texts are made only for the error that counts.
            if let state = context?.pointee.userData ?? data, let error, stateOf(state).pointee.stop == nil,
                let failure = LibXML2Failure(error.pointee)
            {
                stateOf(state).pointee.refuse(failure)
            }
        }
        return handler
    }
}

@inline(__always)
private func stateOf(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<ParserState> {
    context.unsafelyUnwrapped.assumingMemoryBound(to: ParserState.self)
}

private func startElement(
    _ state: UnsafeMutableRawPointer?, _ local: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?,
    _ namespace: UnsafePointer<xmlChar>?, _ declarationCount: Int32,
    _ declarations: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, _ attributeCount: Int32,
    _ defaultedCount: Int32, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
) {
    stateOf(state).pointee.startElement(
        InternedName(kind: .element, local: local, prefix: prefix, namespace: namespace),
        declarations: TagDeclarations(pointers: declarations, count: Int(declarationCount)),
        attributes: TagAttributes(pointers: attributes, count: Int(attributeCount)))
}

private func characters(_ state: UnsafeMutableRawPointer?, _ text: UnsafePointer<xmlChar>?, _ count: Int32) {
    stateOf(state).pointee.text(UnsafeBufferPointer(start: text, count: Int(count)))
}

private func attributeDeclaration(
    _ state: UnsafeMutableRawPointer?, _ element: UnsafePointer<xmlChar>?, _ name: UnsafePointer<xmlChar>?,
    _ type: Int32, _ defaultKind: Int32, _ defaultValue: UnsafePointer<xmlChar>?, _ values: xmlEnumerationPtr?
) {
    // The list of values is the callee's.
    xmlFreeEnumeration(values)
    if defaultValue != nil {
        stateOf(state).pointee.refuseAttributeDeclaration(.attributeDefault)
    } else if type != Int32(XML_ATTRIBUTE_CDATA.rawValue) {
        stateOf(state).pointee.refuseAttributeDeclaration(.attributeType)
    } else {
        stateOf(state).pointee.declaration()
    }
}

/// The namespace declarations of a start tag: pairs of prefix and namespace.
struct TagDeclarations {
    let pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    let count: Int

    /// The declared prefix (none: the default namespace) and its namespace, as a name of the kind `declaration`.
    @inline(__always)
    subscript(_ index: Int) -> InternedName {
        let pair = pointers.unsafelyUnwrapped + 2 * index
        return InternedName(kind: .declaration, local: pair[0], prefix: nil, namespace: pair[1])
    }
}

/// The attributes of a start tag: five pointers each.
struct TagAttributes {
    let pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    let count: Int

    @inline(__always)
    func name(_ index: Int) -> InternedName {
        let record = pointers.unsafelyUnwrapped + 5 * index
        return InternedName(kind: .attribute, local: record[0], prefix: record[1], namespace: record[2])
    }

    @inline(__always)
    func value(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        let record = pointers.unsafelyUnwrapped + 5 * index
        guard let start = record[3], let end = record[4] else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: start, count: end - start)
    }
}

/// What libxml2 says about an error.
struct LibXML2Failure {
    let code: Int
    let message: String
    /// The name that the error is about, where it is about one.
    let name: String

    /// `nil` for warnings. Two remarks about namespaces that are no absolute URIs (99 and 100) are none either,
    /// whatever level libxml2 gives them: XMPP has many such namespaces.
    init?(_ error: xmlError) {
        guard error.level.rawValue >= XML_ERR_ERROR.rawValue, error.code != 99, error.code != 100 else { return nil }
        code = Int(error.code)
        message = error.message.map { String(cString: $0) } ?? ""
        name = error.str1.map { String(cString: $0) } ?? ""
    }
}
