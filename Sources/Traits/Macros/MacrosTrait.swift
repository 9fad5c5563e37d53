// Modules that need the trait depend on this one, which says so in place of imports that fail.

#if !Macros
#error("macros need the trait 'Macros' of swift-stanza: add it to 'traits:' of the dependency")
#endif
