import org.jspecify.annotations.NullMarked;

/** The contract of Weir and the one engine behind it. */
@NullMarked
module dev.weir {
    requires static transitive org.jspecify;

    exports dev.weir;
    exports dev.weir.spi;
    exports dev.weir.engine;
}
