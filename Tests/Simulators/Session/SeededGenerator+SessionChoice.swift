// Draws the steps of a run.

public import TestSupport

extension SeededGenerator {
    /// Draws the next step, with weights that let sessions work for a while, and then break everything. Most steps
    /// concern the process that owns the session.
    public mutating func choice(in world: SessionSimulation) -> SessionChoice {
        let setup = world.setup
        let any = number(0...setup.processes - 1)
        guard let owner = world.owner else {
            return chance(50) ? .start(process: any, takingOver: chance(50)) : choice(any, setup)
        }
        // A suspension during the closing hurries the closing.
        if owner.isClosing, chance(8) { return .suspend(process: owner.place, milliseconds: 0, isWithin: false) }
        if owner.looksUp, chance(10) { return .databaseFails(count: 1, isBroken: chance(30)) }
        if owner.countsFailure, chance(5) { return .suspend(process: owner.place, milliseconds: 0, isWithin: false) }
        // Several transactions wait together, and some are canceled.
        if owner.waitsForRoom, chance(8) {
            return chance(60) ? .store(process: owner.place, asks: false) : .cancelTransaction(process: owner.place)
        }
        if !owner.isRunning, chance(15) { return .run(process: owner.place, takingOver: false) }
        if owner.isRunning, !owner.isConnected, chance(15) { return .connect(process: owner.place) }
        if chance(45), let useful = useful(owner, setup) { return useful }
        return choice(chance(70) ? owner.place : any, setup)
    }

    /// A step that means something now.
    private mutating func useful(_ owner: SessionSimulation.Owner, _ setup: SessionSetup) -> SessionChoice? {
        switch number(1...5) {
        case 1 where owner.hasOperations: .access(process: owner.place)
        case 2 where owner.hasResults: .result(process: owner.place, index: number(0...2))
        case 3 where owner.hasHandlers: .handlerEnds(process: owner.place, index: number(0...2), ending(setup))
        case 4 where owner.hasStanzas: .deliver(process: owner.place)
        case 5 where owner.hasOutput: .transmit(process: owner.place)
        default: owner.isConnected && !owner.hasStanzas ? .serverSends(kind: number(0...99)) : nil
        }
    }

    private mutating func choice(_ process: Int, _ setup: SessionSetup) -> SessionChoice {
        switch number(1...1000) {
        case ...200: return .access(process: process)
        case ...370: return .result(process: process, index: number(0...2))
        case ...510: return .handlerEnds(process: process, index: number(0...2), ending(setup))
        case ...600: return .deliver(process: process)
        case ...700: return .serverSends(kind: number(0...99))
        case ...740: return .serverAnswers(index: number(0...4))
        case ...790: return .transmit(process: process)
        case ...810: return .acknowledge(process: process)
        case ...844: return .connect(process: process)
        case ...850: return .databaseFails(count: 1, isBroken: false)
        case ...854: return .run(process: number(0...setup.processes - 1), takingOver: chance(40))
        case ...860: return .start(process: process, takingOver: chance(20))
        case ...866: return .run(process: number(0...setup.processes - 1), takingOver: true)
        case ...890: return .serverSends(kind: number(0...99))
        case ...907: return .store(process: process, asks: chance(60))
        case ...910: return .cancelTransaction(process: process)
        case ...920: return .handlerReads(process: process)
        case ...960: return .advance(milliseconds: chance(90) ? number(1...400) : number(1000...40_000))
        case ...965: return .notice(process: process)
        case ...970: return .cut
        case ...975: return .suspend(process: process, milliseconds: number(0...5000), isWithin: chance(20))
        case ...977: return .close(process: process, isWithin: chance(20))
        case ...981: return .kill(process: process)
        case ...985: return .killAtAction(process: process, count: number(0...12))
        case ...988: return .renew(process: number(0...setup.processes - 1))
        case ...989: return setup.setsClocks ? jump(process) : .renew(process: process)
        case ...992: return .databaseFails(count: chance(90) ? number(1...3) : number(4...12), isBroken: chance(50))
        case ...994: return .serverForgets
        case ...996: return setup.setsClocks ? .setClock(seconds: number(-200...200)) : .cut
        default: return .notice(process: process)
        }
    }

    private mutating func jump(_ process: Int) -> SessionChoice {
        chance(80) ? .jump(process: process, seconds: number(-40...40)) : .restart(process: process)
    }

    private mutating func ending(_ setup: SessionSetup) -> SessionChoice.Ending {
        if setup.isSteady || chance(85) { return .returns }
        return [.throwsError, .isInterrupted, .hasNoAnswer, .cannotRead, .returnsInVain][number(0...4)]
    }
}
