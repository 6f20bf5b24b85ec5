import org.jspecify.annotations.NullMarked;

/** Limits that many instances share: counted by a store for all of them, or divided between them. */
@NullMarked
module dev.weir.distributed {
    requires transitive dev.weir;
    requires com.github.benmanes.caffeine;
    requires static transitive org.jspecify;

    exports dev.weir.distributed;
    exports dev.weir.distributed.remote;
}
