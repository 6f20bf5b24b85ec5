import org.jspecify.annotations.NullMarked;

/** Limits that Redis counts for all instances, and documents from a key of Redis. */
@NullMarked
module dev.weir.redis {
    requires transitive dev.weir.config;
    requires transitive dev.weir.distributed;
    requires transitive dev.weir.algorithms;
    requires transitive dev.weir.store.limits;
    requires transitive lettuce.core;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.weir.redis;
}
