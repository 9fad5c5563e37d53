// The changes of what is stored, and what each of them does: the reference that every storage has to agree with.

public import Foundation

/// A change of what is stored of a session.
public enum StorageChange: Equatable, Sendable {
    /// Forget everything, and store this instead (rule R45): a session begins, or what is left of one waits.
    indirect case replace(StoredSession)
    /// A stanza was given to be sent: it comes behind all others.
    case append(OutgoingStanza)
    /// The stream sends the first `count` waiting stanzas now.
    case sendWaiting(at: Date, count: Int)
    /// The server has ended the stream, perhaps because of a stanza: each sent stanza has one loss more.
    case blameSent
    /// The application calls a stanza so.
    case identify(OutgoingNumber, StanzaID)
    /// A stanza that waits is not to be sent.
    case withdraw(OutgoingNumber)
    /// The server has sent this `h`, and with it acknowledged so many stanzas from the front.
    case acknowledge(StanzaCounter, count: Int)
    /// So many stanzas have been handled. Attempts at handling are counted anew.
    case handled(StanzaCounter)
    /// The stream was alive at that time.
    case lastDisconnect(Date)
    /// So often handling the first unhandled stanza was begun. It must not be rolled back with the effects of handling.
    case handlingAttempts(Int)
    /// Forget everything: the session was closed.
    case remove
}

/// When a change has to be durable.
public enum StorageUrgency: Hashable, Sendable {
    /// Before anything else is done.
    case immediate
    /// With the next immediate change, or on `flush()`: what is lost with it can be found out again, and costs at
    /// most that a stanza is sent or received twice (D49).
    case deferrable
}

extension StoredSession {
    /// What is stored after a change; `nil` when nothing is. A storage that keeps rows does the same to them.
    public static func applying(_ change: StorageChange, to session: StoredSession?) -> StoredSession? {
        var session = session ?? StoredSession()
        switch change {
        case .remove: return nil
        case .replace(let new): return new
        case .append(let stanza): session.pending.append(stanza)
        case .sendWaiting(let date, let count):
            for position in session.pending.indices.filter({ !session.pending[$0].isSent }).prefix(max(count, 0)) {
                session.pending[position].markSent(at: date)
            }
        case .blameSent:
            for position in session.pending.indices where session.pending[position].isSent {
                session.pending[position].countLoss()
            }
        case .identify(let number, let id):
            for position in session.pending.indices where session.pending[position].number == number {
                session.pending[position].id = id
            }
            for position in session.undecided.indices where session.undecided[position].number == number {
                session.undecided[position].id = id
            }
        case .withdraw(let number): session.pending.removeAll { $0.number == number && !$0.isSent }
        case .acknowledge(let counter, let count):
            session.handledByServer = counter
            session.pending.removeFirst(min(count, session.pending.count))
        case .handled(let counter):
            session.handledByClient = counter
            session.handlingAttempts = 0
        case .lastDisconnect(let date): session.lastDisconnect = date
        case .handlingAttempts(let attempts): session.handlingAttempts = attempts
        }
        return session
    }
}
