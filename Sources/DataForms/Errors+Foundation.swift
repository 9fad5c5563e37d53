// The texts that the system shows for errors of forms.

public import Foundation

extension FormFault: LocalizedError {
    public var errorDescription: String? { description }
}

extension FormProblem: LocalizedError {
    public var errorDescription: String? { description }
}

extension FormRejection: LocalizedError {
    public var errorDescription: String? { description }
}

extension NoSuchItem: LocalizedError {
    public var errorDescription: String? { description }
}

extension FormDecodingError: LocalizedError {
    public var errorDescription: String? { description }
}

extension FormEncodingError: LocalizedError {
    public var errorDescription: String? { description }
}

extension FormReplyError: LocalizedError {
    public var errorDescription: String? { description }
}
