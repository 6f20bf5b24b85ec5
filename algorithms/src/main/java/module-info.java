import org.jspecify.annotations.NullMarked;

/** The algorithms: one specification and one file each. */
@NullMarked
module dev.weir.algorithms {
    requires transitive dev.weir;
    requires static transitive org.jspecify;

    exports dev.weir.algorithms;
}
