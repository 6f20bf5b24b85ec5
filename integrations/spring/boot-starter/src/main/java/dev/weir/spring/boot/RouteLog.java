package dev.weir.spring.boot;

import dev.weir.http.ClientAddress;
import dev.weir.http.HttpRequest;
import dev.weir.http.LimitedRequest;
import dev.weir.http.Routes;
import dev.weir.named.Names;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** The lines of the log that tell at the start which limits there are, and what is probably not meant. */
final class RouteLog {
    private static final String HEALTH = "/health";
    private static final System.Logger LOG = System.getLogger(Routes.class.getName());

    private RouteLog() {}

    /** One line: {@code "limits: checkout, mail; no route names mail, code or @Limited may"}. */
    static void tellUnnamed(Names names, @Nullable Routes routes) {
        Set<String> unnamed = new TreeSet<>(names.names());
        String all = unnamed.isEmpty() ? "none, neither in a document nor in code so far" : String.join(", ", unnamed);
        if (routes != null) {
            routes.routes().forEach(route -> unnamed.removeAll(route.limits()));
        }
        LOG.log(
                Level.INFO,
                "limits: " + all
                        + (unnamed.isEmpty()
                                ? ""
                                : "; no route names " + String.join(", ", unnamed) + ", code or @Limited may"));
    }

    /** Warns of a probe of health that a limit may refuse, which would have the instance restarted under load. */
    static void warnOfHealth(Routes routes, Environment environment) {
        String path = environment.getProperty("management.endpoints.web.base-path", "/actuator") + HEALTH;
        boolean isElsewhere = environment.containsProperty("management.server.port");
        LimitedRequest limited = isElsewhere ? null : routes.limited(new Probe(path));
        if (limited != null) {
            LOG.log(
                    Level.WARNING,
                    "Requests to " + path + " are limited by the route "
                            + limited.route().path()
                            + ", so that probes may be refused; to let them pass, write weir.web.exempt: " + path
                            + "/**");
        }
    }

    /** Warns of limits by the address of the client where the server takes that from a header; null = by the peer it tells. */
    static void warnOfAddresses(Routes routes, Names names, @Nullable ClientAddress clients) {
        List<String> byAddress = routes.routes().stream()
                .flatMap(route -> route.limits().stream())
                .distinct()
                .filter(limit -> names.limiter(limit).dimensions().contains("ip"))
                .toList();
        if (clients == null && !byAddress.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "Limits by ip take the address that the server or Spring reads from X-Forwarded-For, which clients may"
                            + " invent if it trusts more than your proxies: " + String.join(", ", byAddress)
                            + "; safe: server.forward-headers-strategy: none, and weir.web.proxies");
        }
    }

    private record Probe(String path) implements HttpRequest {
        @Override
        public String method() {
            return "GET";
        }

        @Override
        public List<String> header(String name) {
            return List.of();
        }

        @Override
        public @Nullable String peer() {
            return null;
        }

        @Override
        public @Nullable String user() {
            return null;
        }
    }
}
