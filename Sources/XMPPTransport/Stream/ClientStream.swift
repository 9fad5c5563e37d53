// An XML stream over a connection (RFC 6120 §4): headers, elements, restarts, the end. The folder Connecting decides
// which side sends which element when.

import Locking
import Logging
import SafeText
import StreamManagement
import XMLTree
import XMPPCore

/// A client's stream. One task reads at a time.
actor ClientStream {
    private nonisolated let channel: ByteChannel
    private let timeouts: ConnectionTimeouts
    private let limits: ParserLimits
    private let logger: Logger
    private var parser: XMLStreamParser
    private(set) var isEncrypted = false
    /// The channel-binding data for authentications: the hash of the server's certificate.
    private(set) var certificateHash: [UInt8]?
    /// Whether the server may have a proof of the password, and has not confirmed it with its own proof.
    private(set) var hasOpenProof = false
    /// Whether reading has ended.
    private(set) var hasEnded = false
    private(set) var isReading = false
    /// Whether input follows the last element before TLS.
    private(set) var hasInputBehind = false
    private var isClosing = false
    /// The account of the stream.
    private var account: JID?
    /// The name in the server's header, if it differs from the account's domain.
    private var strangeName: String?
    /// The first byte of the connection; `nil` before it.
    private var firstByte: UInt8?
    /// Elements that arrived early. The next reads return them.
    private var held: [Result<Element, RejectedStanza>] = []
    /// The event after the last element, if the input contains it.
    private var ahead: Result<XMLStreamParser.Event, XMLParseError>?
    /// Whether there is such an event.
    private nonisolated let hasAhead = Lock(false)
    /// Tasks that wait for a reader to finish.
    private var readingWaiters: [CheckedContinuation<Void, Never>] = []

    init(_ channel: ByteChannel, limits: ParserLimits, timeouts: ConnectionTimeouts, logger: Logger) {
        self.channel = channel
        self.limits = limits
        self.timeouts = timeouts
        self.logger = logger
        parser = XMLStreamParser(mode: .stream, limits: limits)
    }

    // MARK: Beginning

    /// Opens a stream, the first one or the one after TLS or SASL, and returns its features. It forgets the stream
    /// before.
    func open(as account: JID) async throws -> Element {
        parser = XMLStreamParser(mode: .stream, limits: limits)
        setAhead(nil)
        self.account = account
        strangeName = nil
        // Without encryption the header does not name the account (RFC 6120 §4.7.1).
        let header = StreamHeader.bytes(to: account.domain, from: isEncrypted ? account : nil)
        try await channel.write(header)
        return try await features()
    }

    /// Reads the server's features.
    ///
    /// - Parameter holdsOthers: whether a few other elements may come first: the stream keeps them for the next reader.
    func features(holdingOthers holdsOthers: Bool = false) async throws -> Element {
        var others: [Result<Element, RejectedStanza>] = []
        var weight = 0
        while true {
            do {
                let element = try checked(await next(), .opening)
                if element.isNamed("features", XMLNamespace.stream) {
                    held += others
                    return element
                }
                guard holdsOthers, others.count < Self.mostHeld, weight < Self.mostHeldBytes else {
                    throw XMPPConnectionError.unexpectedElement(element.name, .opening)
                }
                weight += element.weight
                others.append(.success(element))
            } catch let stanza as RejectedStanza {
                guard holdsOthers, others.count < Self.mostHeld, weight < Self.mostHeldBytes else {
                    try await refuse(stanza.error)
                }
                weight += [stanza.id, stanza.from, stanza.to, stanza.type].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
                others.append(.failure(stanza))
            }
        }
    }

    /// The most early elements. A resource that is bound during authentication may get stanzas at once.
    private static let mostHeld = 100

    /// The size in memory from which the stream keeps no more early elements: the session's own default
    /// (`StreamManagementConfiguration.maximumUnhandledBytes`), which does not apply yet. One element may exceed it.
    static let mostHeldBytes = 1 << 18

    /// Runs the TLS handshake.
    func startTLS(_ context: TLSContext, domain: String) async throws {
        let certificate = try await channel.startTLS(context, domain: domain)
        isEncrypted = true
        certificateHash = CertificateHash.binding(to: certificate)
        logger.debug("connection is encrypted")
    }

    // MARK: Writing

    nonisolated func send(_ element: Element) async throws {
        logger.trace("sending", metadata: ["element": "\(element.name)"])
        try await channel.write(element.xmlBytes(in: .clientStream))
    }

    /// Sends an element of an authentication, and notes beforehand whether it proves the password.
    func send(_ element: Element, of exchange: SASLExchange) async throws {
        note(exchange)
        try await send(element)
    }

    func note(_ exchange: SASLExchange) { hasOpenProof = exchange.hasOpenProof }

    // MARK: Reading

    /// Reads the next element. The stream's end, stream errors and elements that the parser rejects are errors.
    ///
    /// - Parameter isLast: whether it may be the last one before TLS: then ``hasInputBehind`` reports further input.
    func next(_ stage: ConnectionStage, isLast: Bool = false) async throws -> Element {
        do {
            return try checked(await next(isLast: isLast), stage)
        } catch let stanza as RejectedStanza {
            try await refuse(stanza.error)
        }
    }

    private func checked(_ element: Element?, _ stage: ConnectionStage) throws(XMPPConnectionError) -> Element {
        guard let element else { throw .closedByServer(stage) }
        if let error = ReceivedStreamError(element) { throw .streamError(error) }
        return element
    }

    /// The next element; `nil` when the server has closed the stream.
    ///
    /// - Throws: `RejectedStanza` in place of a stanza that is beyond a limit or not namespace-well-formed: the next
    ///   call returns the element after it.
    func next(isLast: Bool = false) async throws -> Element? {
        // `close()` may still be reading the rest.
        while isReading { await withCheckedContinuation { readingWaiters.append($0) } }
        if !held.isEmpty { return try held.removeFirst().get() }
        if hasEnded { return nil }
        isReading = true
        defer {
            isReading = false
            for waiter in readingWaiters { waiter.resume() }
            readingWaiters = []
        }
        do {
            let element = try await read(isLast: isLast)
            if element == nil { hasEnded = true }
            return element
        } catch let stanza as RejectedStanza {
            throw stanza
        } catch {
            hasEnded = true
            throw error
        }
    }

    /// Reads the next element, as `next()` does, and looks for an event after it in the received bytes.
    func nextLookingAhead() async throws -> Element? {
        defer { lookAhead() }
        return try await next()
    }

    /// Whether an event after the last element is complete.
    nonisolated var hasInput: Bool { hasAhead.withLock(\.self) }

    /// Parses one more event of the received bytes.
    private func lookAhead() {
        if ahead != nil || isReading || hasEnded { return }
        do throws(XMLParseError) {
            setAhead(try parser.next().map { .success($0) })
        } catch {
            setAhead(.failure(error))
        }
    }

    private func setAhead(_ event: Result<XMLStreamParser.Event, XMLParseError>?) {
        ahead = event
        hasAhead.withLock { $0 = event != nil }
    }

    private func read(isLast: Bool) async throws -> Element? {
        while true {
            if let event = try await parsedEvent() {
                switch event {
                case .streamStart(let header): try await check(header)
                case .element(let element, _):
                    try await checkName(before: element)
                    logger.trace("received", metadata: ["element": "\(element.name)"])
                    return element
                case .rejected(let stanza):
                    let reason = stanza.error.message.excerpt()
                    logger.debug("the parser skipped a stanza", metadata: ["reason": "\(reason)"])
                    throw stanza
                case .streamEnd: return nil
                }
            } else {
                let bytes = try await channel.read()
                if firstByte == nil { firstByte = bytes.first }
                if isLast { return try await readLast(bytes) }
                parser.feed(bytes)
            }
        }
    }

    /// Reads byte by byte, to detect input after an element.
    private func readLast(_ bytes: [UInt8]) async throws -> Element? {
        for (index, byte) in bytes.enumerated() {
            parser.feed(CollectionOfOne(byte))
            guard let event = try await parsedEvent() else { continue }
            if case .rejected(let stanza) = event { throw stanza }
            guard case .element(let element, _) = event else { return nil }
            hasInputBehind = index < bytes.count - 1
            return element
        }
        return try await read(isLast: true)
    }

    private func parsedEvent() async throws -> XMLStreamParser.Event? {
        do {
            if let event = ahead {
                setAhead(nil)
                return try event.get()
            }
            return try parser.next()
        } catch {
            try await refuse(error)
        }
    }

    private func refuse(_ error: XMLParseError) async throws -> Never {
        if !isEncrypted, firstByte == Self.alert {
            throw XMPPConnectionError.invalidStream(
                "it answers with TLS; use `.directTLS` for this port (usually 5223)")
        }
        logger.debug("invalid XML", metadata: ["error": "\(error)"])
        await end(with: error.streamCondition.rawValue)
        throw XMPPConnectionError.invalidXML(error)
    }

    /// The first byte of an alert of TLS (RFC 8446 §5.1), which no XML begins with. Servers that expect TLS at once
    /// send one in answer to a stream header.
    private static let alert: UInt8 = 21

    private func check(_ header: XMLStreamParser.StreamHeader) async throws {
        strangeName = header.element["from"].flatMap { name in account?.isDomain(name) == false ? name : nil }
        guard let fault = StreamHeader.fault(of: header) else { return }
        await end(with: fault.condition)
        throw XMPPConnectionError.invalidStream(fault.reason)
    }

    /// A server that does not know the domain may use its own name, and then sends a stream error.
    private func checkName(before element: Element) async throws {
        guard let strangeName, ReceivedStreamError(element) == nil else { return }
        await end(with: "invalid-from")
        let domain = (account?.domain ?? "").excerpt()
        throw XMPPConnectionError.invalidStream("expected it to be from \(domain), found \(strangeName.excerpt())")
    }
}

// MARK: Ending (RFC 6120 §4.4), orderly or with an error, within a time limit

extension ClientStream {
    /// Ends the stream, waits for the server to end its own, and closes the connection. Elements that arrive in between
    /// go to a pending reader, or are dropped.
    func close() async {
        if isClosing { return }
        isClosing = true
        _ = try? await channel.within(timeouts.close, .opening) {
            try await channel.write(StreamHeader.end)
            while !hasEnded {
                if isReading {
                    await withCheckedContinuation { readingWaiters.append($0) }
                } else {
                    // A rejected stanza does not end the stream.
                    do { _ = try await next() } catch is RejectedStanza {}
                }
            }
            await channel.close()
        }
        channel.abort()
    }

    /// Sends the server a stream error, and ends the stream.
    func end(with condition: String) async {
        if isClosing { return }
        isClosing = true
        _ = try? await channel.within(timeouts.close, .opening) {
            try await channel.write(StreamHeader.error(condition))
            await channel.close()
        }
        channel.abort()
    }
}
