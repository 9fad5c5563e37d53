// The simulator of stream management over the database: after each kill, the tests compare the stored session with the
// writes, and the simulator checks its own invariants.

import Foundation
import Persistence
import Simulators
import StreamManagement
import TestSupport
import Testing

@Suite(.fewAtOnce) struct SessionSimulationTests {
    private static func run(
        _ choices: [StreamChoice], _ setup: StreamSetup, _ database: StanzaDatabase,
        kill: (number: Int, before: Bool)? = nil
    ) throws -> Int {
        try database.openSession("c@example.org", takingOver: true).write([.remove])
        return try StreamSimulation.writes(of: choices, setup, storage: database, kill: kill)
    }

    @Test("The process is killed before and after every single write to the database")
    func killedAtEveryWrite() async throws {
        let place = try TemporaryDatabase()
        let database = try await place.open()
        // Some short scripts hardly write. Of a hundred, one writes enough.
        var drawn: (setup: StreamSetup, script: [StreamChoice], writes: Int)?
        for salt in UInt64(11)..<111 where drawn == nil {
            var random = SeededGenerator(salt: salt)
            let setup = StreamSetup(drawnFrom: &random)
            let script = StreamSimulation.script(length: 40, drawnFrom: random)
            let writes = try await blocking { try Self.run(script, setup, database) }
            if writes > 10 { drawn = (setup, script, writes) }
        }
        let (setup, script, count) = try #require(drawn)
        for number in 1...count {
            for before in [true, false] {
                await #expect(throws: Never.self, "write \(number), seed \(SeededGenerator.seed), \(setup)") {
                    _ = try await blocking { try Self.run(script, setup, database, kill: (number, before)) }
                }
            }
        }
    }

    @Test("Random episodes with kills, restarts and failed resumptions")
    func episodes() async throws {
        let place = try TemporaryDatabase()
        let database = try await place.open()
        for salt in 0..<3 {
            var random = SeededGenerator(salt: UInt64(100 + salt))
            let setup = StreamSetup(drawnFrom: &random)
            let drawn = random
            await #expect(throws: Never.self, "seed \(SeededGenerator.seed), \(setup)") {
                try await blocking {
                    var random = drawn
                    try database.openSession("c@example.org", takingOver: true).write([.remove])
                    let simulation = try StreamSimulation(setup, storage: database)
                    for _ in 0..<1000 {
                        try simulation.perform(
                            random.choice(isRunning: simulation.isRunning, isConnected: simulation.isConnected))
                    }
                    try simulation.comeToRest()
                }
            }
        }
    }

    @Test("A storage that forgets is found")
    func forgetting() async throws {
        let place = try TemporaryDatabase()
        let database = try await place.open()
        let simulation = try StreamSimulation(StreamSetup(), storage: database)
        try simulation.perform(.send(kind: 0))
        try await database.write { try $0.sessions.remove("c@example.org") }
        try simulation.perform(.kill)
        #expect(throws: Violation.self) { try simulation.perform(.start) }
    }
}
