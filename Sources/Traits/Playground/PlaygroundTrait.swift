// Modules that need the trait depend on this one. Without the trait, its error names the trait, before any import fails.

#if !Playground
#error("stanza-live needs the trait 'Playground' of swift-stanza: add it to 'traits:' of the dependency")
#endif
