// Modules that need the trait depend on this one, which says so in place of imports that fail.

#if !Sessions
#error("sessions need the trait 'Sessions' of swift-stanza: add it to 'traits:' of the dependency")
#endif
