import org.jspecify.annotations.NullMarked;

/** The contract of Weir: for callers, for extenders, and the engine that owners create limiters with. */
@NullMarked
@SuppressWarnings("module") // The two modules of the qualified export are compiled later.
module dev.weir {
    requires static transitive org.jspecify;

    exports dev.weir;
    exports dev.weir.spi;
    exports dev.weir.engine;
    exports dev.weir.succession to
            dev.weir.adaptive,
            dev.weir.algorithms;
}
