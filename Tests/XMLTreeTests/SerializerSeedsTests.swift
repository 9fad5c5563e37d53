// Runs the check of the serializer fuzzer on its seeds, including its findings, so that fixed mistakes stay fixed.

import TestSupport
import Testing

@Suite struct SerializerSeedsTests {
    @Test func serializer() throws {
        #expect(try FuzzSeeds.run("Serializer") { fuzzSerializer(FuzzInput($0, $1)) } >= 8)
    }
}
