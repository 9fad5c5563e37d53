// Instructions and allocations of everything, and the goals that count them.

struct CountSuite {
    let report: Report
    let isQuick: Bool

    func run() throws {
        // The quick mode leaves instructions to `benchmarks count`.
        let counts = try CountRun.collect(onRecordedSessions: false, instructions: !isQuick)
        report.add(
            Section(
                "Counts",
                note: "Instructions, counted by callgrind, and allocations per operation: an evaluation, a stanza, a "
                    + "message built, or a query compiled. `check 1` … are the ten queries in their order.",
                columns: ["work", "instructions", "allocations"],
                rows: counts.map {
                    [$0.name, $0.counts.instructions?.short ?? "–", $0.counts.allocations.short]
                }))
        func allocations(_ name: String) -> Double { counts.first { $0.name == name }?.counts.allocations ?? .nan }
        let withoutArguments = BenchmarkQuery.all.filter { !$0.takesNode }
            .map { allocations("check \($0.number + 1)") }
        report.add(
            .atMost(
                0, "`check` without arguments allocates nothing", withoutArguments.reduce(0, +), unit: "allocations"))
        report.add(
            .atMost(0, "`check`, all ten, allocates nothing", allocations("ten check"), unit: "allocations"))
        if let element = counts.first(where: { $0.name == "findFirst, an element" }) {
            report.add(
                .atMost(
                    0, "`findFirst` of an element allocates nothing", element.counts.allocations, unit: "allocations"))
        }
        report.add(
            // The tree is one block. The parser's own memory is spread over all stanzas.
            .atMost(
                1.2, "allocations per stanza of a stream, the parser's own included", allocations("parse stream"),
                unit: "allocations"))
        report.add(
            .atMost(23, "building a message of five elements", allocations("build"), unit: "allocations"))
        let gates = counts.filter { $0.name.hasPrefix("all match: ") }
        report.add(
            .atMost(
                0, "what looks for the first result allocates nothing where every stanza has one",
                gates.reduce(0) { $0 + $1.counts.allocations }, unit: "allocations"))
        func instructions(_ name: String) -> Double? { counts.first { $0.name == name }?.counts.instructions }
        if let small = instructions("free 10 elements"), let large = instructions("free 10000 elements") {
            // What grows is the allocator, which gives large blocks back to the system.
            report.add(.atMost(10, "freeing is O(1): instructions for 10,000 elements × for 10", large / small))
        }
    }
}
