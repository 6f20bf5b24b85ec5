import org.jspecify.annotations.NullMarked;

/** Documents from a key of Redis. */
@NullMarked
module dev.weir.redis {
    requires transitive dev.weir.config;
    requires transitive lettuce.core;
    requires static transitive org.jspecify;

    exports dev.weir.redis;
}
