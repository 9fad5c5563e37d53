// The mechanisms that accounts were authenticated with, across processes.

import Persistence
import StreamManagement
import Testing

@Suite struct MechanismStoreTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    @Test("A mechanism is remembered for its account, replaced, and forgotten") func remembers() async throws {
        let database = try await place.open()
        let store: any MechanismStore = database
        #expect(try await store.strongestMechanism(of: "juliet@example.org") == nil)
        try await store.setStrongestMechanism("SCRAM-SHA-1", of: "juliet@example.org")
        try await store.setStrongestMechanism("SCRAM-SHA-256-PLUS", of: "juliet@example.org")
        let again = try await place.open()
        #expect(try await again.strongestMechanism(of: "juliet@example.org") == "SCRAM-SHA-256-PLUS")
        #expect(try await again.strongestMechanism(of: "romeo@example.net") == nil)
        // Whatever its resource.
        #expect(try await again.strongestMechanism(of: "juliet@example.org/balcony") == "SCRAM-SHA-256-PLUS")
        try await again.setStrongestMechanism(nil, of: "juliet@example.org/chamber")
        #expect(try await store.strongestMechanism(of: "juliet@example.org") == nil)
    }
}
