// Measures typed forms: a stanza's bytes → typed structure, and typed structure → the stanza's bytes, each per second, with
// the share that the tree alone has.
//
//     swift run -c release --package-path Benchmarks form-benchmarks

import DataForms
import Foundation
import XMLTree

@main
enum FormBenchmarks {
    static func main() throws {
        print("medians of 41 samples of 500 forms each\n")
        print("| form | fields | bytes | read, per second | tree alone, per second | written, per second |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        try measure("upload limits", UploadLimits(maxFileSize: 5_242_880))
        try measure("room configuration", .elsinore as RoomConfiguration)
    }

    private static func measure<Form: DataFormConvertible & Equatable>(_ name: String, _ form: Form) throws {
        let bytes = try form.dataForm(.submit).element().xmlBytes()
        guard try Form(form: Element(parsing: bytes)) == form else {
            fatalError("the form is not read as it was written")
        }
        let reading = try rate { try Form(form: Element(parsing: bytes)) == form ? 1 : 0 }
        let tree = try rate { try Element(parsing: bytes).children.count > 0 ? 1 : 0 }
        let writing = try rate {
            try form.dataForm(.submit).element().xmlBytes().count == bytes.count ? 1 : 0
        }
        let cells = [reading, tree, writing].map { $0.formatted(.number.precision(.significantDigits(3))) }
        let fields = form.dataForm(.submit).fields.count
        print("| \(name) | \(fields) | \(bytes.count) | \(cells.joined(separator: " | ")) |")
    }

    /// How often a second something can be done, which gives 1 each time.
    private static func rate(_ body: () throws -> Int) throws -> Double {
        let count = 500
        var samples: [Double] = []
        for _ in 0..<41 {
            var sum = 0
            let time = try ContinuousClock().measure {
                for _ in 0..<count { sum += try body() }
            }
            guard sum == count else { fatalError("a form was not read as it was written") }
            let parts = time.components
            samples.append(Double(count) / (Double(parts.seconds) + Double(parts.attoseconds) / 1e18))
        }
        return samples.sorted()[samples.count / 2]
    }
}
