// The requirements of every storage of stream management: the same tests for memory and for the database.

import Foundation
import Persistence
import Simulators
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

/// A storage, and a second one on the same data, as another process would open it.
struct StorageUnderTest {
    enum Kind: CaseIterable {
        case memory, database
    }

    let storage: any StreamManagementStorage
    let second: any StreamManagementStorage
    private let place: TemporaryDatabase

    init(_ kind: Kind) async throws {
        place = try TemporaryDatabase()
        switch kind {
        case .memory:
            let memory = MemoryStorage(servesSeveralAccounts: true)
            (storage, second) = (memory, memory)
        case .database: (storage, second) = (try await place.open(), try await place.open())
        }
    }
}

@Suite(.fewAtOnce) struct SessionStorageTests {
    @Test("After any change, a storage holds the same as the reference", arguments: StorageUnderTest.Kind.allCases)
    func changes(kind: StorageUnderTest.Kind) async throws {
        let under = try await StorageUnderTest(kind)
        var random = SeededGenerator(salt: 7)
        for run in 0..<4 {
            let account = try JID(parsing: "juliet\(run)@example.org")
            let store = try under.storage.open(account)
            var expected: StoredSession?
            for step in 0..<150 {
                let changes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    StorageChange.random(using: &random, pending: expected?.pending.count ?? 0)
                }
                try store.write(changes)
                for change in changes { expected = StoredSession.applying(change, to: expected) }
                let stored = try store.load()
                #expect(
                    stored?.withDatesOfADatabase == expected?.withDatesOfADatabase,
                    "run \(run), step \(step), \(changes.map(\.text)), seed \(SeededGenerator.seed)")
            }
            store.close()
            // A later process loads the same.
            let later = try under.second.open(account)
            #expect(try later.load()?.withDatesOfADatabase == expected?.withDatesOfADatabase)
            later.close()
        }
    }

    @Test("Accounts do not see each other", arguments: StorageUnderTest.Kind.allCases)
    func accounts(kind: StorageUnderTest.Kind) async throws {
        let under = try await StorageUnderTest(kind)
        let juliet = try under.storage.open("juliet@example.org")
        let romeo = try under.storage.open("romeo@example.org")
        try juliet.write([.append(.sample(1)), .handled(StanzaCounter(rawValue: 4))])
        #expect(try romeo.load() == nil)
        try romeo.write([.append(.sample(1)), .append(.sample(2))])
        try romeo.write([.remove])
        #expect(try romeo.load() == nil)
        #expect(try juliet.load()?.pending.map(\.number.rawValue) == [1])
        #expect(try juliet.load()?.handledByClient.rawValue == 4)
    }

    @Test(
        "M36 One owner at a time; a takeover wins, the other gets an error", arguments: StorageUnderTest.Kind.allCases
    )
    func owners(kind: StorageUnderTest.Kind) async throws {
        let under = try await StorageUnderTest(kind)
        let account: JID = "juliet@example.org"
        let first = try under.storage.open(account)
        try first.write([.append(.sample(1))])
        for storage in [under.storage, under.second] {
            #expect(throws: StorageError.inUse(account: account)) { try storage.open(account) }
        }
        let second = try under.second.open(account, takingOver: true)
        #expect(throws: StorageError.takenOver(account: account)) { try first.load() }
        #expect(throws: StorageError.takenOver(account: account)) { try first.write([.remove]) }
        // A late close by the old owner changes nothing for the new one.
        first.close()
        #expect(try second.load()?.pending.count == 1)
        #expect(throws: StorageError.inUse(account: account)) { try under.storage.open(account) }
        // Neither does the end of the session.
        try second.write([.remove])
        #expect(throws: StorageError.inUse(account: account)) { try under.storage.open(account) }
        second.close()
        second.close()
        #expect(throws: StorageError.takenOver(account: account)) { try second.load() }
        let third = try under.storage.open(account)
        #expect(try third.load() == nil)
    }

    @Test("A write that fails changes nothing", arguments: StorageUnderTest.Kind.allCases)
    func atomicity(kind: StorageUnderTest.Kind) async throws {
        let under = try await StorageUnderTest(kind)
        let store = try under.storage.open("juliet@example.org")
        try store.write([])
        #expect(try store.load() == nil)
        try store.write([.append(.sample(1))])
        let other = try under.second.open("juliet@example.org", takingOver: true)
        #expect(throws: StorageError.self) { try store.write([.append(.sample(2)), .remove]) }
        #expect(try other.load()?.pending == [.sample(1)])
    }
}

extension OutgoingStanza {
    static func sample(_ number: UInt64, isSent: Bool = true) -> OutgoingStanza {
        OutgoingStanza(
            number: OutgoingNumber(rawValue: number), id: StanzaID("m\(number)"),
            element: .sample("<message id='m\(number)'><body>O \u{301}&lt;Romeo&gt;</body></message>"),
            firstSent: isSent ? Date(timeIntervalSince1970: 1_000_000) : nil, isSent: isSent)
    }
}

extension Element {
    /// An element that a test wrote itself.
    static func sample(_ xml: String) -> Element {
        do { return try Element(stanza: xml) } catch { fatalError("no XML: \(xml)") }
    }
}

extension StorageChange {
    /// Any change, with values at the borders among them.
    static func random(using random: inout SeededGenerator, pending: Int) -> StorageChange {
        let number = UInt64.random(in: 1...5000, using: &random)
        let values = [0, 1, .max, UInt32.random(in: 0 ... .max, using: &random)]
        let counter = StanzaCounter(rawValue: values[Int(number % 4)])
        let date = Date(timeIntervalSince1970: Double.random(in: 0...2_000_000_000, using: &random))
        switch Int.random(in: 0..<25, using: &random) {
        case 0: return .remove
        case 1: return .replace(session(counter, date, number))
        case 2: return .sendWaiting(at: date, count: Int.random(in: 0...pending, using: &random))
        case 3...4: return .identify(OutgoingNumber(rawValue: number % 20), StanzaID("e\u{301} \(number)"))
        case 5...7: return .acknowledge(counter, count: Int.random(in: 0...(pending + 1), using: &random))
        case 8...9: return .handled(counter)
        case 10: return .lastDisconnect(date)
        case 11: return .handlingAttempts(Int(number))
        case 12: return .withdraw(OutgoingNumber(rawValue: number % 20))
        case 13: return .blameSent
        case 14: return .begin(session(counter, date, number))
        case 15: return .unansweredResumptions(Int(number))
        case 16: return .hold(stanza(number % 20, date))
        case 17: return .release([number % 20, (number + 1) % 20, number % 7].map(OutgoingNumber.init(rawValue:)))
        case 18: return .greeted
        default: return .append(stanza(number % 20, date))
        }
    }

    private static func stanza(_ number: UInt64, _ date: Date) -> OutgoingStanza {
        OutgoingStanza(
            number: OutgoingNumber(rawValue: number), id: number % 3 == 0 ? nil : StanzaID("m\(number)"),
            element: .sample("<iq xmlns:x='urn:x' x:a='1' id='\(number)'><query xmlns='urn:y'>\n &amp;</query></iq>"),
            firstSent: number % 2 == 0 ? date : nil, isSent: number % 2 == 0)
    }

    private static func session(_ counter: StanzaCounter, _ date: Date, _ number: UInt64) -> StoredSession {
        StoredSession(
            resumption: ResumptionID("\u{1F339}\(number)").map {
                Resumption(
                    id: $0, maximum: number % 2 == 0 ? .max : nil, location: ServerLocation("[2001:db8::1]:5222"))
            },
            address: number % 3 == 0 ? nil : "juliet@example.org/balcony", lastDisconnect: date,
            handledByClient: counter, handledByServer: counter,
            pending: [stanza(number, date), stanza(number + 1, date)], undecided: [stanza(number + 2, date)],
            held: [stanza(number + 3, date), stanza(number % 20, date)], isGreeted: number % 2 == 0,
            handlingAttempts: Int(number), unansweredResumptions: Int(number % 3))
    }
}
