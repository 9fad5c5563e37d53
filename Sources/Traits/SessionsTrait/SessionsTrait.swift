// Modules that need the trait depend on this one. Without the trait, its error comes before those of their imports.

#if !Sessions
#error("sessions need the trait 'Sessions' of swift-stanza: add it to 'traits:' of the dependency")
#endif
