import org.jspecify.annotations.NullMarked;

/** Limits of methods of Spring beans, by an annotation. */
@NullMarked
module dev.weir.spring {
    requires transitive dev.weir;
    requires transitive dev.weir.named;
    requires dev.weir.http;
    requires transitive spring.context;
    requires spring.aop;
    requires spring.beans;
    requires spring.core;
    requires spring.expression;
    requires static dev.weir.reactor;
    requires static jakarta.servlet;
    requires static org.reactivestreams;
    requires static reactor.core;
    requires static spring.web;
    requires static spring.webflux;
    requires static spring.webmvc;
    requires static transitive org.jspecify;

    exports dev.weir.spring;

    opens dev.weir.spring to
            spring.beans,
            spring.context,
            spring.core;
}
