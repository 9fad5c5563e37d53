// Modules that need the trait depend on this one, which says so in place of imports that fail.

#if !Playground
#error("stanza-live needs the trait 'Playground' of swift-stanza: add it to 'traits:' of the dependency")
#endif
