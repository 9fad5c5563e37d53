// Excerpts of long texts, and the words for characters and errors in logs.

import SafeText
import Testing

@Suite struct ExcerptTests {
    private struct Failure: Error {}

    private struct LoggableFailure: LoggableError {
        let logText = "the stream is closed"
    }

    /// A text of exactly the limit stays whole. A combining character counts as any other.
    @Test func limits() {
        #expect("abc".cut(toScalars: 3) == "abc" && "abcd".cut(toScalars: 3) == "abc…")
        let accents = "e" + String(repeating: "\u{301}", count: 1200)
        #expect(accents.cut(toScalars: 2) == "e\u{301}…")
        #expect(accents.shortened.unicodeScalars.count == 1000 && "short".shortened == "short")
        let (whole, long) = (String(repeating: "a", count: 200), String(repeating: "a", count: 201))
        #expect(whole.excerpt() == whole && long.excerpt() == whole + "…")
    }

    @Test func codePoints() {
        #expect(("é" as Unicode.Scalar).codePoint == "U+00E9" && ("😀" as Unicode.Scalar).codePoint == "U+1F600")
    }

    /// Of an error that is not loggable, a log gets the type only.
    @Test func errors() {
        #expect(LoggableFailure().loggable == "the stream is closed" && Failure().loggable == "Failure")
    }
}
