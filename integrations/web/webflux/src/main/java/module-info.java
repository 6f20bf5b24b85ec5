import org.jspecify.annotations.NullMarked;

/** Limits before the handlers of WebFlux. */
@NullMarked
module dev.weir.webflux {
    requires transitive dev.weir.http;
    requires transitive spring.web;
    requires transitive reactor.core;
    requires spring.core;
    requires org.reactivestreams;
    requires static transitive org.jspecify;

    exports dev.weir.webflux;
}
