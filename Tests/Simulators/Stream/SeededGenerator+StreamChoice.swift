// Draws the steps of a run.

public import TestSupport

extension SeededGenerator {
    /// Draws the next step, with weights that keep sessions alive for a while, and then break everything.
    ///
    /// - Parameters:
    ///   - isRunning: whether there is a process.
    ///   - isConnected: whether it takes itself to be connected.
    public mutating func choice(isRunning: Bool, isConnected: Bool) -> StreamChoice {
        if !isRunning, chance(50) { return .start }
        if isRunning, !isConnected, chance(20) { return .connect(resumes: chance(95), enables: chance(97)) }
        switch number(1...1000) {
        case ...100: return .send(kind: number(0...6))
        case ...170: return .serverSends
        case ...173: return .serverJoins
        case ...175: return .serverBounces
        case ...180: return .serverSendsRejected
        case ...195: return .greet
        case ...310: return .write(count: chance(60) ? .max : number(1...4))
        case ...450: return .deliverToServer(link: chance(80) ? 0 : number(0...2), bytes: bytes())
        case ...590: return .deliverToClient(bytes: bytes())
        case ...690: return .handle(index: chance(70) ? 0 : number(0...4))
        case ...720: return .store
        case ...722: return .transactionFails
        case ...725: return .failToHandle(index: number(0...2))
        case ...730: return .identify
        case ...735: return .withdraw
        case ...744: return .requestAcknowledgement
        case ...747: return .askForSignOfLife
        case ...750: return .awaitRoom(places: number(0...3))
        case ...770: return .sendAcknowledgement
        case ...790: return .serverRequests
        case ...810: return .serverAcknowledges
        case ...850: return .serverHandles(count: number(1...10))
        case ...915: return .advance(milliseconds: chance(98) ? number(1...1000) : number(1000...90_000))
        case ...955: return .fire(index: number(0...3))
        case ...960: return .connect(resumes: chance(95), enables: chance(97))
        case ...967: return .cut(asReset: chance(50))
        case ...974: return .clientNotices
        case ...978: return .serverNotices(link: number(0...2))
        case ...984: return .killAtWrite(before: chance(50))
        case ...986: return .kill
        case ...987: return .close
        case ...991: return .decide(mask: UInt64.random(in: 0 ... .max, using: &self))
        case ...994: return .serverRestarts
        case ...996: return .serverRefuses(chance(10))
        case ...998: return .diskFails(count: number(1...6))
        default: return .setClock(seconds: chance(80) ? 0 : number(-100...100))
        }
    }

    /// Mostly whole elements, sometimes a part of one.
    private mutating func bytes() -> Int { chance(60) ? 400 : number(1...60) }
}
