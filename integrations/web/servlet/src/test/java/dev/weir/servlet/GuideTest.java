package dev.weir.servlet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ResourceSource;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** The code of the page about HTTP compiles, and its routes can be built. */
class GuideTest {
    private static Routes added(LimiterRegistry registry, ServletContext context) {
        // #region servlet
        Routes routes = Routes.builder(registry.names())
                .route(Route.of("POST /orders", "checkout", "per-client"))
                .route(Route.of("/shops/{shop}/**", "per-client"))
                .exempt("/health")
                .build();
        FilterRegistration.Dynamic limits = context.addFilter("limits", new WeirFilter(routes));
        limits.setAsyncSupported(true);
        limits.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), false, "/*");
        // #endregion servlet
        return routes;
    }

    private static <T> T of(Class<T> type, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, given) -> method.getReturnType().isInstance(answer) ? answer : null));
    }

    @Test
    void theLogHasEachRouteOfThePageOnce() {
        Logger log = Logger.getLogger(WeirFilter.class.getName());
        List<String> lines = new ArrayList<>();
        log.setFilter(line -> !lines.add(line.getMessage()));
        try (LimiterRegistry registry = LimiterRegistry.of(ResourceSource.of(GuideTest.class, "guide.yaml"))) {
            FilterRegistration.Dynamic registration = of(FilterRegistration.Dynamic.class, "");
            new WeirFilter(added(registry, of(ServletContext.class, registration))).init(of(FilterConfig.class, ""));
            assertEquals(
                    List.of(
                            "POST /orders: checkout (concurrency 20), per-client (key ip, rate 100/s)",
                            "/shops/{shop}/**: per-client (key ip, rate 100/s)",
                            "exempt: /health"),
                    lines);
        } finally {
            log.setFilter(null);
        }
    }
}
