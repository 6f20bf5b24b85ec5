package dev.weir.store.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StateNamesTest {
    @Test
    void aNameIsReadable() {
        assertEquals("weir:limit:login:s:alice", new StateNames("limit", "login").of("s:alice"));
    }

    @Test
    void differentLimitsAndTextsHaveDifferentNamesThatEachStoreCanKeep() {
        List<String> limits = List.of(
                "a",
                "a:b",
                "a%3Ab",
                "a#b",
                "a%23b",
                "#",
                "%",
                "A",
                "a ",
                "\0",
                "\ud800",
                "\udc00",
                "x".repeat(100),
                "x".repeat(101),
                ":".repeat(34),
                "\u00e9",
                "e\u0301");
        List<String> texts = List.of(
                "",
                "a",
                "b:a",
                "a ",
                "A",
                "\0",
                "a\0",
                "\ud800",
                "\udc00",
                "\udc00\ud800",
                "\ud83d\ude00",
                "#",
                "x".repeat(300),
                "x".repeat(301),
                "\u00e9",
                "e\u0301",
                "%");
        Map<String, String> seen = new HashMap<>();
        for (String limit : limits) {
            for (String text : texts) {
                String name = new StateNames("limit", limit).of(text);
                String what = limit + " / " + text;
                assertTrue(name.length() <= StateStore.LONGEST_NAME && name.indexOf(0) < 0, what);
                assertTrue(StandardCharsets.UTF_8.newEncoder().canEncode(name), what);
                String other = seen.put(name, what);
                assertEquals(null, other, () -> what + " as " + other);
            }
        }
    }
}
