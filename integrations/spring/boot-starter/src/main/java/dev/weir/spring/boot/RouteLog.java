package dev.weir.spring.boot;

import dev.weir.http.Route;
import dev.weir.http.Routes;
import dev.weir.named.Names;
import java.lang.System.Logger.Level;
import java.util.stream.Collectors;

/** The lines of the log that tell at the start which requests are limited by what. */
final class RouteLog {
    private RouteLog() {}

    /** One line for each route: {@code "limits of POST /orders: checkout (concurrency 20)"}. */
    static void tell(Routes routes, Names names) {
        System.Logger log = System.getLogger(Routes.class.getName());
        routes.routes().forEach(route -> log.log(Level.INFO, line(route, names)));
    }

    private static String line(Route route, Names names) {
        return route.costs().entrySet().stream()
                .map(each -> each.getKey() + " (" + names.explain(each.getKey()).settings()
                        + (each.getValue() == 1 ? "" : ", costs " + each.getValue()) + ")")
                .collect(Collectors.joining(", ", "limits of " + route.path() + ": ", ""));
    }
}
