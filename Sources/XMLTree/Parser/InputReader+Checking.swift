// Bytes are checked before libxml2 sees them (ByteValidator.swift says why), and bad ones are passed over.

extension InputReader {
    /// Reads bytes that were not checked yet.
    func accept(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = state.pointee.carry.isEmpty ? bytes : completeCharacter(bytes)
        while !rest.isEmpty, state.pointee.phase != .stopped {
            let check = ByteCheck(rest)
            push(rest.first(check.validCount))
            rest = rest.from(check.validCount)
            switch check.outcome {
            case .valid:
                return
            case .incomplete:
                state.pointee.carry = Array(rest)
                return
            case .invalidUTF8, .forbidden:
                refuse(rest.first(1), as: check.outcome)
                rest = rest.from(1)
            }
        }
    }

    /// Adds to the character that the bytes before ended in. Returns what does not belong to it.
    private func completeCharacter(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var rest = bytes
        while let byte = rest.first, !state.pointee.carry.isEmpty {
            var character = state.pointee.carry
            character.append(byte)
            let outcome = character.withUnsafeBufferPointer { ByteCheck($0).outcome }
            switch outcome {
            case .incomplete:
                state.pointee.carry = character
            case .valid:
                state.pointee.carry = []
                character.withUnsafeBufferPointer { push($0) }
            case .invalidUTF8:
                // This byte begins something else.
                refuseCarry()
                continue
            case .forbidden:
                state.pointee.carry = []
                character.withUnsafeBufferPointer { refuse($0, as: outcome) }
            }
            rest = rest.from(1)
        }
        return rest
    }

    /// Refuses the incomplete character.
    func refuseCarry() {
        let character = state.pointee.carry
        state.pointee.carry = []
        character.withUnsafeBufferPointer { refuse($0, as: .invalidUTF8) }
    }

    /// Passes bad bytes over, which libxml2 must not see. They are reported for the fragment that they stand in, unless
    /// something is wrong before them in what libxml2 waits with: then others may begin there.
    private func refuse(_ bytes: UnsafeBufferPointer<UInt8>, as outcome: ByteCheck.Outcome) {
        readWhatIsHeld()
        while state.pointee.phase == .reading {
            state.pointee.beginRefusal(outcome.kind(first: bytes[0], at: state.pointee.fedEnd))
            state.pointee.context?.finish()
            if state.pointee.stop == nil { state.pointee.failAtEnd() }
            endContext()
            readAgain()
            readWhatIsHeld()
        }
        guard case .skipping(let finder) = state.pointee.phase else { return }
        if finder == .afterLessThan { [UInt8.lessThan].withUnsafeBufferPointer { state.pointee.pass($0) } }
        state.pointee.pass(bytes)
        state.pointee.phase = .skipping(.insideLine)
    }
}

extension ByteCheck.Outcome {
    /// The error that these bytes are, the first of which stands at `offset`.
    fileprivate func kind(first: UInt8, at offset: Int) -> XMLParseError.Kind {
        switch self {
        case .invalidUTF8 where offset == 0 && first >= 0xFE, .forbidden("\0") where offset <= 1:
            .unsupportedEncoding("UTF-16 or UTF-32")
        case .forbidden(let scalar): .forbiddenCharacter(scalar)
        case .valid, .incomplete, .invalidUTF8: .invalidUTF8
        }
    }
}
