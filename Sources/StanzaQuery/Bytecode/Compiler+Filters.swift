// Compiles filters: one fused test for the common names and values, else a value and a test of it (3.7).

import QuerySyntax
import StanzaPatterns
import XMLTree

// A name that is bound later has no source yet. The program loads it, because it may turn out to be any attribute, or
// the namespace.

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
            load(name)
            builder.emit(.equalsIgnoringCase(builder.string(text)))
            return
        }
        switch AttributeSource(name) {
        case .plain(let key): builder.emit(.attributeEquals(key, builder.string(text)))
        case .namespace: builder.emit(.isInNamespace(NameKey(.namespace, text)))
        case .resolved, nil:
            load(name)
            builder.emit(.equals(builder.string(text)))
        }
    }

    private mutating func compileEquals(_ name: AttributeName, _ parts: [ValuePart]) {
        let argument = builder.value(parts)
        if options.contains(.caseInsensitiveFilters) {
            load(name)
            builder.emit(.equalsArgumentIgnoringCase(argument))
            return
        }
        switch AttributeSource(name) {
        case .plain(let key): builder.emit(.attributeEqualsArgument(key, argument))
        case .namespace, .resolved, nil:
            load(name)
            builder.emit(.equalsArgument(argument))
        }
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
            let reduction = PatternReduction(pattern.utf8)
            if case .anything = reduction, regex.isAnchored {
                compileExistence(name)
            } else {
                load(name)
                builder.emit(valueTest(isCaseless ? nil : reduction, regex, range: range))
            }
        }
    }

    private mutating func compileExistence(_ name: AttributeName) {
        switch AttributeSource(name) {
        case .plain(let key): builder.emit(.hasAttribute(key))
        case .namespace, .resolved, nil:
            load(name)
            builder.emit(.drop)
        }
    }

    private mutating func valueTest(
        _ reduction: PatternReduction?, _ regex: Regex, range: SourceRange
    ) -> Instruction {
        switch reduction {
        case .equals(let text): return .equals(builder.string(text))
        case .oneOf(let texts): return .isOneOf(builder.stringList(texts.map { builder.string($0) }))
        case .prefix(let text): return .hasPrefix(builder.string(text))
        case .suffix(let text): return .hasSuffix(literalPattern(text, regex, range: range))
        case .contains(let text): return .contains(literalPattern(text, regex, range: range))
        case .anything, nil:
            let pattern = PatternConstant(work: .regex(regex), isAnchored: regex.isAnchored, range: range)
            return .matches(builder.pattern(pattern))
        }
    }

    private mutating func literalPattern(_ text: [UInt8], _ regex: Regex, range: SourceRange) -> PatternIndex {
        builder.pattern(
            PatternConstant(work: .literal(builder.string(text)), isAnchored: regex.isAnchored, range: range))
    }
}
