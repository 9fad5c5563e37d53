// The names of elements, attributes and prefixes: counted and limited when they are new.

extension ParserState {
    /// The number of distinct names that this context has met, or this table of names if that is younger.
    var nameCount: Int { names.count + otherNames }

    /// The index of a name in the table of names; `nil` when a limit forbids it.
    @inline(__always)
    mutating func index(of name: InternedName) -> NameIndex? {
        names.find(name) ?? intern(name)
    }

    /// Takes up a name that was not met before.
    @inline(never)
    private mutating func intern(_ name: InternedName) -> NameIndex? {
        if nameCount - namesBeforeTree >= limits.names {
            exceed(.names, limits.names)
            return nil
        }
        guard let index = names.insert(name, maximumLength: limits.nameLength) else {
            exceed(.nameLength, limits.nameLength)
            return nil
        }
        // libxml2 has taken up all names of this tag.
        dictionarySize = context?.dictionarySize ?? 0
        return index
    }

    /// Counts what libxml2 has taken up since names were counted last, and refuses too many in a tree or document.
    /// libxml2 is behind the markup that brought them; its `opening` stands at least `length` bytes before.
    mutating func countOtherNames(beginningWith opening: StaticString, before length: Int = 0) {
        guard stop == nil, let context, countOtherNames(of: context) else { return }
        let start = position(before: context.offset - length, of: opening)
        fail(.limit(.names, maximum: limits.names), at: start)
    }

    /// Counts what libxml2 has taken up since names were counted last. Returns whether that is too much in a tree or
    /// document.
    mutating func countOtherNames(of context: LibXML2Context) -> Bool {
        let size = context.dictionarySize
        otherNames += size - dictionarySize
        dictionarySize = size
        return (level == 0 || depth > level) && nameCount - namesBeforeTree > limits.names
    }
}
