// Checks the values of one field against its definition: type, options, and validation (XEP-0004 §3.3, XEP-0122).

import FormModel
import StanzaPatterns
import XMPPCore

/// Checks values against the definition of a field.
struct FieldCheck {
    private let field: FormField
    private let type: FieldType
    private let datatype: Datatype
    private let pattern: Pattern?
    private let options: Set<ExactString>
    /// The values of the form, if they are addresses.
    private let ownAddresses: Set<ExactString>
    /// The allowed number of values of a list.
    private let countRange: FieldValidation.ListRange?

    /// A regular expression, compiled.
    private struct Pattern {
        let source: String
        let regex: Regex
    }

    /// - Parameter type: The effective type of the field.
    init(_ field: FormField, as type: FieldType) {
        self.field = field
        self.type = type
        datatype = Datatype(named: field.validation?.datatype)
        options = type.isList ? Set(field.options.map { ExactString($0.value) }) : []
        ownAddresses = type == .jidSingle || type == .jidMulti ? Set(field.values.map(ExactString.init)) : []
        let listRange = type == .listMulti ? field.validation?.listRange : nil
        countRange = listRange?.possible(among: field.optionCount(as: type))
        pattern = field.validation?.pattern.flatMap { source in
            (try? Regex.validating(source)).map { Pattern(source: source, regex: $0) }
        }
    }

    /// Returns the first problem of the values; `nil` when they are valid.
    ///
    /// - Parameter isComplete: Whether the input is complete, so that required values must be present.
    func problem(with values: [String], isComplete: Bool = true) -> FormProblem? {
        if let reason = reason(against: values, isComplete: isComplete) { return FormProblem(field, reason) }
        return nil
    }

    private func reason(against values: [String], isComplete: Bool) -> FormProblem.Reason? {
        // The user does not edit text to read, nor the values that the app sends back.
        if type == .fixed || type == .hidden { return nil }
        // The empty text is not a value: an empty line means that the user entered nothing.
        let entered = values.filter { !$0.isEmpty }
        if entered.isEmpty, !values.contains("") || !offersEmptyValue {
            return isComplete && field.isRequired ? .missing : countProblem(0, isComplete: isComplete)
        }
        if !type.allowsSeveralValues, values.count > 1 { return .severalValues(count: values.count, type) }
        if let reason = countProblem(values.count, isComplete: isComplete) { return reason }
        for value in type == .textMulti ? joined(values) : values {
            if let reason = reason(against: value) { return reason }
        }
        return nil
    }

    /// Whether the empty text is one of the options.
    private var offersEmptyValue: Bool { options.contains(ExactString("")) }

    /// Joins the lines of a text into one value, unless each line is validated by itself (XEP-0122 §3.2.2).
    private func joined(_ lines: [String]) -> [String] {
        field.validation.map(\.method) ?? .basic == .basic
            ? [lines.joined(separator: "\n")] : lines.filter { !$0.isEmpty }
    }

    private func countProblem(_ count: Int, isComplete: Bool) -> FormProblem.Reason? {
        guard let range = countRange else { return nil }
        // An optional field may have no values.
        let isTooFew = isComplete && count > 0 && range.min.map { count < $0 } == true
        let isTooMany = range.max.map { count > $0 } == true
        return isTooFew || isTooMany ? .wrongCount(count: count, min: range.min, max: range.max) : nil
    }

    private func reason(against value: String) -> FormProblem.Reason? {
        let shown = type == .textPrivate ? nil : value
        switch type {
        case .boolean:
            return Bool(exactFieldValue: value) == nil ? .notBoolean(value: shown) : nil
        case .jidSingle, .jidMulti: if !isAddress(value) { return .notAnAddress(value: shown) }
        case .listSingle, .listMulti:
            if !isOption(value) { return .notAnOption(value: shown, options: field.options.map(\.value)) }
        case .textSingle, .textPrivate:
            if value.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) { return .lineBreak(type) }
        case .textMulti, .fixed, .hidden: break
        }
        if (try? XMLTreeError.check(text: value)) == nil { return .forbiddenCharacter(value: shown) }
        if !datatype.isValid(value) {
            return .notOfDatatype(value: shown, datatype: datatype.name, expected: datatype.expectation)
        }
        return rangeProblem(value, shown) ?? patternProblem(value, shown)
    }

    /// Whether the value is an address. A server may have addresses that RFC 7622 does not allow, and gets back its own
    /// values.
    private func isAddress(_ value: String) -> Bool {
        JID(value) != nil || ownAddresses.contains(ExactString(value)) && LenientAddress(value) != nil
    }

    /// Whether a list accepts the value. A list whose method is not `basic` accepts other values (XEP-0122 §3.2). So
    /// does a list without options, as in submissions.
    private func isOption(_ value: String) -> Bool {
        if options.isEmpty || options.contains(ExactString(value)) { return true }
        return field.validation.map { $0.method != .basic } ?? false
    }

    private func rangeProblem(_ value: String, _ shown: String?) -> FormProblem.Reason? {
        guard let (min, max) = field.validation?.bounds(of: datatype), min != nil || max != nil else { return nil }
        let isBelow = min.map { datatype.isOrdered(value, before: $0) == true } ?? false
        let isAbove = max.map { datatype.isOrdered($0, before: value) == true } ?? false
        // A value that cannot be compared, such as NaN, is outside every range.
        let isNone = datatype.isOrdered(value, before: value) == nil || value.trimmingXMLSpace == "NaN"
        return isBelow || isAbove || isNone ? .outOfRange(value: shown, min: min, max: max) : nil
    }

    private func patternProblem(_ value: String, _ shown: String?) -> FormProblem.Reason? {
        guard let pattern else { return nil }
        var value = value
        return switch value.withUTF8({ pattern.regex.match($0) }) {
        case .match: nil
        case .noMatch: .notMatching(value: shown, pattern: pattern.source)
        case .limit: .undecided(value: shown, pattern: pattern.source)
        }
    }
}

extension FieldValidation {
    /// The regular expression, if that is the method.
    var pattern: String? { if case .regex(let pattern) = method { pattern } else { nil } }

    /// The bounds of a range; `nil` unless its datatype has an order, the bounds are of that datatype, and the lower
    /// one is not above the upper one.
    func bounds(of datatype: Datatype) -> (min: String?, max: String?)? {
        guard case .range(let min, let max) = method, datatype.isOrdered else { return nil }
        let areValid = [min, max].allSatisfy { $0.map(datatype.isValid) ?? true }
        let areReversed = min.flatMap { min in max.flatMap { datatype.isOrdered($0, before: min) } } ?? false
        return areValid && !areReversed ? (min, max) : nil
    }
}

extension Regex {
    /// The maximum number of steps to match one value, which take a fraction of a millisecond. A form from an untrusted
    /// author may have many patterns.
    private static let validationSteps = 20_000

    /// Compiles a POSIX extended regular expression that must match the whole value.
    static func validating(_ pattern: String) throws(PosixExpression.Fault) -> Regex {
        let limits = "(*LIMIT_MATCH=\(validationSteps))(*LIMIT_DEPTH=\(validationSteps))"
        var translated = limits + (try PosixExpression.translate(pattern))
        let compiled: Result<Regex, PosixExpression.Fault> = translated.withUTF8 { bytes in
            do throws(Regex.CompileError) {
                return .success(try Regex(bytes, syntax: .unicodeExpression, isCompiledFurther: false))
            } catch {
                return .failure(PosixExpression.Fault(error.message))
            }
        }
        return try compiled.get()
    }
}
