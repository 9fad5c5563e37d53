// The texts that the system shows for the errors of forms.

import Foundation
import Testing

@testable import DataForms

@Suite struct ErrorTextTests {
    @Test("The system shows the description of each error") func localized() {
        let problem = FormProblem(field: "age", label: "Age", .missing)
        let errors: [any Error] = [
            problem, FormRejection(problems: [problem]), FormDecodingError.missing(field: "age"),
            FormFault("age", .repeatedField),
        ]
        for error in errors { #expect(error.localizedDescription == "\(error)") }
    }
}
