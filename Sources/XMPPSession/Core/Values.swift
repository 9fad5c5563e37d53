// The values in events and actions: numbers, stanzas, requests, entries of a batch. Results.swift has the
// results.

package import Foundation

extension DurableSessionCore {
    /// A number that identifies a value of one kind.
    package struct Number<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
        package let rawValue: Int64

        package init(rawValue: Int64) { self.rawValue = rawValue }

        package var description: String { "#\(rawValue)" }

        package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// What a number identifies. These types have no values.
    package enum Numbered {
        package enum Stanza {}
        package enum Request {}
        package enum Attempt {}
        package enum Transaction {}
        package enum Access {}
        package enum Call {}
    }

    /// A stanza of this process: later ones have greater numbers.
    package typealias StanzaNumber = Number<Numbered.Stanza>
    /// A request of the database: never used again.
    package typealias Serial = Number<Numbered.Request>
    /// One call of a handler.
    package typealias Attempt = Number<Numbered.Attempt>
    /// A transaction of the application.
    package typealias TransactionNumber = Number<Numbered.Transaction>
    /// A commit, or a read.
    package typealias AccessNumber = Number<Numbered.Access>
    /// A task that waits for the session to be run, suspended or closed.
    package typealias Call = Number<Numbered.Call>

    /// A point in time, on two clocks: the uptime that deadlines use, and the wall clock that the user can set.
    package struct Moment: Hashable, Sendable {
        package var uptime: Duration
        package var date: Date

        package init(uptime: Duration, date: Date) {
            self.uptime = uptime
            self.date = date
        }
    }

    /// A received stanza.
    package struct Stanza: Hashable, Sendable {
        package let number: StanzaNumber
        /// Whether it may answer a request.
        package var isAnswer: Bool
        /// Whether the server counts it. It comes again then until it is acknowledged, and the stream counts its
        /// failures (rule R40).
        package var isCounted: Bool
        /// Whether it may have ended an earlier process. It is committed alone, so that the next process can count it.
        package var isSuspect: Bool

        package init(number: StanzaNumber, isAnswer: Bool = false, isCounted: Bool = true, isSuspect: Bool = false) {
            self.number = number
            self.isAnswer = isAnswer
            self.isCounted = isCounted
            self.isSuspect = isSuspect
        }
    }

    /// The open request that a stanza answers.
    package struct Match: Hashable, Sendable {
        package let serial: Serial

        package init(serial: Serial) { self.serial = serial }
    }

    /// An open request.
    package struct Request: Hashable, Sendable {
        package let serial: Serial
        /// The time until which the request waits.
        package let deadline: Date?
        /// The longest wait, in seconds: a clock that is set back does not prolong it.
        package let timeout: TimeInterval?
        /// The reason for its end before its deadline.
        package let cause: Outcome?

        package init(
            serial: Serial, deadline: Date? = nil, timeout: TimeInterval? = nil, cause: Outcome? = nil
        ) {
            self.serial = serial
            self.deadline = deadline
            self.timeout = timeout
            self.cause = cause
        }
    }

    /// How a request ends.
    package enum Outcome: Hashable, Sendable {
        case answered, timedOut
        /// The session that sent it is gone.
        case lost
        /// Its answer is a dead letter.
        case notHandled
        /// The parser rejected its answer.
        case rejected
    }

    /// The changes that a handler or the application has collected.
    package struct Collected: Hashable, Sendable {
        /// The size of its changes, in bytes.
        package let size: Int
        /// Whether the changes include requests, whose deadlines the core does not know.
        package let hasRequests: Bool

        package init(size: Int = 0, hasRequests: Bool = false) {
            self.size = size
            self.hasRequests = hasRequests
        }
    }

    /// A part of a batch that commits as a whole or not at all.
    package struct Entry: Hashable, Sendable {
        package enum Work: Hashable, Sendable {
            /// The changes of a handler.
            case attempt(Attempt)
            /// The changes of the application.
            case transaction(TransactionNumber)
        }

        /// The changes to make; `nil` for none.
        package let work: Work?
        /// The stanza that the entry marks as handled.
        package let stanza: StanzaNumber?
        /// The request that the entry ends.
        package let ends: Ending?

        package init(work: Work?, stanza: StanzaNumber? = nil, ends: Ending? = nil) {
            self.work = work
            self.stanza = stanza
            self.ends = ends
        }
    }

    /// The end of a request.
    package struct Ending: Hashable, Sendable {
        package let serial: Serial
        package let outcome: Outcome
        /// The invalidation has failed too often: the entry removes the handler without it.
        package let isGivenUp: Bool

        package init(serial: Serial, outcome: Outcome, isGivenUp: Bool = false) {
            self.serial = serial
            self.outcome = outcome
            self.isGivenUp = isGivenUp
        }
    }
}
