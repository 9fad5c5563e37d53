// Finds the known name that a misspelled one resembles. QuerySyntax uses it for conversions, StanzaCLI for commands,
// settings, warnings and fields of forms.

/// How many bytes must be inserted, removed, replaced or swapped with their neighbor to turn one name into the other.
package func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforePrevious = [Int]()
    var previous = Array(0...right.count)
    for i in left.indices {
        var current = [i + 1]
        current.reserveCapacity(right.count + 1)
        for j in right.indices {
            var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (left[i] == right[j] ? 0 : 1))
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                cost = min(cost, beforePrevious[j - 1] + 1)
            }
            current.append(cost)
        }
        (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count]
}
