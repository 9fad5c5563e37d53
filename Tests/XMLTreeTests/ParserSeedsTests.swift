// The seeds of the parser fuzzer, including its findings. The parser reads each in all modes and with all limits, in
// several chunk sizes and with several renewal thresholds.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct ParserSeedsTests {
    /// The number of bytes at the start of a seed that choose the settings of the fuzzer. The tests skip them.
    private static let choiceLength = 4

    @Test func findingsAreThere() throws {
        #expect(try FuzzSeeds.of("Parser").count { $0.name.hasPrefix("finding-") } >= 22)
    }

    @Test(arguments: ParserSetting.modes.indices, ParserSetting.limits.indices)
    func cuts(_ mode: Int, _ limits: Int) throws {
        let setting = ParserSetting(mode: mode, limits: ParserSetting.limits[limits])
        for (name, seed) in try FuzzSeeds.of("Parser") {
            let bytes = setting.header + seed.dropFirst(Self.choiceLength)
            let whole = transcript(bytes, setting.mode, limits: setting.limits)
            // Long chunks reach markup that the parser holds back, which begins at 2048 bytes.
            let chunks = [1, 2, 300, 1000, 2100].filter { $0 < max(bytes.count, 3) }
            for (chunk, renewal) in chunks.map({ ($0, Renewal.standard) }) + ParserSetting.renewals.map({ (7, $0) }) {
                let cut = transcript(bytes, setting.mode, chunk: chunk, limits: setting.limits, renewal: renewal)
                #expect(cut == whole, "\(name) in chunks of \(chunk)")
            }
        }
    }
}
