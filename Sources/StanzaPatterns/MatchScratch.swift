// The memory for matching a regular expression, reused instead of allocated for each match.
//
// One scratch is kept for the next match, in a word of the process: the address of its box, or 0 while it is used.
// Threads that match at the same moment make more. Only Regex.swift uses this.

#if Patterns
import CAtomics
import CPCRE2

/// Match data and limits for one match at a time.
struct MatchScratch {
    private typealias Box = (matchData: OpaquePointer, matchContext: OpaquePointer)

    /// PCRE2's pointers, in memory of their own so that one address identifies both.
    private let box: UnsafeMutablePointer<Box>

    private init(_ box: UnsafeMutablePointer<Box>) {
        self.box = box
    }

    /// The waiting scratch, or a new one; `nil` if memory is exhausted.
    static func take() -> MatchScratch? {
        let address = stanza_atomic_exchange(stanza_word(1), 0)
        if let box = UnsafeMutablePointer<Box>(bitPattern: address) { return MatchScratch(box) }
        guard let matchData = pcre2_match_data_create_8(1, nil) else { return nil }
        guard let matchContext = pcre2_match_context_create_8(nil) else {
            pcre2_match_data_free_8(matchData)
            return nil
        }
        pcre2_set_match_limit_8(matchContext, RegexLimits.match)
        pcre2_set_depth_limit_8(matchContext, RegexLimits.match)
        pcre2_set_heap_limit_8(matchContext, RegexLimits.heapKiB)
        let box = UnsafeMutablePointer<Box>.allocate(capacity: 1)
        box.initialize(to: (matchData, matchContext))
        return MatchScratch(box)
    }

    /// PCRE2's result: at least 0 for a match.
    func match(_ code: OpaquePointer, _ value: UnsafeBufferPointer<UInt8>, _ options: UInt32) -> Int32 {
        let (matchData, matchContext) = box.pointee
        return value.withNonNullStart {
            pcre2_match_8(code, $0, value.count, 0, options, matchData, matchContext)
        }
    }

    /// Keeps the scratch for the next match.
    func giveBack() {
        if stanza_atomic_replace(stanza_word(1), 0, UInt(bitPattern: box)) != 0 { discard() }
    }

    /// Frees the scratch.
    func discard() {
        pcre2_match_data_free_8(box.pointee.matchData)
        pcre2_match_context_free_8(box.pointee.matchContext)
        box.deallocate()
    }
}
#endif
