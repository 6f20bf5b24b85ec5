package dev.weir.spring.boot;

import dev.weir.http.ClientAddress;
import dev.weir.http.HttpRequest;
import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.named.Names;
import dev.weir.named.plan.Nearest;
import dev.weir.spring.boot.WebProperties.RouteProperties;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A reader of routes from properties. What is wrong is the failure of a property. */
record RouteReader(
        Names names, WebProperties properties, @Nullable ClientAddress clients, Map<String, RequestKey> beans) {
    private static final String WEB = "weir.web.";

    Routes routes() {
        Routes.Builder all = builder();
        List<RouteProperties> routes = properties.routes();
        if (routes.isEmpty()) {
            throw new ConfigurationFailure(
                    WEB + "routes", "must have a route: without one nothing is limited; give one, or remove weir.web");
        }
        for (int i = 0; i < routes.size(); i++) {
            String property = WEB + "routes[" + i + "]";
            RouteProperties given = routes.get(i);
            checkNames(property, given);
            Route route = checked(
                    property + ".path",
                    () -> Route.of(String.valueOf(given.path()), given.limits().toArray(String[]::new)));
            Route costing = costing(property, route, given.cost());
            // Alone, so that what is wrong is known to be in this one.
            Routes ignored =
                    checked(property + ".limits", () -> builder().route(costing).build());
            all.route(costing);
        }
        return all.build();
    }

    private void checkNames(String property, RouteProperties given) {
        List<String> limits = given.limits();
        for (int i = 0; i < limits.size(); i++) {
            String limit = limits.get(i);
            Object ignored = checked(property + ".limits[" + i + "]", () -> names.limiter(limit));
        }
    }

    private static Route costing(String property, Route route, Map<String, Long> cost) {
        Route costing = route;
        for (Map.Entry<String, Long> each : cost.entrySet()) {
            Route before = costing;
            costing = checked(property + ".cost", () -> before.costing(each.getKey(), each.getValue()));
        }
        return costing;
    }

    private Routes.Builder builder() {
        Routes.Builder builder = Routes.builder(names)
                .tellGranted(properties.fields())
                .problems(properties.problems())
                .clients(addresses());
        beans.forEach((name, key) -> builder.key(name, key::of));
        properties.keys().forEach((name, text) -> builder.key(name, key(name, text)));
        List<String> exempt = properties.exempt();
        for (int i = 0; i < exempt.size(); i++) {
            String path = exempt.get(i);
            Object ignored = checked(WEB + "exempt[" + i + "]", () -> builder.exempt(path));
        }
        if (properties.legacy() != null) {
            builder.legacy(properties.legacy());
        }
        if (properties.challenge() != null) {
            builder.challenge(properties.challenge());
        }
        return builder;
    }

    private ClientAddress addresses() {
        List<String> proxies = properties.proxies();
        if (clients != null && !proxies.isEmpty()) {
            throw new ConfigurationFailure(
                    WEB + "proxies", "must not be given beside a bean that is a ClientAddress; remove one of them");
        }
        if (clients != null || proxies.isEmpty()) {
            return clients == null ? ClientAddress.ofPeer() : clients;
        }
        return checked(
                WEB + "proxies",
                () -> proxies.size() == 1 && proxies.get(0).matches("-?[0-9]{1,9}")
                        ? ClientAddress.behind(Integer.parseInt(proxies.get(0)))
                        : ClientAddress.behind(proxies.toArray(String[]::new)));
    }

    private Function<HttpRequest, @Nullable String> key(String name, String text) {
        String property = WEB + "keys." + name;
        if (beans.containsKey(name)) {
            throw new ConfigurationFailure(
                    property, "must not be given beside a bean of this name; remove one of them");
        }
        int colon = text.indexOf(':');
        String kind = colon < 0 ? text : text.substring(0, colon);
        String field = text.substring(colon + 1).strip();
        if (colon < 0 || field.isEmpty()) {
            throw new ConfigurationFailure(property, "must be header:NAME or cookie:NAME, was \"" + text + "\"");
        }
        return switch (kind) {
            case "header" ->
                request -> request.header(field).stream().findFirst().orElse(null);
            case "cookie" -> request -> cookie(request, field);
            default ->
                throw new ConfigurationFailure(
                        property,
                        "must be header:NAME or cookie:NAME, was \"" + text + "\""
                                + Nearest.to(kind, List.of("header", "cookie")));
        };
    }

    private static @Nullable String cookie(HttpRequest request, String name) {
        for (String line : request.header("Cookie")) {
            for (String pair : line.split(";", -1)) {
                int equals = pair.indexOf('=');
                if (equals > 0 && pair.substring(0, equals).strip().equals(name)) {
                    return pair.substring(equals + 1).strip();
                }
            }
        }
        return null;
    }

    private static <T> T checked(String property, Supplier<T> making) {
        try {
            return making.get();
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new ConfigurationFailure(property, "cannot be used: " + e.getMessage());
        }
    }
}
