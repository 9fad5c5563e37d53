// Compiles filters (3.7) to one step each.

import QuerySyntax
import StanzaPatterns
import XMLTree

extension Compiler {
    mutating func compile(_ filter: Filter) {
        switch filter.condition {
        case .equals(let parts):
            if let text = Self.constantText(parts) {
                compileEquals(filter.attribute, text)
            } else {
                compileEquals(filter.attribute, parts)
            }
        case .matches(let pattern, let range):
            compileMatch(filter.attribute, pattern, range: range)
        }
    }

    /// The filter's value when it holds no specifiers.
    private static func constantText(_ parts: [ValuePart]) -> String? {
        var constant = ""
        for part in parts {
            guard case .text(let text) = part else { return nil }
            constant += text
        }
        return constant
    }

    private mutating func compileEquals(_ name: AttributeName, _ text: String) {
        if options.contains(.caseInsensitiveFilters) {
            builder.addFilter(.equalsIgnoringCase(builder.string(text)), of: name)
        } else {
            builder.addEquality(name, text.utf8)
        }
    }

    private mutating func compileEquals(_ name: AttributeName, _ parts: [ValuePart]) {
        let argument = builder.value(parts)
        let ignoresCase = options.contains(.caseInsensitiveFilters)
        builder.addFilter(ignoresCase ? .equalsArgumentIgnoringCase(argument) : .equalsArgument(argument), of: name)
    }

    private mutating func compileMatch(_ name: AttributeName, _ pattern: String, range: SourceRange) {
        // The compiler reports the leftmost mistakes: the parser's, and as many bad patterns. It need not find more.
        guard diagnostics.count < 2 * QueryLimits.diagnostics else { return }
        let isCaseless = options.contains(.caseInsensitiveFilters)
        var pattern = pattern
        let compiled: Result<Regex, Regex.CompileError> = pattern.withUTF8 { bytes in
            do throws(Regex.CompileError) {
                return .success(try Regex(bytes, isCaseless: isCaseless))
            } catch {
                return .failure(error)
            }
        }
        switch compiled {
        case .failure(let error):
            diagnostics.append(
                Diagnostic(.invalidRegex(message: error.message, offset: error.offset), at: range))
        case .success(let regex):
            compileMatch(name, PatternReduction(pattern.utf8), regex, pattern, range: range)
        }
    }

    private mutating func compileMatch(
        _ name: AttributeName, _ reduction: PatternReduction?, _ regex: Regex, _ pattern: String, range: SourceRange
    ) {
        func constant(_ work: PatternConstant.Work) -> PatternIndex {
            builder.pattern(PatternConstant(work: work, text: pattern, isAnchored: regex.isAnchored, range: range))
        }
        let ignoresCase = options.contains(.caseInsensitiveFilters)
        switch reduction {
        case .anything where regex.isAnchored: builder.addFilter(.drop, of: name)
        case _ where ignoresCase: builder.addFilter(.matches(constant(.regex(regex))), of: name)
        case .equals(let text): builder.addEquality(name, text)
        case .oneOf(let texts):
            builder.addFilter(.isOneOf(builder.stringList(texts.map { builder.string($0) })), of: name)
        case .prefix(let text): builder.addFilter(.hasPrefix(builder.string(text)), of: name)
        case .suffix(let text):
            builder.addFilter(.hasSuffix(constant(.literal(builder.string(text)))), of: name)
        case .contains(let text):
            builder.addFilter(.contains(constant(.literal(builder.string(text)))), of: name)
        case .anything, nil: builder.addFilter(.matches(constant(.regex(regex))), of: name)
        }
    }
}
