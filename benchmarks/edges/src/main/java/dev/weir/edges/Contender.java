package dev.weir.edges;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * A server with one limit before its work.
 *
 * @param product whose the limit is
 * @param limit null = none
 * @param fields whether clients are told what is left
 * @param beans adds the limit, and the work
 * @param properties those of its starter
 */
record Contender(
        String product,
        @Nullable Limit limit,
        boolean fields,
        Consumer<GenericApplicationContext> beans,
        Map<String, Object> properties) {
    private static final Map<String, Object> ALL = Map.of(
            "server.port", "0",
            "server.tomcat.max-keep-alive-requests", "-1",
            "logging.level.root", "WARN",
            "spring.main.lazy-initialization", "false");

    ServletWebServerApplicationContext started() {
        Map<String, Object> together = new LinkedHashMap<>(ALL);
        together.putIfAbsent("bucket4j.enabled", "false");
        together.putAll(properties);
        return (ServletWebServerApplicationContext) new SpringApplicationBuilder(Server.class)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(together)
                .initializers(context -> beans.accept((GenericApplicationContext) context))
                .run();
    }
}
