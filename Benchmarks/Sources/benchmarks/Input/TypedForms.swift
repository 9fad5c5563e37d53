// The forms that are measured: the smallest that is of use, and one with every kind of value. They conform by hand as
// @DataForm would write it, so that the benchmarks need not build swift-syntax.

import DataForms
import Foundation

struct UploadLimits: DataFormConvertible, Equatable {
    static let formType = "urn:xmpp:http:upload:0"
    var maxFileSize: Int
}

extension UploadLimits {
    init(from fields: FieldDecoder) throws(FormDecodingError) {
        maxFileSize = try fields.decode("max-file-size")
    }

    func encode(to form: inout DataForm) throws(FormEncodingError) {
        try form.encode(maxFileSize, for: "max-file-size", isRequired: true)
    }
}

enum Whois: String, CaseIterable, FieldValue { case anyone, moderators }

struct RoomConfiguration: DataFormConvertible, Equatable {
    static let formType = "http://jabber.org/protocol/muc#roomconfig"
    var name: String
    var about: String?
    var isPersistent: Bool
    var isPublic = true
    var whois: Whois?
    var limit: Int?
    var owners: [String]
    var founded: Date?

    static let elsinore = RoomConfiguration(
        name: "Elsinore", about: "A castle", isPersistent: true, isPublic: false, whois: .moderators, limit: 200,
        owners: ["hamlet@denmark.example", "horatio@denmark.example"], founded: Date(timeIntervalSince1970: 5.5))
}

extension RoomConfiguration {
    init(from fields: FieldDecoder) throws(FormDecodingError) {
        name = try fields.decode("muc#roomconfig_roomname")
        about = try fields.decodeIfPresent("muc#roomconfig_roomdesc")
        isPersistent = try fields.decode("muc#roomconfig_persistentroom")
        isPublic = try fields.decode("muc#roomconfig_publicroom", default: isPublic)
        whois = try fields.decodeIfPresent("muc#roomconfig_whois")
        limit = try fields.decodeIfPresent("muc#roomconfig_maxusers")
        owners = try fields.decodeAll("muc#roomconfig_roomowners")
        founded = try fields.decodeIfPresent("x-example#founded")
    }

    func encode(to form: inout DataForm) throws(FormEncodingError) {
        try form.encode(name, for: "muc#roomconfig_roomname", isRequired: true)
        try form.encode(about, for: "muc#roomconfig_roomdesc")
        try form.encode(isPersistent, for: "muc#roomconfig_persistentroom", isRequired: true)
        try form.encode(isPublic, for: "muc#roomconfig_publicroom")
        try form.encode(whois, for: "muc#roomconfig_whois")
        try form.encode(limit, for: "muc#roomconfig_maxusers")
        try form.encode(owners, for: "muc#roomconfig_roomowners")
        try form.encode(founded, for: "x-example#founded")
    }
}
