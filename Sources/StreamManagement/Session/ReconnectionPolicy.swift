// Back-off with jitter between connections. Pure: ConnectingLoop.swift counts and sleeps.

/// Sets the waits between connections, and when the session asks an idle server for a sign of life.
///
/// The first attempt after a stream that lived for ``stableTime`` comes after ``first``. Each failed attempt multiplies
/// the wait by ``factor``, up to ``maximum``. The session shortens every wait by a random part of at most ``jitter``:
/// the clients of a restarted server do not come back at the same moment.
public struct ReconnectionPolicy: Hashable, Sendable {
    /// The wait before the first new attempt. The very first connection is made at once.
    public var first: Duration = .seconds(1)
    /// At least 1; less counts as 1.
    public var factor = 2.0
    /// The longest wait: the session finds a server that is back within this time.
    public var maximum: Duration = .seconds(300)
    /// The shortest time between attempts that ``StreamSession/networkChanged()`` brings forward.
    public var shortest: Duration = .seconds(1)
    /// How long the server may be silent after ``StreamSession/networkChanged()`` until the stream ends.
    public var signOfLifeTimeout: Duration = .seconds(5)
    /// The random part of a wait, from 0 (exact waits) to 1 (any wait down to zero).
    public var jitter = 0.5
    /// How long a stream has to live until waits begin with ``first`` again.
    public var stableTime: Duration = .seconds(30)
    /// How many redirections (`see-other-host`) the session follows in a row. Further ones count as ordinary stream
    /// errors.
    public var maximumRedirections = 3
    /// How many refused logins in a row the session survives after a login has succeeded in this run. The default, 0,
    /// ends the run with the first one: the password may have been changed.
    ///
    /// A daemon that cannot ask for a password can allow some: a server without its user database refuses the right
    /// password, too. Each refused attempt counts as a failure, so the waits grow.
    public var maximumRefusedLogins = 0
    /// How long the server may be silent before the session asks it for a sign of life; zero for never.
    ///
    /// With stream management the session sends an `<r/>`, which neither side counts. If the server offers stream
    /// management and it is not enabled, or was refused, the session sends a ping (XEP-0199). If the server does not
    /// offer it, the transport asks. Without an answer within ``StreamManagementConfiguration/acknowledgementTimeout``
    /// the stream ends, unless that timeout is off. Only an `<a/>` answers an `<r/>`. While bytes move, up to 20 times
    /// that timeout may pass.
    public var probeInterval: Duration = .seconds(120)

    public init() {}

    /// Returns the wait before a new attempt.
    ///
    /// - Parameters:
    ///   - failures: the number of failures in a row: 0 for the first attempt after a good stream.
    ///   - random: the random number for the jitter, from 0 to 1.
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
