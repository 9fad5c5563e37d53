// Numbers in sentences.

/// `1 result`, `2 results`.
func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }

/// A number with one decimal digit; it is not negative.
func decimal(tenths: Int) -> String { "\(tenths / 10).\(tenths % 10)" }
