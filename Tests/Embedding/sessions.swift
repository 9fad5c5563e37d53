// The rest of the program with macros if it has sessions, too, and its output.

import XMPPSession
import XMPPTransport

let connector = try XMPPConnector(account: "juliet@example.org", password: Password("secret"))
print(DurableSession.self, EchoBot.self, connector.account)
// prints DurableSession EchoBot juliet@example.org
