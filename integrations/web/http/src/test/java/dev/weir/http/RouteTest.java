package dev.weir.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RouteTest {
    private static void assertRefused(String message, Runnable made) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, made::run).getMessage());
    }

    @Test
    void theLimitsKeepTheirOrderAndCostOne() {
        Route route = Route.of("/orders", "checkout", "clients", "checkout");
        assertEquals(List.of("checkout", "clients"), route.limits());
        assertEquals(Map.of("checkout", 1L, "clients", 1L), route.costs());
        assertEquals(
                Map.of("checkout", 1L, "clients", 5L),
                route.costing("clients", 5).costs());
        assertEquals(
                List.of("checkout", "clients"), route.costing("checkout", 2).limits());
    }

    @Test
    void theMethodIsBeforeThePath() {
        assertNull(Route.of("/orders", "a").pattern().method());
        assertEquals("POST", Route.of("POST /orders", "a").pattern().method());
        assertEquals("POST /orders", Route.of("POST /orders", "a").pattern().toString());
    }

    @Test
    void wrongOnesAreRefused() {
        assertRefused("limits of the route /orders must be >= 1, were 0", () -> Route.of("/orders"));
        assertRefused(
                "cost of a on the route / must be >= 1, was 0",
                () -> Route.of("/", "a").costing("a", 0));
        assertRefused(
                "limit must be one of [a], was b", () -> Route.of("/", "a").costing("b", 2));
        assertRefused(
                "method of the route post /orders must be one of "
                        + "[CONNECT, DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, TRACE]",
                () -> Route.of("post /orders", "a"));
        assertRefused("path must start with /, was orders", () -> Route.of("GET orders", "a"));
    }
}
