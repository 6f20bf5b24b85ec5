import org.jspecify.annotations.NullMarked;

/** Limits that many instances share: counted by a store for all of them, or divided between them. */
@NullMarked
@SuppressWarnings("module") // The module of the qualified export is compiled later.
module dev.weir.distributed {
    requires transitive dev.weir;
    requires com.github.benmanes.caffeine;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir.share;
    exports dev.weir.store;
    exports dev.weir.store.state;
    exports dev.weir.store.internal to
            dev.weir.redis,
            dev.weir.store.limits;
}
