package dev.weir.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PathPatternTest {
    private static void assertMatches(boolean expected, String pattern, String... paths) {
        for (String path : paths) {
            assertEquals(expected, PathPattern.of(pattern).matches(path), pattern + " and " + path);
        }
    }

    @Test
    void aTextIsItself() {
        assertMatches(true, "/orders", "/orders");
        assertMatches(false, "/orders", "/", "/order", "/orders2", "/Orders", "/orders/1", "/a/orders", "/orders;x=1");
        assertMatches(true, "/", "/", "");
        assertMatches(false, "/", "/orders");
    }

    @Test
    void emptySegmentsDoNotCount() {
        assertMatches(true, "/orders/open", "/orders/open/", "//orders///open", "/orders//open//");
        assertMatches(true, "//orders/", "/orders");
    }

    @Test
    void aStarIsOneSegment() {
        assertMatches(true, "/orders/*/lines", "/orders/1/lines", "/orders/x y/lines");
        assertMatches(false, "/orders/*/lines", "/orders/lines", "/orders//lines", "/orders/1/2/lines");
    }

    @Test
    void twoStarsAreAllTheRestAndNone() {
        assertMatches(true, "/orders/**", "/orders", "/orders/", "/orders/1", "/orders/1/2/3");
        assertMatches(false, "/orders/**", "/", "/ordersX", "/other");
        assertMatches(true, "/**", "/", "", "/a", "/a/b");
    }

    @Test
    void aSegmentWithANameIsRead() {
        PathPattern pattern = PathPattern.of("/shops/{shop}/orders/{order}/**");
        assertEquals(Set.of("shop", "order"), pattern.names());
        assertEquals("north", pattern.segment("//shops/north/orders/7", "shop"));
        assertEquals("7", pattern.segment("/shops/north/orders/7/lines", "order"));
        assertNull(pattern.segment("/shops/north/orders/7", "tenant"));
        assertNull(pattern.segment("/shops/north", "shop"));
    }

    @Test
    void whatIsNoPatternIsRefusedWithTheRule() {
        assertRefused("path must start with /, was orders", "orders");
        assertRefused("path must start with /, was ", "");
        for (String wrong : List.of("/a**", "/**/a", "/a*", "/{a", "/a}", "/{}", "/{a b}", "/a?b", "/a;b", "/a#b")) {
            assertRefused(
                    "path must have *, {name} or a text between slashes, and ** only at its end, was " + wrong, wrong);
        }
        assertRefused("path must have each {name} once, was /{a}/{a}", "/{a}/{a}");
    }

    private static void assertRefused(String message, String pattern) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> PathPattern.of(pattern))
                        .getMessage());
    }
}
