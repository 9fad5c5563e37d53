// Keeps compiled queries, so that each text is compiled once.
//
// The cache keeps the queries of the program's text for good, by their addresses (LiteralTable.swift). Texts that are
// made at run time, and literals with interpolations, which are assembled at run time, come from a dictionary under a
// lock. It has a bounded number of entries, and no errors.

import CAtomics
import Locking
import QuerySyntax
import XMLTree

/// The compiled queries of this process.
final class QueryCache: Sendable {
    /// The maximum number of entries in the dictionary. An entry is about a kilobyte, and few programs have more than
    /// some hundred texts. A program that makes texts without end begins with an empty dictionary again.
    static let capacity = 1024
    /// The dictionary has no longer texts: they are rare, and only the number of entries is bounded.
    static let longestText = 4096

    /// A text with its slots and options. It hashes and compares bytes, as fast as the C library: each call does.
    private struct Key: Hashable {
        let text: QueryText
        let options: QueryOptions

        static func == (one: Key, other: Key) -> Bool {
            one.options == other.options && one.text.slots == other.text.slots
                && one.text.source.withBytes { bytes in other.text.source.withBytes { areEqual(bytes, $0) } }
        }

        func hash(into hasher: inout Hasher) {
            text.source.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    let literals = LiteralTable<Program>()
    /// Literals of `#query`. See `QueryText.init(encoded:)`.
    fileprivate let literalTemplates = LiteralTable<QueryTemplate>()
    private let templates = Lock<[Key: QueryTemplate]>([:])
    private let capacity: Int

    init(capacity: Int = QueryCache.capacity) { self.capacity = capacity }

    deinit {
        literals.deallocate()
        literalTemplates.deallocate()
    }

    /// The compiled form of a query in the program's text that is not in the cache yet; it lives as long as the cache.
    func compile(_ source: StaticString, _ options: QueryOptions) throws(QueryError) -> Unmanaged<Program> {
        literals.insert(try Program.compile(source.description, options), for: LiteralIdentity(source, options))
    }

    /// The compiled form of a text with slots or without, stored for the next time.
    func template(_ text: QueryText, options: QueryOptions = []) throws(QueryError) -> QueryTemplate {
        let key = Key(text: text, options: options.compiled)
        if let known = templates.withLock({ $0[key] }) { return known }
        return try compile(key)
    }

    @inline(never)
    private func compile(_ key: Key) throws(QueryError) -> QueryTemplate {
        let text = key.text
        // Only a text without slots may have specifiers.
        let template =
            try text.slots.isEmpty
            ? QueryTemplate(Program.compile(text.source, key.options))
            : QueryTemplate(text, options: key.options)
        if text.source.utf8.count > Self.longestText { return template }
        // The result holds the entries that are dropped: they are freed after the lock is released.
        _ = templates.withLock { templates in
            var dropped: [Key: QueryTemplate] = [:]
            if templates.count == capacity { swap(&templates, &dropped) }
            templates[key] = template
            return dropped
        }
        return template
    }

    /// The number of entries in the dictionary, for tests.
    var count: Int { templates.withLock { $0.count } }

    /// Whether the dictionary has a query made at run time, for tests.
    func holds(_ source: String, _ options: QueryOptions = []) -> Bool {
        templates.withLock { $0[Key(text: QueryText(source), options: options)] != nil }
    }
}

extension QueryCache {
    /// The cache of this process, made when it is first used and never freed.
    static var shared: QueryCache { unretained.takeUnretainedValue() }

    /// The cache of this process. It needs no retain: no code balances the one that `makeShared` published it with.
    fileprivate static var unretained: Unmanaged<QueryCache> {
        @inline(__always) get {
            guard let address = UnsafeRawPointer(bitPattern: stanza_atomic_load(stanza_word(0))) else {
                return makeShared()
            }
            return .fromOpaque(address)
        }
    }

    @inline(never)
    private static func makeShared() -> Unmanaged<QueryCache> {
        let made = Unmanaged.passRetained(QueryCache())
        let first = stanza_atomic_replace(stanza_word(0), 0, UInt(bitPattern: made.toOpaque()))
        if first == 0 { return made }
        made.release()
        guard let address = UnsafeRawPointer(bitPattern: first) else { preconditionFailure("another thread made it") }
        return .fromOpaque(address)
    }
}

// Functions of no type: with a metatype to pass they would be called through a thunk.

/// The compiled form of a query in the program's text, which is never freed. A hit takes no lock and no allocation,
/// unless the program has more literals than the table has room for.
///
/// It releases nothing that another function holds: a stored literal stays, and the objects that compiling makes in
/// between are its own.
@usableFromInline @inline(never) @_effects(releasenone)
func compiledLiteral(_ source: StaticString, _ options: QueryOptions) throws(QueryError) -> Unmanaged<Program> {
    let literals = QueryCache.unretained._withUnsafeGuaranteedRef { $0.literals }
    if let known = literals[LiteralIdentity(source, options)] { return known }
    return try QueryCache.shared.compile(source, options)
}

/// The compiled form of a query made at run time. Each call takes a lock and hashes the text; a hit does not allocate.
///
/// The caller gets a reference of its own: another thread may drop the cache's at any time.
func compiledText(_ source: String, _ options: QueryOptions) throws(QueryError) -> Program {
    try compiledTemplate(QueryText(source), options: options).query
}

/// The compiled form of a text with slots, as `compiledText`.
func compiledTemplate(_ text: QueryText, options: QueryOptions = []) throws(QueryError) -> QueryTemplate {
    try QueryCache.shared.template(text, options: options)
}

/// The compiled form of a text in the program, or its error, stored for good. See `QueryText.init(encoded:)`.
@usableFromInline @inline(never)
func compiledTemplate(_ literal: StaticString, _ options: QueryOptions = []) -> QueryTemplate {
    let (templates, identity) = (QueryCache.shared.literalTemplates, LiteralIdentity(literal, options))
    if let known = templates[identity] { return known.takeUnretainedValue() }
    let template: QueryTemplate
    do throws(QueryError) {
        template = try QueryTemplate(QueryText(encoded: literal), options: options)
    } catch {
        template = QueryTemplate(failing: error)
    }
    return templates.insert(template, for: identity).takeUnretainedValue()
}
