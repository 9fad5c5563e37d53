// The environment can skip the tests that need Prosody.

import Foundation
public import Testing

/// Whether the environment skips the tests that need Prosody. Otherwise they fail without it.
public let skipsProsody = ProcessInfo.processInfo.environment["STANZA_NO_PROSODY"] == "1"

extension Trait where Self == ConditionTrait {
    /// For tests that need the package prosody.
    public static var needsProsody: Self {
        .disabled(if: skipsProsody, "!!! NOT TESTED: this test needs Prosody, and STANZA_NO_PROSODY=1 is set. !!!")
    }
}
