import org.jspecify.annotations.NullMarked;

/** Limits for the publishers of Reactor. */
@NullMarked
module dev.weir.reactor {
    requires transitive dev.weir;
    requires transitive reactor.core;
    requires transitive org.reactivestreams;
    requires static transitive org.jspecify;

    exports dev.weir.reactor;
}
