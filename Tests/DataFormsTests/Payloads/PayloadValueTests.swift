// The strict conversions of texts, and texts in several languages.

import Foundation
import Payloads
import Testing

enum Affiliation: String, CaseIterable, PayloadValue { case owner, admin, member, outcast, none }

@Suite struct PayloadValueTests {
    private func read<Value: PayloadValue>(_ text: String, as type: Value.Type = Value.self) -> Value? {
        var text = text
        let bytes = text.withUTF8 { Value._value($0) }
        let value = Value(payloadText: text)
        #expect(bytes.map(\.payloadText) == value.map(\.payloadText))
        return value
    }

    @Test func texts() {
        #expect(read("true") == true && read("1") == true && read("0") == false && read("TRUE", as: Bool.self) == nil)
        #expect(read("5") == 5 && read("-5") == -5 && read(" 5", as: Int.self) == nil && read("", as: Int.self) == nil)
        #expect(read("256", as: UInt8.self) == nil && read("-1", as: UInt8.self) == nil && read("255") == UInt8.max)
        #expect(read("18446744073709551615") == UInt64.max && read("9223372036854775808", as: Int.self) == nil)
        #expect(read("1.5e2") == 150.0 && read("1,5", as: Double.self) == nil && Double.nan.payloadText == nil)
        #expect(read("AQI=") == Data([1, 2]) && read("A!I=", as: Data.self) == nil)
        #expect(read("2001-09-09T01:46:40Z") == Date(timeIntervalSince1970: 1e9) && read("2001", as: Date.self) == nil)
        #expect(read("Juliet@Example.org/A") == ("juliet@example.org/A" as JID) && read("@", as: JID.self) == nil)
        #expect(read("https://example.org/a") == URL(string: "https://example.org/a"))
        let id = UUID()
        #expect(read(id.uuidString) == id && id.payloadText == id.uuidString.lowercased())
        #expect(read("owner") == Affiliation.owner && read("Owner", as: Affiliation.self) == nil)
        #expect(Affiliation.payloadExpectation == "'owner', 'admin', 'member', 'outcast', 'none'")
        #expect(Date.distantFuture.addingTimeInterval(1e12).payloadText == nil)
    }

    /// The initializers of these types keep their meaning without labels.
    @Test func initializersWithoutLabels() {
        #expect(["5", " 6"].compactMap(Int.init) == [5] && ["5"].compactMap(Double.init) == [5])
        #expect(["true"].compactMap(Bool.init) == [true] && ["a@b"].compactMap(JID.init) == ["a@b"])
    }

    @Test func languages() {
        let greeting: LocalizedText = ["en": "Good morning", "de-CH": "Grüezi"]
        let text = greeting.best(for: ["de-CH-1996", "en"])  // "Grüezi"
        #expect(text == "Grüezi")
        #expect(greeting.best(for: ["fr", "EN-x-old"]) == "Good morning")
        #expect(greeting.best(for: ["fr"]) == "Good morning")
        #expect(greeting["DE-ch"] == "Grüezi" && greeting[nil] == nil && LocalizedText().best(for: ["en"]) == nil)
        var other: LocalizedText = "Hello"
        other["fr"] = "Bonjour"
        other[nil] = nil
        #expect(other == LocalizedText("Bonjour", language: "fr") && !other.isEmpty && other.first == "Bonjour")
    }
}
