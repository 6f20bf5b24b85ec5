import org.jspecify.annotations.NullMarked;

/** The algorithms, one specification and one file each, limits by key, and budgets of clients. */
@NullMarked
module dev.weir.algorithms {
    requires transitive dev.weir;
    requires com.github.benmanes.caffeine;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir.algorithms;
    exports dev.weir.budget;
    exports dev.weir.keyed;
}
