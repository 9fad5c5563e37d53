// A program that makes a connector needs the address of an account.

@_exported public import XMPPCore
