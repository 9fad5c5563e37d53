// A start that several tasks make at once.

/// Lets tasks continue when all have arrived.
actor Barrier {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { missing = count }

    func arrive() async {
        missing -= 1
        if missing > 0 {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            for task in waiting { task.resume() }
            waiting = []
        }
    }
}
