import org.jspecify.annotations.NullMarked;

/** Limits of an application of Spring Boot, from its own configuration. */
@NullMarked
module dev.weir.spring.boot {
    requires transitive dev.weir.config;
    requires transitive dev.weir.http;
    requires spring.boot;
    requires spring.boot.autoconfigure;
    requires spring.beans;
    requires spring.context;
    requires transitive spring.core;
    requires static dev.weir.console;
    requires static dev.weir.micrometer;
    requires static spring.boot.actuator;
    requires static spring.boot.actuator.autoconfigure;
    requires static spring.web;
    requires dev.weir.servlet;
    requires dev.weir.spring;
    requires static dev.weir.webflux;
    requires static reactor.core;
    requires static org.yaml.snakeyaml;
    requires static jakarta.servlet;
    requires static transitive org.jspecify;

    exports dev.weir.spring.boot;

    opens dev.weir.spring.boot;
}
