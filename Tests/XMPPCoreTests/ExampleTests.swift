// The examples of the documentation.

import Testing
import XMPPCore

@Suite struct ExampleTests {
    /// The output of the example instead of standard output.
    private final class Printer {
        var text = ""
    }

    @Test func overview() throws {
        let printer = Printer()
        func print(_ values: any CustomStringConvertible...) {
            printer.text = values.map(\.description).joined(separator: " ")
        }
        let jid = try JID(parsing: "Juliet@Capulet.Example/Balcony")
        print(jid, jid.bare, jid.server)
        #expect(printer.text == "juliet@capulet.example/Balcony juliet@capulet.example capulet.example")
        let gateway = try JID(escaping: "Romeo M. <romeo@montague.example>", domain: "smtp.example")
        print(gateway, gateway.unescapedLocalpart ?? "")
        #expect(
            printer.text == "romeo\\20m.\\20\\3cromeo\\40montague.example\\3e@smtp.example romeo m. "
                + "<romeo@montague.example>")
    }

    @Test func error() {
        let printer = Printer()
        func print(_ values: Any...) { printer.text = values.map { "\($0)" }.joined(separator: " ") }
        do {
            _ = try JID(parsing: "romeo:montague@example.net")
        } catch {
            print(error.part, error.position, error.reason)
        }
        #expect(printer.text == #"localpart 5 forbidden(":")"#)
    }

    @Test func value() throws {
        let jid = try JID(parsing: "Juliet@Capulet.example/Balcony")
        #expect(jid.description == "juliet@capulet.example/Balcony")
    }
}
