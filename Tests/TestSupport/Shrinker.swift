// Makes a failing run short: leaves out steps as long as it still fails.

/// Delta debugging (Zeller): larger parts first, then smaller ones.
public enum Shrinker {
    /// The shortest list of choices found for which `fails` holds, as it does for `choices`.
    ///
    /// - Parameter enough: The length of a list that is short enough: the search ends there.
    public static func shrink<Choice>(
        _ choices: [Choice], to enough: Int = 0, fails: ([Choice]) -> Bool
    ) -> [Choice] {
        var shortest = choices
        var size = max(shortest.count / 2, 1)
        while true {
            var hasShrunk = false
            var start = 0
            while start < shortest.count {
                if shortest.count <= enough { return shortest }
                let candidate = Array(shortest[..<start] + shortest[min(start + size, shortest.count)...])
                if fails(candidate) {
                    shortest = candidate
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size > 1 {
                size /= 2
            } else if !hasShrunk {
                return shortest
            }
        }
    }
}
