// The output of `stanza-live promises`.

import DataForms
import Foundation
import Handlers
import Testing

@testable import Persistence
@testable import StanzaLiveCLI

struct DatabaseListingTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func record(
        _ key: String?, age: TimeInterval, timeout: TimeInterval? = nil, outcome: PromiseOutcome? = nil
    ) -> PromiseRecord {
        PromiseRecord(
            id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), key: key, type: "String",
            created: now - age, timeout: timeout, retention: 100, outcome: outcome)
    }

    @Test func linesAreAlignedAndHideValues() {
        let secret = PromisePayload(type: "String", bytes: Data("secret".utf8))
        let listing = DatabaseListing(
            promises: [
                record("avatar\u{1B}[31m", age: 30), record(nil, age: 7_300, outcome: .fulfilled(secret)),
                record("late", age: 100, timeout: 50),
                record("no", age: 500_000, outcome: .rejected(PromiseRejection(code: "forbidden"))),
            ], promisesAt: now,
            requests: [
                DeferredRequest(
                    account: "juliet@example.org",
                    request: StoredRequest(id: "q\u{7}1", recipient: nil, kind: "iq", handler: Data(), end: .answered),
                    answer: nil, reason: "unknown", since: now - 5)
            ], at: now)
        #expect(
            listing.text == """
                pending    30s   avatar\u{FFFD}[31m                           String, no deadline
                fulfilled  2h    01020304-0506-0708-090A-0B0C0D0E0F10  String, 6 bytes
                timedOut   100s  late                                  String
                rejected   5d    no                                    forbidden
                deferred   5s    q\u{FFFD}1                                   unknown

                """)
    }

    @Test func columnsKeepTheirPlaceForAllContents() {
        let keys = [
            "short", "日本語の鍵", "👩‍👩‍👧‍👧 and more", "e\u{301}\u{302}\u{303}", "line\nbreak\tand\u{2028}more", "\u{202E}turned",
            String(repeating: "long ", count: 200), "z" + String(repeating: "\u{301}", count: 10_000),
        ]
        let listing = DatabaseListing(
            promises: keys.map { record($0, age: 1) }, promisesAt: now, requests: [], at: now)
        let lines = listing.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count == keys.count)
        for line in lines {
            let end = line.range(of: "  String, no deadline")
            #expect(end.map { line[..<$0.lowerBound].columnCount } == 13 + DatabaseListing.cellWidth, "\(line)")
            #expect(line.utf8.count < 3000)
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{202E}" })
        }
        #expect(listing.promises.map(\.key) == keys, "the JSON has all of them")
    }

    @Test func jsonHasTheSame() throws {
        let listing = DatabaseListing(
            promises: [record("k", age: 30, timeout: 50)], promisesAt: now, requests: [], at: now)
        #expect(
            try listing.json() == """
                {"deferredRequests":[],"promises":[{"age":30,"id":"01020304-0506-0708-090A-0B0C0D0E0F10","isAcknowledged":false,\
                "key":"k","state":"pending","summary":"String","timeLeft":20,"type":"String"}]}
                """)
        #expect(DatabaseListing(promises: [], promisesAt: now, requests: [], at: now).text.isEmpty)
    }

    @Test func numbersFromDamagedFilesDoNotTrap() {
        let ages: [TimeInterval] = [1e300, -1e300]
        for age in ages {
            let listing = DatabaseListing(promises: [record("k", age: age)], promisesAt: now, requests: [], at: now)
            #expect(listing.promises[0].age == 0)
        }
    }
}
