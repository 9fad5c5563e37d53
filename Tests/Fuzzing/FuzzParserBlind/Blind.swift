// Runs the checks of the parser's fuzzer on random changes of known inputs. It counts no branches, so it makes several
// times as many executions a second as libFuzzer. The known inputs come from the runs of libFuzzer and from the seeds.
//
// The number of an execution and the known inputs decide its input. A file holds the number of the current execution:
// the next run continues with it, and `--show` writes the input of a crash.

import Foundation
import FuzzSupport

@main struct Blind {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let seconds = Int(arguments[1]) ?? (arguments[1] == "--show" ? -1 : nil) else {
            print("usage: FuzzParserBlind SECONDS|--show NUMBER-FILE DICTIONARY FOLDER...")
            exit(2)
        }
        let changes = try Changes(dictionary: arguments[3], folders: Array(arguments[4...]))
        let number = try running(arguments[2])
        if seconds < 0 {
            FileHandle.standardOutput.write(Data(changes.input(number.pointee)))
            return
        }
        let first = number.pointee
        let end = ContinuousClock.now + .seconds(seconds)
        var report = ContinuousClock.now
        while number.pointee % 4096 > 0 || ContinuousClock.now < end {
            let input = changes.input(number.pointee)
            _ = input.withUnsafeBufferPointer { fuzzParser($0.baseAddress, $0.count) }
            number.pointee += 1
            guard number.pointee % 4096 == 0, ContinuousClock.now >= report else { continue }
            print("\(Date.now.formatted(.iso8601)) \(number.pointee) executions, \(changes.inputCount) known inputs")
            fflush(nil)
            report += .seconds(60)
        }
        print("stat::number_of_executed_units: \(number.pointee - first)")
    }

    /// The number in a file, which is mapped: the kernel keeps it when this process crashes.
    private static func running(_ path: String) throws -> UnsafeMutablePointer<UInt64> {
        let file = open(path, O_RDWR | O_CREAT, 0o644)
        let length = MemoryLayout<UInt64>.size
        guard file >= 0, ftruncate(file, off_t(length)) == 0,
            let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return memory.assumingMemoryBound(to: UInt64.self)
    }
}
