// Waiting for events on another task.

/// Waits for an event on another task; a test that waits in vain fails after minutes. All tests share the threads of
/// one pool, so a task may wait long for its turn. The time limit only ends tests that hang.
public func eventually(
    _ what: String, file: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while try await !condition() {
        if ContinuousClock.now > deadline {
            throw WaitedInVain(description: "\(file):\(line): waited in vain: \(what)")
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

public struct WaitedInVain: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}
