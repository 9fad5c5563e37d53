// The profiles of PRECIS (RFC 8264, RFC 8265) for the localpart and the resource.
//
// As RFC 8264 §7 orders, a part is mapped and normalized first, and the characters of the result are checked.

/// Prepares localparts and resources.
enum Profile {
    /// Applies `UsernameCaseMapped`, and refuses the characters that RFC 7622 §3.3.1 excludes.
    static func prepareLocalpart(_ text: Substring) throws(PartFault) -> String {
        let prepared = try normalize(text) { $0.mapped(\.narrowed).lowercasedWithFinalSigma }
        do throws(PartFault) {
            try checkUsername(prepared) { isExcludedFromLocalparts($0) }
            if !prepared.utf8.isASCII, !BidiRule.isSatisfied(by: prepared.unicodeScalars) {
                throw PartFault(.mixedDirections)
            }
        } catch {
            throw error.located(in: text)
        }
        return prepared
    }

    /// Applies `OpaqueString`.
    static func prepareResource(_ text: Substring) throws(PartFault) -> String {
        let prepared = try normalize(text) { $0.mapped(\.withoutSpecialSpace) }
        if prepared.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return prepared }
        if let scalar = prepared.unicodeScalars.first(where: { $0.precisClass == .disallowed }) {
            throw PartFault(.forbidden(scalar)).located(in: text)
        }
        if let scalar = ContextRules.firstFault(of: prepared.unicodeScalars) {
            throw PartFault(.misplaced(scalar)).located(in: text)
        }
        return prepared
    }

    /// Maps and normalizes a part, and checks its length.
    static func normalize(_ text: Substring, _ map: (Substring) -> String) throws(PartFault) -> String {
        if text.isEmpty { throw PartFault(.empty) }
        // No mapping shortens a text to less than a quarter: a longer text is not worth its preparation.
        if text.utf8.count > 4 * JID.maximumPartLength { throw PartFault(.tooLong) }
        let prepared = map(text).canonicallyComposed
        if prepared.utf8.count > JID.maximumPartLength { throw PartFault(.tooLong) }
        return prepared
    }

    /// Checks that all characters are of PRECIS's `IdentifierClass`, and stay as they are when they are prepared again.
    ///
    /// - Parameter isExcluded: whether an ASCII character is forbidden nevertheless.
    static func checkUsername(
        _ prepared: some StringProtocol, excluding isExcluded: (UInt8) -> Bool
    ) throws(PartFault) {
        for byte in prepared.utf8 where byte < 0x80 && (!(0x21...0x7E).contains(byte) || isExcluded(byte)) {
            throw PartFault(.forbidden(Unicode.Scalar(byte)))
        }
        if prepared.utf8.isASCII { return }
        for scalar in prepared.unicodeScalars where !scalar.isASCII {
            if !scalar.precisClass.isOfIdentifiers || scalar.properties.changesWhenLowercased {
                throw PartFault(.forbidden(scalar))
            }
        }
        if let scalar = prepared.firstScalarWithCompatibilityMapping { throw PartFault(.forbidden(scalar)) }
        if let scalar = ContextRules.firstFault(of: prepared.unicodeScalars) { throw PartFault(.misplaced(scalar)) }
    }

    /// RFC 7622 §3.3.1.
    static func isExcludedFromLocalparts(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "/"), UInt8(ascii: ":"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "@"):
            true
        default: false
        }
    }
}

extension PartFault {
    /// The fault with the character and its position in the text before its preparation, as far as they are known.
    func located(in text: Substring) -> PartFault {
        switch reason {
        case .forbidden(let scalar):
            guard let place = text.place(of: scalar) else { return self }
            return PartFault(.forbidden(text.unicodeScalars[place]), at: text.offset(of: place))
        case .misplaced(let scalar): return PartFault(reason, at: text.place(of: scalar).map(text.offset) ?? 0)
        case .empty, .tooLong, .mixedDirections, .invalidLabel, .invalidIPAddress: return self
        }
    }
}

extension Substring {
    /// The first scalar that is this one, or is mapped to it; `nil` if the scalar results from composition.
    fileprivate func place(of scalar: Unicode.Scalar) -> Index? {
        unicodeScalars.firstIndex { other in
            other == scalar || other.narrowed == scalar || other.withoutSpecialSpace == scalar
                || other.properties.lowercaseMapping.unicodeScalars.contains(scalar)
        }
    }

    fileprivate func offset(of place: Index) -> Int { utf8.distance(from: utf8.startIndex, to: place) }

    /// The text with another scalar for each.
    func mapped(_ map: (Unicode.Scalar) -> Unicode.Scalar) -> String {
        if utf8.isASCII { return String(self) }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(scalar.isASCII ? scalar : map(scalar)) }
        return String(text)
    }
}

extension Collection<UInt8> {
    var isASCII: Bool { allSatisfy { $0 < 0x80 } }
}

extension Collection<Unicode.Scalar> {
    /// As the property of `String`, in linear time: a sigma's search for the next letter ends at the next sigma.
    var lowercasedWithFinalSigma: String {
        var text = ""
        var isAfterCased = false
        for index in indices {
            let scalar = self[index]
            if scalar == "\u{3A3}", isAfterCased {
                let next = self[index...].dropFirst().first { !$0.properties.isCaseIgnorable }
                text += next?.properties.isCased == true ? "\u{3C3}" : "\u{3C2}"
            } else {
                text += scalar.properties.lowercaseMapping
            }
            if !scalar.properties.isCaseIgnorable { isAfterCased = scalar.properties.isCased }
        }
        return text
    }
}

extension String {
    /// Unicode's `toLowercase`, with the final sigma of Greek words (Unicode §3.13), which `lowercased()` leaves out.
    var lowercasedWithFinalSigma: String {
        let sigma: Unicode.Scalar = "\u{3A3}"
        guard !utf8.isASCII, unicodeScalars.contains(sigma) else { return lowercased() }
        return unicodeScalars.lowercasedWithFinalSigma
    }
}
