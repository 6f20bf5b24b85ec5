package dev.weir.spring.boot;

import dev.weir.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * A bean that gives what a limit counts by. Its name is the name of the key, as documents have it:
 *
 * <pre>{@code
 * @Bean
 * RequestKey tenant() {
 *     return request -> request.header("X-Tenant").stream().findFirst().orElse(null);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface RequestKey {
    /** The value of a request; null or empty = it has none. Must not block. What it throws counts as none. */
    @Nullable
    String of(HttpRequest request);
}
