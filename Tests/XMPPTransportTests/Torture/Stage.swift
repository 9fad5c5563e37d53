// A scene and an echo client in memory, with a clock of their own: bytes of one are the input of the other. Orders to
// close reach the client in their place. It has no rules.

@testable import StanzaTorture

enum Stage {
    private static let tick = Duration.milliseconds(20)
    private static let mostTicks = 100_000

    /// Plays a scenario.
    static func play(_ scenario: Scenario, _ client: EchoClient) -> (verdict: Verdict?, transcript: [String]) {
        var scene = Scene(scenario, secondPort: 2)
        var now: Duration = .zero
        var number = 0
        var isOpen = false
        for _ in 0..<mostTicks {
            now += tick
            client.tick(at: now)
            var orders = scene.handle(.tick, at: now)
            if client.wantsConnection(at: now) {
                number += 1
                isOpen = true
                orders += scene.handle(.connected(number, toSecondPort: false), at: now)
                client.connected()
            }
            // Until neither side writes anything.
            while true {
                for order in orders {
                    switch order {
                    case .write(number, let bytes) where isOpen: client.receive(bytes)
                    case .close(number, _) where isOpen:
                        isOpen = false
                        client.disconnected(at: now)
                    case .write, .close, .startTLS: break
                    }
                }
                orders = []
                if scene.verdict != nil { return (scene.verdict, scene.transcript) }
                let bytes = isOpen ? client.takeOutput() : []
                if !bytes.isEmpty { orders += scene.handle(.received(number, bytes), at: now) }
                if isOpen, client.hasHungUp {
                    isOpen = false
                    orders += scene.handle(.disconnected(number), at: now)
                    client.disconnected(at: now)
                }
                if orders.isEmpty { break }
            }
        }
        return (scene.verdict, scene.transcript)
    }
}
