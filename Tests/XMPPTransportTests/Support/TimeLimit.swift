// The time limit of the tests of this module.

import Testing

extension Trait where Self == TimeLimitTrait {
    /// A test that hangs fails. The limit is longer than all timeouts of the tests, which wait minutes for a thread.
    static var endsInTime: Self { .timeLimit(.minutes(30)) }
}
