// The texts that the system shows for the errors of forms.

import Foundation
import Testing

@testable import DataForms

@Suite struct ErrorTextTests {
    @Test("The system shows the description of each error") func localized() throws {
        let problem = FormProblem(field: "age", label: "Age", .missing)
        var form = DataForm(.result)
        let item = #expect(throws: NoSuchItem.self) { try form.set("age", to: [], inItem: 0) }
        let errors: [any Error] = [
            problem, FormRejection(problems: [problem]), FormDecodingError.missing(field: "age"),
            FormFault("age", .repeatedField), try #require(item),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
    }
}
