package dev.weir.spring.boot;

import dev.weir.http.RateLimitFields.Reset;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code weir.web}: which limits requests must pass.
 *
 * @param routes the first that fits a request is its route
 * @param exempt paths that need not pass
 * @param proxies how many proxies all requests pass, or the networks of those that are trusted
 * @param keys by name {@code header:NAME} or {@code cookie:NAME}
 * @param fields whether requests that were granted are told what is left
 * @param legacy what {@code X-RateLimit-Reset} counts; null = these fields are not written
 * @param problems whether each rejection has a body
 * @param challenge of a 401, such as {@code Bearer}; null = 400
 * @param order of the filter
 */
@ConfigurationProperties(prefix = "weir.web", ignoreUnknownFields = false)
record WebProperties(
        @DefaultValue List<RouteProperties> routes,
        @DefaultValue List<String> exempt,
        @DefaultValue List<String> proxies,
        @DefaultValue Map<String, String> keys,
        @DefaultValue("true") boolean fields,
        @Nullable Reset legacy,
        @DefaultValue("false") boolean problems,
        @Nullable String challenge,
        @DefaultValue("-99") int order) {
    WebProperties {
        boolean isGiven =
                !exempt.isEmpty() || !proxies.isEmpty() || !keys.isEmpty() || legacy != null || challenge != null;
        if (routes.isEmpty() && isGiven) {
            throw new IllegalArgumentException("routes must be given; without a route nothing is limited");
        }
        if (challenge != null && challenge.isBlank()) {
            throw new IllegalArgumentException("challenge must not be blank; such as Bearer");
        }
    }

    /**
     * A route.
     *
     * @param path such as {@code POST /orders/**}
     * @param limits the names of its limits, at least one
     * @param cost the permits that a request costs of a limit, by name, if not one
     */
    record RouteProperties(
            @Nullable String path,
            @DefaultValue List<String> limits,
            @DefaultValue Map<String, Long> cost) {
        RouteProperties {
            if (path == null || path.isBlank()) {
                throw new IllegalArgumentException("path must be given; /** = all requests");
            }
            if (limits.isEmpty()) {
                throw new IllegalArgumentException("limits must be given; name those that requests must pass");
            }
        }
    }
}
