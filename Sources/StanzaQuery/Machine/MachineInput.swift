// The input of a machine, which it never changes: the program, the tree and the arguments, all borrowed.
//
// Plain pointers without reference counts, so that the loop retains nothing. The caller keeps the query and the element
// alive during the evaluation: `Evaluation.run` and the sets extend their lifetimes, and the fast path has them as
// arguments. No other thread can release these references, so none of them dangles.

import XMLTree

/// A program, a tree and arguments, borrowed for one evaluation.
struct MachineInput {
    let code: UnsafePointer<Step>
    let strings: UnsafePointer<UInt8>
    let view: TreeView
    private let unmanagedProgram: Unmanaged<Program>
    private let unmanagedBindings: Unmanaged<SharedNamespaceContext>?
    let arguments: ArgumentValues

    @inline(__always)
    init(
        _ program: Unmanaged<Program>, view: TreeView, bindings: Unmanaged<SharedNamespaceContext>?,
        arguments: ArgumentValues
    ) {
        (code, strings) = program._withUnsafeGuaranteedRef { ($0.code, $0.strings) }
        self.view = view
        unmanagedProgram = program
        unmanagedBindings = bindings
        self.arguments = arguments
    }

    /// The program, for steps that need more of it than code and strings.
    var program: Program { unmanagedProgram.takeUnretainedValue() }

    /// The namespace bindings around the tree, for prefixes.
    var bindings: SharedNamespaceContext? { unmanagedBindings?.takeUnretainedValue() }

    /// The text that a condition compares with.
    @inline(__always)
    func operand(of step: Step) -> UnsafeBufferPointer<UInt8> {
        if step.takesArgument { return arguments[Int(step.operand)] }
        return strings.string(at: ByteReference(rawValue: step.operand))
    }
}
