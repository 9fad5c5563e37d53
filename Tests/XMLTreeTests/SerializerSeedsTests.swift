// The serializer fuzzer's seeds, and what it found among them, in its own check: what was mended stays so.

import TestSupport
import Testing

@Suite struct SerializerSeedsTests {
    @Test func serializer() throws {
        #expect(try FuzzSeeds.run("Serializer") { fuzzSerializer(FuzzInput($0, $1)) } >= 8)
    }
}
