// The changes of a stored session, and the effect of each: the reference for every storage.

public import Foundation

/// A change of a stored session.
public enum StorageChange: Equatable, Sendable {
    /// Forget everything, and store this session instead (rule R45): a session begins, or the rest of a lost one waits.
    indirect case replace(StoredSession)
    /// Replace everything but the stored stanzas, which a new session takes over. Those of this session do not count.
    indirect case begin(StoredSession)
    /// Append a stanza that was passed to be sent, after all others.
    case append(OutgoingStanza)
    /// Append a stanza that is held, after all other held ones.
    case hold(OutgoingStanza)
    /// These held stanzas wait to be sent, in their order and after all others.
    case release([OutgoingNumber])
    /// The app has greeted the session.
    case greeted
    /// The stream sends the first `count` waiting stanzas now.
    case sendWaiting(at: Date, count: Int)
    /// Count one more loss for each sent stanza: the server has ended the stream, perhaps because of a stanza.
    case blameSent
    /// Set the application's identifier for a stanza.
    case identify(OutgoingNumber, StanzaID)
    /// Remove a waiting stanza.
    case withdraw(OutgoingNumber)
    /// Store this `h` of the server, and remove the `count` stanzas from the front that it acknowledges.
    case acknowledge(StanzaCounter, count: Int)
    /// Store the handled count. The count of handling attempts restarts.
    case handled(StanzaCounter)
    /// The stream was alive at this time.
    case lastDisconnect(Date)
    /// Store how often handling the first unhandled stanza began. Do not roll this back with the effects of handling.
    case handlingAttempts(Int)
    /// Store how many attempts in a row to resume the session the server left unanswered (rule R32).
    case unansweredResumptions(Int)
    /// Forget everything: the session is closed.
    case remove
}

/// When a change has to be durable.
public enum StorageUrgency: Hashable, Comparable, Sendable {
    /// With the next change of another urgency, or on `flush()`. A later process can find a lost change out again. A
    /// loss costs at most that a stanza is sent or received twice (D49).
    case deferrable
    /// Now, but no later action depends on it.
    case prompt
    /// Before any later action that the server or the application can learn of.
    case immediate
}

extension StoredSession {
    /// Returns the stored session after a change; `nil` if none remains. A storage of rows changes its rows in the same
    /// way.
    public static func applying(_ change: StorageChange, to session: StoredSession?) -> StoredSession? {
        var session = session
        apply(change, to: &session)
        return session
    }

    /// Changes a stored session in place. It copies no queue.
    ///
    /// Not inlined: the optimizer of Swift 6.3 crashes on the result.
    @inline(never)
    static func apply(_ change: StorageChange, to session: inout StoredSession?) {
        var changed = session ?? StoredSession()
        session = nil
        session = changed.apply(change) ? changed : nil
    }

    /// - Returns: Whether the session remains stored.
    private mutating func apply(_ change: StorageChange) -> Bool {
        switch change {
        case .remove: return false
        case .replace(let new): self = new
        case .begin(let new):
            let stanzas = (pending, undecided, held)
            self = new
            (pending, undecided, held) = stanzas
        case .append(let stanza): pending.append(stanza)
        case .hold(let stanza): held.append(stanza)
        case .release(let numbers):
            let numbers = Set(numbers)
            pending += held.filter { numbers.contains($0.number) }
            held.removeAll { numbers.contains($0.number) }
        case .greeted: isGreeted = true
        case .sendWaiting(let date, let count):
            for position in pending.indices.filter({ !pending[$0].isSent }).prefix(max(count, 0)) {
                pending[position].markSent(at: date)
            }
        case .blameSent:
            for position in pending.indices where pending[position].isSent { pending[position].countLoss() }
        case .identify(let number, let id):
            for position in pending.indices where pending[position].number == number { pending[position].id = id }
            for position in undecided.indices where undecided[position].number == number {
                undecided[position].id = id
            }
            for position in held.indices where held[position].number == number { held[position].id = id }
        case .withdraw(let number):
            pending.removeAll { $0.number == number && !$0.isSent }
            held.removeAll { $0.number == number && !$0.isSent }
        case .acknowledge(let counter, let count):
            handledByServer = counter
            pending.removeFirst(min(count, pending.count))
        case .handled(let counter):
            handledByClient = counter
            handlingAttempts = 0
        case .lastDisconnect(let date): lastDisconnect = date
        case .handlingAttempts(let attempts): handlingAttempts = attempts
        case .unansweredResumptions(let count): unansweredResumptions = count
        }
        return true
    }
}
