// Modules that need the trait depend on this one. Without the trait, its error comes before those of their imports.

#if !Macros
#error("macros need the trait 'Macros' of swift-stanza: add it to 'traits:' of the dependency")
#endif
