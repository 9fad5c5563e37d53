// The playground's answers to requests: the rules, as pure functions. PlaygroundServer.swift implements HTTP.

/// The parts of a request's head that the rules use.
struct SiteRequest: Sendable {
    var method = "GET"
    /// The target as it was sent: including the query string.
    var target = "/"
    /// The headers `Host`.
    var hosts: [String] = []
    var origin: String?
    var contentType: String?
    /// The header `Content-Length`.
    var contentLength: String?
}

/// An answer without the headers common to all.
struct SiteAnswer: Sendable, Equatable {
    var status = 200
    var contentType = "application/json"
    var body: [UInt8] = []
    /// The header `Allow`.
    var allow: String?

    /// The answer to a rejected request: a JSON object with the member `error`.
    static func refusal(_ status: Int, _ reason: String, allow: String? = nil) -> SiteAnswer {
        SiteAnswer(status: status, body: ErrorText(error: reason).json, allow: allow)
    }
}

/// The decision about a request.
enum SiteDecision: Sendable, Equatable {
    case answer(SiteAnswer)
    /// Read the body, and evaluate it.
    case evaluate
}

/// The playground on one port of the loopback interface.
struct PlaygroundSite: Sendable {
    let port: Int

    /// The names of this server, as browsers write them. Any other is the name of another page that resolves to this
    /// machine (DNS rebinding).
    private var hosts: [String] {
        let names = ["127.0.0.1", "localhost", "[::1]"]
        // Browsers omit HTTP's default port.
        return names.map { "\($0):\(port)" } + (port == 80 ? names : [])
    }

    /// Headers of every answer: the page loads nothing from elsewhere, and nothing is cached.
    static let headers = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
    ]

    /// Decides about a request by its head alone.
    func decide(_ request: SiteRequest) -> SiteDecision {
        // RFC 9112, section 3.2. Of several, a proxy may have checked another one.
        guard request.hosts.count == 1, let host = request.hosts.first?.lowercased() else {
            return .answer(.refusal(400, "expected one header Host"))
        }
        guard hosts.contains(host) else {
            return .answer(.refusal(421, "this server answers to 127.0.0.1:\(port) and to localhost:\(port) only"))
        }
        let path = String(request.target.prefix { $0 != "?" })
        if path == "/evaluate" { return decideEvaluation(request) }
        guard let asset = PlaygroundAsset(path: path) else {
            return .answer(.refusal(404, "no such page; the playground is at /"))
        }
        guard ["GET", "HEAD"].contains(request.method) else {
            return .answer(.refusal(405, "expected the method GET", allow: "GET, HEAD"))
        }
        return .answer(SiteAnswer(contentType: asset.contentType, body: asset.bytes))
    }

    private func decideEvaluation(_ request: SiteRequest) -> SiteDecision {
        guard request.method == "POST" else {
            return .answer(.refusal(405, "expected the method POST", allow: "POST"))
        }
        // Browsers name the page that sends a request.
        if let origin = request.origin, !hosts.map({ "http://\($0)" }).contains(origin.lowercased()) {
            return .answer(.refusal(403, "only pages of this server may ask it"))
        }
        let type = request.contentType?.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        guard type == "application/json" else {
            return .answer(.refusal(415, "expected the type application/json"))
        }
        // NIO accepts no larger number.
        if let length = request.contentLength.flatMap({ UInt64($0) }), length > PlaygroundLimits.bodyBytes {
            return .answer(.tooLarge)
        }
        return .evaluate
    }
}

extension SiteAnswer {
    /// The answer to a body that is too large, known before or while it is read.
    static let tooLarge = refusal(413, "the body has more than \(PlaygroundLimits.bodyBytes) bytes")
    /// The answer to bytes that cannot be read as a request.
    static let malformed = refusal(
        400, "the request is not valid HTTP/1.1, or its head has more than \(PlaygroundLimits.headerBytes) bytes")
    /// The answer to a length that is not a number of 64 bits.
    static let invalidLength = refusal(400, "the header Content-Length is not a number, or it is too large")
    /// The answer when the maximum number of evaluations is running.
    static let busy = refusal(503, "too many evaluations are running; try again when one has ended")
}
