// Other stream features that a session reads: limits, and the features of inline binding.

import Testing
import XMLTree

@testable import StreamManagement

@Suite struct StreamFeaturesTests {
    private func limits(_ text: String) -> StreamLimits {
        StreamFeatures(
            element("<stream:features><limits xmlns='urn:xmpp:stream-limits:0'>\(text)</limits></stream:features>")
        ).limits
    }

    @Test("XEP-0478: limits are read") func readsLimits() {
        #expect(
            limits("<max-bytes>262144</max-bytes><idle-seconds>1800</idle-seconds>")
                == StreamLimits(bytes: 262_144, idleSeconds: 1800))
        #expect(limits("<max-bytes>10000</max-bytes>") == StreamLimits(bytes: 10_000))
        #expect(StreamFeatures(element("<stream:features/>")).limits == StreamLimits())
    }

    @Test("RFC 6120 §13.12: a server must accept 10,000 bytes, which replace a lower limit", arguments: [1, 9999])
    func ignoresLowLimits(bytes: Int) {
        #expect(limits("<max-bytes>\(bytes)</max-bytes>") == StreamLimits(bytes: StreamLimits.lowestBytes))
        #expect(StreamLimits.lowestBytes == 10_000)
    }

    @Test(
        "A limit that is not a positive number of 32 bits says nothing",
        arguments: ["", "0", "-1", "+5", " 5", "5 ", "1e3", "4294967296", "99999999999999999999", "٣", "<a>5</a>"])
    func ignoresTextThatIsNotANumber(text: String) {
        #expect(limits("<max-bytes>\(text)</max-bytes><idle-seconds>7</idle-seconds>") == StreamLimits(idleSeconds: 7))
    }

    @Test("Limits of another namespace are ignored") func ignoresOthers() {
        let features = element(
            "<stream:features><limits xmlns='urn:x'><max-bytes>1</max-bytes></limits></stream:features>")
        #expect(StreamFeatures(features).limits == StreamLimits())
    }

    @Test("XEP-0386: the features of inline binding are read") func readsInlineFeatures() {
        let features = StreamFeatures(
            element(
                """
                <stream:features><authentication xmlns='urn:xmpp:sasl:2'><inline><bind xmlns='urn:xmpp:bind:0'><inline>\
                <feature var='urn:xmpp:carbons:2'/><feature/><feature var='urn:xmpp:sm:3'/></inline></bind></inline>\
                </authentication></stream:features>
                """))
        #expect(features.inlineBindFeatures == ["urn:xmpp:carbons:2", "urn:xmpp:sm:3"])
        #expect(features.supportsInlineEnabling)
    }
}
