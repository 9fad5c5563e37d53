// Modules that need the trait depend on this one. Without the trait, its error comes before those of their imports.

#if !Playground
#error("stanza-live needs the trait 'Playground' of swift-stanza: add it to 'traits:' of the dependency")
#endif
