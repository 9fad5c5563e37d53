// How soon to connect again: back-off with jitter. Pure; ConnectingLoop.swift counts, StreamSession+Connecting.swift
// sleeps.

/// How long to wait between connections, and when an idle one is asked for a sign of life.
///
/// The first attempt after a stream that lived for ``stableTime`` comes after ``first``; each one that fails multiplies
/// that by ``factor``, up to ``maximum``. Of every wait a random part of at most ``jitter`` is left out, so that the
/// clients of a server that was restarted do not come back at the same moment.
public struct ReconnectionPolicy: Hashable, Sendable {
    /// The wait before the first new attempt. The very first connection is made at once.
    public var first: Duration = .seconds(1)
    /// At least 1; less counts as 1.
    public var factor = 2.0
    /// No wait is longer: a server that is back is found within this time.
    public var maximum: Duration = .seconds(300)
    /// How far apart attempts are that ``StreamSession/reconnectNow()`` brings forward.
    public var shortest: Duration = .seconds(1)
    /// From 0 (exact waits) to 1 (anything down to no wait at all).
    public var jitter = 0.5
    /// A stream that lived so long was a good one: waits begin with ``first`` again.
    public var stableTime: Duration = .seconds(30)
    /// How many redirections (`see-other-host`) are followed in a row; those beyond count as ordinary stream errors.
    public var maximumRedirections = 3
    /// How long nothing may come from the server before it is asked for a sign of life; zero for never. With stream
    /// management it is asked by an `<r/>`, which nobody counts; where the server offers that and it is not enabled, or
    /// was refused, by a ping (XEP-0199); where it is not offered, the transport asks. No answer within
    /// ``StreamManagementConfiguration/acknowledgementTimeout`` ends the stream, unless that is off.
    public var probeInterval: Duration = .seconds(120)

    public init() {}

    /// The wait before a new attempt.
    ///
    /// - Parameters:
    ///   - failures: how many have failed in a row: 0 for the first one after a good stream.
    ///   - random: from 0 to 1.
    public func delay(afterFailures failures: Int, random: Double) -> Duration {
        let longest = min(max(0, maximum / .seconds(1)), Self.longest)
        let factor = factor > 1 ? factor : 1
        var delay = max(0, first / .seconds(1))
        for _ in 0..<min(max(0, failures), Self.mostSteps) where delay > 0 && delay < longest { delay *= factor }
        let kept: Double = 1 - min(1, max(0, jitter)) * min(1, max(0, random))
        return .seconds(min(delay, longest) * kept)
    }

    /// In seconds; a century, which every clock can count.
    private static let longest = 3e9

    /// With a factor of 1 no number of steps reaches the maximum.
    private static let mostSteps = 64
}
