// Why an answer to a form has no stanza.

public import FormModel

/// The reason why the form in a stanza cannot be answered.
public enum FormReplyError: Error, Sendable, Hashable {
    /// The stanza is of type `error`, or forwards a stanza of that type. It returns the form to the form's sender.
    case error
    /// The form came in presence.
    case presence
    /// The form was forwarded (XEP-0297) outside of a stanza, so that it has no sender.
    case forwardedForm
    /// The form came in a carbon (XEP-0280) from another account, which may have forged it.
    case strangersCarbon
    /// XML cannot hold a text of the answer.
    case text(XMLTreeError)
}

extension FormReplyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .error: "the stanza is an error, which is not answered: answer the stanza that brought the form"
        case .presence: "presence is not answered: expected the form in an iq or a message"
        case .forwardedForm:
            "the form is forwarded without its stanza, so its sender is unknown: answer the stanza that brought it"
        case .strangersCarbon:
            "the carbon is not from the account itself, so it may be forged (XEP-0280, 11): expected no 'from', or the "
                + "address in 'to' without its resource"
        case .text(let error): error.description
        }
    }
}
