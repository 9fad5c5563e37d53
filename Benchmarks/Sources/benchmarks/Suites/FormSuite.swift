// Typed forms: a stanza's bytes → structure, and structure → the stanza's bytes.

import DataForms
import Foundation
import StanzaQuery

struct FormSuite {
    let bench: Bench
    private static let columns = ["form", "fields", "bytes", "read", "the tree alone", "written"]

    func run() throws {
        let rows = [
            try row("upload limits", UploadLimits(maxFileSize: 5_242_880)),
            try row("room configuration", .elsinore as RoomConfiguration),
        ]
        bench.report.add(
            Section(
                "Typed forms",
                note:
                    "Forms per second. `read`: bytes → tree → structure, what `@DataForm` writes; the tree alone is the "
                    + "first half. `written`: structure → form → tree → bytes.",
                columns: Self.columns, rows: rows))
    }

    private func row<Form: DataFormConvertible & Equatable>(_ name: String, _ form: Form) throws -> [String] {
        let bytes = try form.dataForm(.submit).element().xmlBytes()
        guard try Form(form: Element(parsing: bytes)) == form else {
            throw PeerError(description: "the form '\(name)' is not read as it was written")
        }
        let timings = try bench.stopwatch.time(
            name, agreeing: false,
            [
                Contender("read") { try Form(form: Element(parsing: bytes)) == form ? 1 : 0 },
                Contender("tree") { try Element(parsing: bytes).children.count },
                Contender("written") { try form.dataForm(.submit).element().xmlBytes().count },
            ])
        let rates = timings.map { (1e9 / $0.nanoseconds).short }
        return [name, "\(try form.dataForm(.submit).fields.count)", "\(bytes.count)"] + rates
    }
}
