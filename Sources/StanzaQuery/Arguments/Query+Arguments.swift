// Answers questions about a query's arguments without an evaluation: their purpose, and whether they fit.

import QuerySyntax

extension Query {
    /// The specifiers of the query's arguments, in order.
    package var specifiers: [FormatSpecifier] { arguments.isEmpty ? compiled.specifiers : [] }

    /// Finds wrong arguments, even without an element to evaluate the query on.
    ///
    /// - Throws: `QueryError` for arguments that do not fit (6.3).
    package func checkArguments(_ arguments: [QueryArgumentValue]) throws(QueryError) {
        if let error = compiled.error { throw error }
        if !self.arguments.isEmpty {
            if !arguments.isEmpty { throw QueryError(compiled, .argumentsAreBound(given: arguments.count)) }
            return
        }
        try arguments.withUnsafeBufferPointer { values throws(QueryError) in
            try ArgumentValues.bind(values, for: compiled) { _ throws(QueryError) in }
        }
    }
}

extension Program {
    /// The specifiers of the query's arguments, in order.
    var specifiers: [FormatSpecifier] { values.compactMap(\.specifier) }

    /// The query with its bound arguments, which may be none, as constants.
    @usableFromInline
    func bound(to arguments: [QueryArgumentValue]) throws(QueryError) -> Program {
        arguments.isEmpty ? self : try binding(arguments)
    }

    /// The query with arguments as constants: it takes none then.
    ///
    /// - Parameters:
    ///   - arguments: One for each specifier.
    ///   - slotValues: The values of its slots, if these arguments are the slots' values.
    /// - Throws: `QueryError` for arguments that do not fit (6.3).
    func binding(
        _ arguments: [QueryArgumentValue], slotValues: [QueryArgumentValue]? = nil
    ) throws(QueryError) -> Program {
        if let error { throw error }
        return try arguments.withUnsafeBufferPointer { arguments throws(QueryError) in
            try ArgumentValues.bind(arguments, for: self) { values throws(QueryError) in
                var room = self.parts.size
                room.pieces = 0
                for step in steps where step.takesArgument { room.addString(values[Int(step.operand)].count) }
                var parts = ProgramParts(copying: self.parts, room: room)
                parts.bind(values)
                if let slotValues { parts.slots = (slots, slotValues) }
                return with(parts)
            }
        }
    }
}
