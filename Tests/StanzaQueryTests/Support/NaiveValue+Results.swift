// The results of the engine as values of the naive evaluator, so that tests can compare the two.

import Foundation
import StanzaQuery

extension NaiveValue {
    /// A result of the engine, as a value of the naive evaluator.
    init<Node: QueryableElement>(_ value: QueryResult<Node>, _ place: (Node) -> Int?) {
        switch value {
        case .element(let element): self = .element(place(element) ?? -1)
        case .string(let string): self = .string(Array(string.utf8))
        case .attributes(let attributes): self = .attributes(attributes)
        case .bool(let bool): self = .bool(bool)
        case .int(let int): self = .int(int)
        case .uint(let uint): self = .uint(uint)
        case .double(let double): self = .double(double.bitPattern)
        case .date(let date): self = .date(Int((date.timeIntervalSince1970 * 1000).rounded()))
        case .data(let data): self = .data(Array(data))
        case .uuid(let uuid): self = .uuid(uuid.uuidString.lowercased())
        case .form(let form): self = .form(place(form.element) ?? -1)
        case .field(let field):
            // The parts of a field that the language describes (5.5).
            var described = field
            described.options = field.options.labels.map { FieldOption($0.key, label: $0.value) }
            (described.media, described.validation, described.extensions) = (nil, nil, [])
            self = .field(described)
        }
    }
}
