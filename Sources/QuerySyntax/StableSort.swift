// One sort for all elements: the compiler makes ten kilobytes of code for each type that `sorted` is called with.

extension Array {
    /// The elements in order. Equal ones keep their order.
    package func stablySorted(by isBefore: (Element, Element) -> Bool) -> [Element] {
        sortedIndexes(count) { isBefore(self[$0], self[$1]) }.map { self[$0] }
    }
}

@inline(never)
private func sortedIndexes(_ count: Int, by isBefore: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted { isBefore($0, $1) || $0 < $1 && !isBefore($1, $0) }
}
