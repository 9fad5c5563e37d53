// The values of the reference server: sessions, connections, and the record that it keeps of both sides. The record is
// another for each owner: it knows the stanzas, the server only their order. Next: ReferenceServer.swift.

import XMLTree

/// A session as the server sees it.
package final class ServerSession<Link: ServerLink> {
    package let id: String
    package let firstCounter: UInt32
    /// The ids of all stanzas sent to the client, in order; those before `acknowledged` are acknowledged.
    package var sent: [String] = []
    package var acknowledged = 0
    /// The ids of all stanzas received from the client, in order; those before `handledCount` are handled.
    package var received: [String] = []
    package var handledCount = 0
    /// The connection it is on, which the server holds.
    package weak var connection: ServerConnection<Link>?
    package var lostAt: Duration?

    init(id: String, firstCounter: UInt32) {
        self.id = id
        self.firstCounter = firstCounter
    }

    /// The id as part of an attribute.
    var idAsXML: String {
        id.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
            .split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;")
            .split(separator: "'", omittingEmptySubsequences: false).joined(separator: "&apos;")
    }

    /// `h` for so many stanzas.
    package func counter(_ count: Int) -> UInt32 { firstCounter &+ UInt32(truncatingIfNeeded: count) }
}

/// A connection as the server sees it.
package final class ServerConnection<Link: ServerLink> {
    package let link: Link
    package var isBound = false
    package var session: ServerSession<Link>?

    init(link: Link) { self.link = link }
}

/// The server's end of a connection.
package protocol ServerLink: AnyObject {
    /// Whether the server still reads and writes here.
    var isOpenAtServer: Bool { get set }
    /// Whether the client has given it up.
    var isLeft: Bool { get }

    func writeToClient(_ bytes: [UInt8])
    func cut(asReset: Bool)
}

/// The stanzas of a server, and the invariants of those that it receives.
package protocol ServerRecord<Link>: AnyObject {
    associatedtype Link: ServerLink

    /// The stanza with this id, as XML.
    func stanza(_ id: String) -> String
    /// The server's answer if the element asks for a resource.
    func answer(toBinding element: Element) -> String?
    /// The id of a received stanza.
    func id(of stanza: Element) throws(Violation) -> String
    /// Whether the server may refuse this stanza as too large.
    func mayRefuse(_ id: String) -> Bool

    func begin(_ session: ServerSession<Link>, on link: Link)
    func serverSentUncounted(_ id: String)
    func serverReceived(_ stanza: Element, id: String, in session: ServerSession<Link>?) throws(Violation)
    /// A session has ended beside another resource, so its unacknowledged stanzas go back to their senders.
    func bounced(_ ids: ArraySlice<String>, from session: String, besideLeftLink isLeft: Bool) throws(Violation)
}
