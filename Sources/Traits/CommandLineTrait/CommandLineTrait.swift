// Modules that need the trait depend on this one. Without the trait, its error comes before those of their imports.

#if !CommandLine
#error("the command stanza needs the trait 'CommandLine' of swift-stanza: add it to 'traits:' of the dependency")
#endif
