// The bindings of prefixes at the place of writing, with their origin: the tree, or the writer.

/// The bindings in scope while XML is written. Expected constant time for a lookup. Inventing a prefix takes time in
/// the number of invented ones.
struct NamespaceScope {
    /// A prefix to write a name with.
    struct Prefix {
        /// `nil` if the name keeps its own.
        var replacement: [UInt8]?
        /// Whether the element that uses it must declare it.
        var needsDeclaration = false
    }

    private struct Binding {
        let prefix: NameKey
        let namespace: NameKey
        let depth: Int
        /// Whether the tree declared it, not the writer for a name: then the tree's meaning of the prefix must stay.
        let isFromTree: Bool
        /// Whether it differs from the outer binding.
        let isNew: Bool
        /// The binding of the same prefix that it hides.
        let hidden: Int?
    }

    private let context: NamespaceContext
    /// Whether the context's prefixes are among the bindings. Most trees have no prefix to look up.
    private var hasPrefixes = false
    private var bindings: [Binding] = []
    /// The current binding of each prefix, by the prefix's key.
    private var current: [NameKey: Int] = [:]
    /// The default namespaces that open elements declared.
    private var defaults: [(depth: Int, namespace: NameKey)] = []
    private(set) var defaultNamespace: NameKey
    private let outerDefault: NameKey
    private var depth = 0

    init(_ context: NamespaceContext) {
        self.context = context
        outerDefault = context.defaultNamespace.map { NameKey(.namespace, $0) } ?? .noNamespace
        defaultNamespace = outerDefault
    }

    /// Call this before every access to bindings.
    private mutating func bindContext() {
        if hasPrefixes { return }
        hasPrefixes = true
        for (prefix, namespace) in context.prefixes {
            bind(
                NameKey(.declaration, prefix), to: NameKey(.namespace, namespace), at: 0, isFromTree: false,
                isNew: false)
        }
    }

    mutating func enter() { depth += 1 }

    mutating func leave() {
        while let last = bindings.last, last.depth == depth {
            current[last.prefix] = last.hidden
            bindings.removeLast()
        }
        if let last = defaults.last, last.depth == depth {
            defaults.removeLast()
            defaultNamespace = defaults.last?.namespace ?? outerDefault
        }
        depth -= 1
    }

    // MARK: The default namespace

    mutating func declareDefault(_ namespace: NameKey) {
        defaults.append((depth, namespace))
        defaultNamespace = namespace
    }

    // MARK: Prefixes

    /// Adds a declaration of the tree. Prefixes are given as `NameKey(.declaration, prefix)`.
    mutating func declare(_ prefix: NameKey, as namespace: NameKey) {
        bindContext()
        let known = current[prefix].map { bindings[$0].namespace }
        bind(prefix, to: namespace, at: depth, isFromTree: true, isNew: known != namespace)
    }

    /// Whether the element that was entered last has to declare the prefix.
    func isNewlyDeclared(_ prefix: NameKey) -> Bool {
        guard let binding = current[prefix].map({ bindings[$0] }) else { return false }
        return binding.depth == depth && binding.isFromTree && binding.isNew
    }

    /// Returns a prefix for a name whose own prefix is `written`: the same, unless it has another meaning here.
    mutating func prefix(_ written: UnsafeBufferPointer<UInt8>, for namespace: NameKey) -> Prefix {
        // Only `xml` is bound to it, everywhere.
        if namespace == .xmlNamespace { return Prefix() }
        bindContext()
        let key = NameKey(.declaration, written)
        if let binding = current[key].map({ bindings[$0] }) {
            if binding.namespace == namespace {
                hold(binding)
                return Prefix()
            }
            if binding.isFromTree || binding.depth == depth { return freshPrefix(for: namespace) }
        }
        bind(key, to: namespace, at: depth, isFromTree: false, isNew: true)
        return Prefix(needsDeclaration: true)
    }

    /// Returns the first of `ns1`, `ns2`… that is free here or already bound to the namespace.
    private mutating func freshPrefix(for namespace: NameKey) -> Prefix {
        var number = 1
        while true {
            let text = "ns\(number)"
            let key = NameKey(.declaration, text)
            guard let binding = current[key].map({ bindings[$0] }) else {
                bind(key, to: namespace, at: depth, isFromTree: false, isNew: true)
                return Prefix(replacement: Array(text.utf8), needsDeclaration: true)
            }
            if binding.namespace == namespace {
                hold(binding)
                return Prefix(replacement: Array(text.utf8))
            }
            number += 1
        }
    }

    /// Keeps the binding of a prefix that the element uses: no other name in its tag may rebind it.
    private mutating func hold(_ binding: Binding) {
        if binding.isFromTree || binding.depth == depth { return }
        bind(binding.prefix, to: binding.namespace, at: depth, isFromTree: false, isNew: false)
    }

    private mutating func bind(_ prefix: NameKey, to namespace: NameKey, at depth: Int, isFromTree: Bool, isNew: Bool) {
        let hidden = current[prefix]
        current[prefix] = bindings.count
        bindings.append(
            Binding(
                prefix: prefix, namespace: namespace, depth: depth, isFromTree: isFromTree, isNew: isNew,
                hidden: hidden))
    }
}
