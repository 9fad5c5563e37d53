// The declarations of the macros. StanzaMacros/Handlers expands them.

@_exported public import Handlers

/// Makes a handler of a static function or an instance method.
///
/// ```swift
/// @Handlers
/// actor Avatars {
///     private(set) var hashes: [String: String] = [:]
///
///     @Handler(on: "account.avatars")
///     func published(account: Account, iq: Element, jid: String, hash: String) throws {
///         if try iq.check("/<type=result>") { hashes[jid] = hash }
///     }
/// }
/// ```
///
/// The handler is the static property `$published` of type `HandlerFunction`; its parameters are those of the function,
/// by their internal names. A parameter of an optional type may be missing in a call, every other is mandatory. A
/// missing argument of type `InvalidationReason` is the reason of the invalidation. A call returns the result of the
/// function.
///
/// The compiler reads these arguments before it knows what the macro adds to the type. So `formerly` and `migrations`
/// cannot refer to members of the type, and `instance` is a string.
///
/// - Parameters:
///   - name: The stored name, `Type|function`. Without it, the names of type and function as written. Give one before
///     you rename either, or give the old name to `formerly`.
///   - formerly: Names under which earlier versions of the program stored the handler.
///   - version: The version of the parameter list, from 1. Raise it when bound parameters change names or types.
///   - migrations: Closures that convert the bound arguments of one version to the next one, by the version that they
///     start from; one for every version before the present one.
///   - singleShot: Whether exactly one of all calls and invalidations of a handler wins.
///   - instance: For instance methods, an expression over the parameters that returns the instance. A call for which it
///     returns `nil` is an error and does not count.
@attached(peer, names: prefixed(`$`), suffixed(_Parameters))
public macro Handler(
    _ name: HandlerName? = nil, formerly: [HandlerName] = [], version: Int = 1,
    migrations: [Int: HandlerMigration] = [:], singleShot: Bool = false, on instance: StaticString? = nil
) = #externalMacro(module: "StanzaMacros", type: "HandlerMacro")

/// Lists the handlers of a type: the functions in its braces that have `@Handler`. You can pass the type to a registry.
///
/// ```swift
/// let registry = try HandlerRegistry(Roster.self, Avatars.self)
/// let dispatcher = HandlerDispatcher(registry: registry)
/// ```
///
/// A class and its subclass have a list each. The list of the subclass has only the functions in its own braces.
@attached(member, conformances: HandlerProvider, names: named(handlers))
@attached(extension, conformances: HandlerProvider)
public macro Handlers() = #externalMacro(module: "StanzaMacros", type: "HandlersMacro")

/// Binds or passes variables under their own names.
///
/// ```swift
/// let published = try Avatars.$published.handler(binding: #named(jid, hash))
/// try await dispatcher.call(published, HandlerArguments(#named(account, iq)))
/// ```
///
/// `#named(device, jid)` is `{ $0.device = device; $0.jid = jid }`, and is checked as such. A member counts under its
/// last name: `#named(self.jid)`.
@freestanding(expression)
public macro named<Arguments, each Value>(
    _ values: repeat each Value
) -> (inout Arguments) -> Void = #externalMacro(module: "StanzaMacros", type: "NamedMacro")
