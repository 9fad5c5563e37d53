// The registered FORM_TYPEs and the types of their fields (XEP-0068 §3). The standard ones, which specifications of the
// XMPP Standards Foundation define, are data at the end.

import FormModel

/// Known FORM_TYPEs, and the types of their fields. They supply the types that submissions and results omit.
///
/// ```swift
/// var registry = FormRegistry.standard
/// registry.register("https://example.org/bot", ["public": .boolean, "owners": .jidMulti])
/// let type = registry.type(of: "public", in: "https://example.org/bot")
/// ```
///
/// A registry is a value: changing one does not change another. It compares all names code point by code point.
public struct FormRegistry: Sendable {
    private var types: [ExactString: [ExactString: FieldType]] = [:]

    /// Creates an empty registry.
    public init() {}

    /// The registrations in the specifications of the XMPP Standards Foundation.
    public static let standard = FormRegistry(parsing: KnownForms.table)

    /// The FORM_TYPEs, sorted.
    public var formTypes: [String] { types.keys.map(\.string).sorted() }

    /// Returns the type of a field in forms with that FORM_TYPE; `nil` when it is unknown.
    public func type(of field: String, in formType: String) -> FieldType? {
        types[ExactString(formType)]?[ExactString(field)]
    }

    /// Whether the FORM_TYPE is one of `formTypes`.
    func knows(_ formType: String) -> Bool { types[ExactString(formType)] != nil }

    /// The fields of a FORM_TYPE, sorted by name.
    public func fields(of formType: String) -> [(name: String, type: FieldType)] {
        let fields = types[ExactString(formType)] ?? [:]
        return fields.map { (name: $0.key.string, type: $0.value) }.sorted { $0.name < $1.name }
    }

    /// Adds fields to a FORM_TYPE, which may be new. A known field gets the new type.
    public mutating func register(_ formType: String, _ fields: KeyValuePairs<String, FieldType>) {
        for (name, type) in fields { types[ExactString(formType), default: [:]][ExactString(name)] = type }
    }

    /// Reads a table: lines that begin with a FORM_TYPE, and below each, indented, a type and the names of its fields.
    init(parsing table: String) {
        var formType = ExactString("")
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard line.hasPrefix(" "), let type = words.first.flatMap({ FieldType(rawValue: String($0)) }) else {
                formType = ExactString(String(line))
                continue
            }
            for name in words.dropFirst() { types[formType, default: [:]][ExactString(String(name))] = type }
        }
    }
}

extension DataForm {
    /// Returns the effective type of a field of this form: its own; if a submission or result omits it, the registry's;
    /// else `text-single` (XEP-0004 §3.2). `FORM_TYPE` is hidden.
    public func type(of field: FormField, in registry: FormRegistry = .standard) -> FieldType {
        fieldTypes(in: registry)(field)
    }

    /// Returns `type(of:in:)` as a function for many fields, which looks up the form's FORM_TYPE only once.
    package func fieldTypes(in registry: FormRegistry = .standard) -> (FormField) -> FieldType {
        let formType = formType
        return { self.type(of: $0, in: registry, formType) }
    }

    private func type(of field: FormField, in registry: FormRegistry, _ formType: String?) -> FieldType {
        if let type = field.type { return type }
        guard let name = field.name, kind != .form else { return .textSingle }
        if field.isNamed(FormField.formTypeName) { return .hidden }
        return formType.flatMap { registry.type(of: name, in: $0) } ?? .textSingle
    }
}

enum KnownForms {
    /// Each FORM_TYPE, and below it types with the names of their fields.
    static let table = """
        http://jabber.org/network/serverinfo
          list-multi abuse-addresses admin-addresses feedback-addresses sales-addresses security-addresses
          list-multi status-addresses support-addresses
          text-single serverinfo-pubsub-node
        http://jabber.org/protocol/admin
          jid-single accountjid peerjid
          jid-multi accountjids activeuserjids adminjids blacklistjids disableduserjids onlineuserjids registereduserjids
          jid-multi whitelistjids
          list-single delay max_items
          text-multi announcement ipaddresses motd onlineresources welcome
          text-private password password-verify
          text-single activeusersnum disabledusersnum email given_name idleusersnum lastlogin loginsperminute
          text-single onlineusersnum registeredusersnum rostersize stanzaspersecond surname
        http://jabber.org/protocol/muc#register
          boolean muc#register_allow
          text-multi muc#register_faqentry
          text-single muc#register_email muc#register_first muc#register_last muc#register_roomnick muc#register_url
        http://jabber.org/protocol/muc#request
          boolean muc#request_allow
          jid-single muc#jid
          list-single muc#role
          text-single muc#roomnick
        http://jabber.org/protocol/muc#roomconfig
          boolean muc#roomconfig_allowinvites muc#roomconfig_changesubject muc#roomconfig_enablelogging
          boolean muc#roomconfig_membersonly muc#roomconfig_moderatedroom muc#roomconfig_passwordprotectedroom
          boolean muc#roomconfig_persistentroom muc#roomconfig_publicroom
          jid-multi muc#roomconfig_roomadmins muc#roomconfig_roomowners
          list-multi muc#roomconfig_getmemberlist muc#roomconfig_presencebroadcast
          list-single muc#roomconfig_allowpm muc#roomconfig_maxusers muc#roomconfig_whois
          text-private muc#roomconfig_roomsecret
          text-single muc#maxhistoryfetch muc#roomconfig_lang muc#roomconfig_pubsub muc#roomconfig_roomdesc
          text-single muc#roomconfig_roomname
        http://jabber.org/protocol/muc#roominfo
          boolean muc#roominfo_changesubject muc#roominfo_subjectmod
          jid-multi muc#roominfo_contactjid
          text-multi muc#roominfo_avatarhash
          text-single muc#maxhistoryfetch muc#roominfo_description muc#roominfo_lang muc#roominfo_ldapgroup
          text-single muc#roominfo_logs muc#roominfo_occupants muc#roominfo_pubsub muc#roominfo_subject
        http://jabber.org/protocol/offline
          text-single number_of_messages
        http://jabber.org/protocol/pubsub#meta-data
          jid-multi pubsub#contact pubsub#owner pubsub#publisher
          jid-single pubsub#creator
          list-single pubsub#access_model pubsub#language pubsub#publish_model
          text-single pubsub#creation_date pubsub#description pubsub#max_items pubsub#num_subscribers pubsub#title
          text-single pubsub#type
        http://jabber.org/protocol/pubsub#node_config
          boolean pubsub#deliver_notifications pubsub#deliver_payloads pubsub#notify_config pubsub#notify_delete
          boolean pubsub#notify_retract pubsub#notify_sub pubsub#persist_items pubsub#presence_based_delivery
          boolean pubsub#purge_offline pubsub#subscribe pubsub#tempsub
          jid-multi pubsub#children_association_whitelist pubsub#contact
          list-multi pubsub#roster_groups_allowed
          list-single pubsub#access_model pubsub#children_association_policy pubsub#itemreply pubsub#language
          list-single pubsub#node_type pubsub#notification_type pubsub#publish_model pubsub#send_last_published_item
          text-multi pubsub#children pubsub#collection
          text-single pubsub#body_xslt pubsub#children_max pubsub#dataform_xslt pubsub#description pubsub#item_expire
          text-single pubsub#max_items pubsub#max_payload_size pubsub#title pubsub#type
        http://jabber.org/protocol/pubsub#publish-options
          boolean pubsub#deliver_notifications pubsub#deliver_payloads pubsub#persist_items
          list-multi pubsub#roster_groups_allowed
          list-single pubsub#access_model pubsub#publish_model pubsub#send_last_published_item
          text-single pubsub#item_expire pubsub#max_items pubsub#title pubsub#type
        http://jabber.org/protocol/pubsub#subscribe_authorization
          boolean pubsub#allow
          jid-single pubsub#subscriber_jid
          text-single pubsub#node pubsub#subid
        http://jabber.org/protocol/pubsub#subscribe_options
          boolean pubsub#deliver pubsub#digest pubsub#include_body
          list-multi pubsub#show-values
          list-single pubsub#subscription_depth pubsub#subscription_type
          text-single pubsub#digest_frequency pubsub#expire
        http://jabber.org/protocol/rc
          boolean auto-auth auto-files auto-msg auto-offline sounds
          list-multi files groupchats
          list-single status
          text-multi status-message
          text-single status-priority
        jabber:iq:register
          text-private password
          text-single address city date email first last misc name nick phone state text url username zip
        jabber:iq:register:cancel
          text-private password
          text-single username
        jabber:iq:register:changepassword
          text-private old_password password
          text-single username
        jabber:iq:search
          jid-single jid
          text-single email first last nick
        urn:xmpp:captcha
          hidden answers challenge from sid
          text-single SHA-256 audio_recog ocr picture_q picture_recog qa speech_q speech_recog video_q video_recog
        urn:xmpp:dataforms:softwareinfo
          text-single os os_version software software_version
        urn:xmpp:http:upload:0
          text-single max-file-size
        urn:xmpp:invite#invitation
          text-single expire landing-url uri
        urn:xmpp:mam:2
          boolean include-groupchat
          jid-single with
          list-multi ids
          text-single after-id before-id end start
        urn:xmpp:push:summary
          text-single last-message-body last-message-sender message-count pending-subscription-count
        """
}
