// A program that embeds the engine without traits, and its output. `.ci/embed engine` builds and runs it.

import StanzaQuery

let stanza = try Element(parsing: "<message id='a'/>")
print(try stanza.check("/<id=a>"))
do {
    print(try stanza.check("/<id~^a>"))
} catch {
    print("\(error)".contains("expected the trait 'Patterns' of swift-stanza"))
}
let values = try Element(
    parsing: "<values time='2002-09-10T23:08:25Z' bytes='AQI=' id='6BA7B810-9DAD-11D1-80B4-00C04FD430C8'/>")
let bytes: [UInt8]? = try values.findFirst("/@bytes|base64")?.data
print(bytes ?? [], try values.findFirst("/@bytes|base64", as: [UInt8].self) ?? [])
if let time = try values.findFirst("/@time|datetime")?.date, let id = try values.findFirst("/@id|uuid")?.uuid {
    print(time.timeIntervalSince1970, try values.check("/<id=%@>", id))
}
// prints true
// prints true
// prints [1, 2] [1, 2]
// prints 1031699305.0 true
