import org.jspecify.annotations.NullMarked;

/** The algorithms, one specification and one file each, and limits by key. */
@NullMarked
module dev.weir.algorithms {
    requires transitive dev.weir;
    requires com.github.benmanes.caffeine;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir.algorithms;
    exports dev.weir.keyed;
}
