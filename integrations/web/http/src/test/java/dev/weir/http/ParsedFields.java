package dev.weir.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one response, read as a client reads them: the lists by a parser of structured fields that is not ours.
 *
 * @param texts by the name of the field
 * @param policies the parameters of {@code RateLimit-Policy} by the name of the policy, as the field has it
 * @param limits those of {@code RateLimit}
 */
record ParsedFields(
        Map<String, String> texts, Map<String, Map<String, Object>> policies, Map<String, Map<String, Object>> limits) {

    static ParsedFields of(RateLimitFields fields, Request request, Decision decision) {
        Map<String, String> texts = new TreeMap<>();
        fields.write(request, decision, (name, value) -> assertNull(texts.put(name, value), name));
        ParsedFields parsed = new ParsedFields(
                texts,
                list(texts.get("RateLimit-Policy"), "q", Set.of("w", "qu")),
                list(texts.get("RateLimit"), "r", Set.of("t")));
        parsed.policies.forEach((name, figures) -> assertTrue(isPolicy(figures), texts::toString));
        assertTrue(parsed.policies.keySet().containsAll(parsed.limits.keySet()), texts::toString);
        texts.forEach((name, value) -> {
            if (!name.startsWith("RateLimit")) {
                assertTrue(value.matches("0|[1-9][0-9]*"), texts::toString);
            }
        });
        return parsed;
    }

    /** The permit of a limiter that asks a store, with these figures; null = it has none. */
    static Permit permit(@Nullable Quota quota) {
        return new Permit() {
            @Override
            public boolean release(Outcome outcome) {
                return true;
            }

            @Override
            public @Nullable Quota quota() {
                return quota;
            }
        };
    }

    private static boolean isPolicy(Map<String, Object> figures) {
        Object unit = figures.get("qu");
        return unit == null
                ? (Long) figures.getOrDefault("w", 1L) > 0
                : unit.equals("concurrent-requests") && !figures.containsKey("w");
    }

    private static Map<String, Map<String, Object>> list(String text, String required, Set<String> optional) {
        Map<String, Map<String, Object>> all = new LinkedHashMap<>();
        if (text == null) {
            return all;
        }
        for (ListElement<?> each : Parser.parseList(text).get()) {
            assertTrue(each instanceof StringItem, text);
            Map<String, Object> figures = new LinkedHashMap<>();
            each.getParams().forEach((name, value) -> {
                assertTrue(name.equals(required) || optional.contains(name), text);
                assertTrue(name.equals("qu") ? value instanceof StringItem : value instanceof IntegerItem, text);
                assertTrue(!(value instanceof IntegerItem number) || number.getAsLong() >= 0, text);
                figures.put(name, value.get());
            });
            assertTrue(figures.containsKey(required), text);
            assertNull(all.put(((StringItem) each).get(), figures), text);
        }
        assertTrue(!all.isEmpty(), "an empty list has no field");
        return all;
    }

    /** What is left of this policy. */
    long left(String policy) {
        return (Long) limits.get(policy).get("r");
    }

    /** The bytes that a name of a policy stands for, as UTF-8. */
    static String decoded(String name) {
        byte[] bytes = new byte[name.length()];
        int count = 0;
        for (int i = 0; i < name.length(); i++) {
            boolean isEncoded = name.charAt(i) == '%';
            bytes[count++] =
                    isEncoded ? (byte) Integer.parseInt(name.substring(i + 1, i + 3), 16) : (byte) name.charAt(i);
            i += isEncoded ? 2 : 0;
        }
        return new String(bytes, 0, count, StandardCharsets.UTF_8);
    }

    /** Fails unless these policies, and no others, are told, each with so many permits left. */
    void assertLeft(Map<String, Long> expected) {
        Map<String, Long> left = new LinkedHashMap<>();
        limits.keySet().forEach(name -> left.put(name, left(name)));
        assertEquals(expected, left, texts::toString);
        assertEquals(expected.keySet(), policies.keySet(), texts::toString);
    }
}
