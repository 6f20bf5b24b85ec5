package dev.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.keyed.Dimensions;
import dev.weir.keyed.KeyValues;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KeyNameTest {
    private static final KeyName LOGIN = KeyName.of("limit", "login");

    private static String name(KeyName names, @Nullable Object key) {
        return new String(Objects.requireNonNull(names.of(key)), US_ASCII);
    }

    static Stream<Arguments> names() {
        return Stream.of(
                Arguments.of(null, "{weir:limit:login}"),
                Arguments.of("", "{weir:limit:login:s:}"),
                Arguments.of("alice", "{weir:limit:login:s:alice}"),
                Arguments.of("a@b.org", "{weir:limit:login:s:a@b.org}"),
                Arguments.of("2001:db8::1", "{weir:limit:login:s:2001:db8::1}"),
                Arguments.of("}x", "{weir:limit:login:s:%7Dx}"),
                Arguments.of("{7}", "{weir:limit:login:s:%7B7%7D}"),
                Arguments.of("\0\r\n%", "{weir:limit:login:s:%00%0D%0A%25}"),
                Arguments.of("\u00e9\u20ac", "{weir:limit:login:s:%C3%A9%E2%82%AC}"),
                Arguments.of("\uD83D\uDE00", "{weir:limit:login:s:%F0%9F%98%80}"),
                Arguments.of("\uD83D", "{weir:limit:login:s:%ED%A0%BD}"),
                Arguments.of("\uDE00\uD83D", "{weir:limit:login:s:%ED%B8%80%ED%A0%BD}"),
                Arguments.of(KeyValues.of("GET", "/pay"), "{weir:limit:login:d:GET|/pay}"),
                Arguments.of(KeyValues.of("a|b", ""), "{weir:limit:login:d:a%7Cb|}"),
                Arguments.of(Dimensions.of("b", "/pay", "a", "GET"), "{weir:limit:login:n:a|GET|b|/pay}"),
                Arguments.of(Dimensions.of("b|", "x", "a", ""), "{weir:limit:login:n:a||b%7C|x}"),
                Arguments.of(7, "{weir:limit:login:i:7}"),
                Arguments.of(-7L, "{weir:limit:login:l:-7}"),
                Arguments.of((short) 7, "{weir:limit:login:h:7}"),
                Arguments.of((byte) 7, "{weir:limit:login:b:7}"),
                Arguments.of(BigInteger.TEN, "{weir:limit:login:I:10}"),
                Arguments.of(new BigDecimal("1.0"), "{weir:limit:login:D:1.0}"),
                Arguments.of(0.5, "{weir:limit:login:f:0x1.0p-1}"),
                Arguments.of(0.5F, "{weir:limit:login:F:0x1.0p-1}"),
                Arguments.of(true, "{weir:limit:login:z:true}"),
                Arguments.of('7', "{weir:limit:login:c:7}"),
                Arguments.of(new UUID(1, 2), "{weir:limit:login:u:00000000-0000-0001-0000-000000000002}"),
                Arguments.of(TimeUnit.DAYS, "{weir:limit:login:e:java.util.concurrent.TimeUnit|DAYS}"));
    }

    @ParameterizedTest
    @MethodSource("names")
    void D9_aShortKeyCanBeRead(@Nullable Object key, String expected) {
        assertEquals(expected, name(LOGIN, key));
    }

    @Test
    void D9_aLongKeyIsHashed() {
        assertEquals("{weir:limit:login:s:" + "x".repeat(107) + '}', name(LOGIN, "x".repeat(107)));
        String hashed = name(LOGIN, "x".repeat(108));
        assertTrue(hashed.matches("\\{weir:limit:login#[\\w-]{43}}"), hashed);
        assertEquals(hashed.length(), name(LOGIN, "x".repeat(1 << 20)).length());
        assertNotEquals(name(LOGIN, "x".repeat(1 << 20)), name(LOGIN, "x".repeat((1 << 20) - 1)));
    }

    @Test
    void D9_stringsOfAHashedKeyAreNotJoined() {
        String half = "x".repeat(100);
        assertNotEquals(name(LOGIN, KeyValues.of(half, half)), name(LOGIN, KeyValues.of(half + half)));
        assertNotEquals(name(LOGIN, KeyValues.of(half + "x", half)), name(LOGIN, KeyValues.of(half, "x" + half)));
    }

    @Test
    void D9_aHashedKeyKeepsSurrogatesWithoutTheirOtherHalf() {
        String half = "x".repeat(200);
        assertNotEquals(name(LOGIN, half + '\uD83D'), name(LOGIN, half + '\uD83E'));
        assertNotEquals(name(LOGIN, half + '\uD83D'), name(LOGIN, half + '?'));
    }

    @Test
    void D9_aKeyCannotHaveTheNameOfAHashedOne() {
        String hashed = name(LOGIN, "x".repeat(200));
        String forged = hashed.substring("{weir:limit:login".length(), hashed.length() - 1);
        assertTrue(name(LOGIN, forged).startsWith("{weir:limit:login:s:%23"), forged);
        assertNotEquals(hashed, name(KeyName.of("limit", "login" + forged), null));
    }

    @Test
    void D9_theKindAndTheLimiterAreInTheName() {
        assertEquals("{weir:semaphore:login}", name(KeyName.of("semaphore", "login"), null));
        assertEquals("{weir:limit:a%3Ab:s:c}", name(KeyName.of("limit", "a:b"), "c"));
        assertEquals("{weir:limit:a:s:b:s:c}", name(KeyName.of("limit", "a"), "b:s:c"));
    }

    @Test
    void D9_theLongestNamesFit() {
        KeyName hashed = KeyName.of("semaphore", "\u20ac".repeat(100));
        String readable = name(hashed, "k");
        assertTrue(readable.matches("\\{weir:semaphore:#[\\w-]{43}:s:k}"), readable);
        String both = name(hashed, "k".repeat(128));
        assertTrue(both.matches("\\{weir:semaphore:#[\\w-]{43}#[\\w-]{43}}"), both);
        String longest = name(KeyName.of("semaphore", "n".repeat(64)), "k".repeat(128));
        assertEquals(125, longest.length());
        assertTrue(longest.endsWith("}"));
    }

    @Test
    void D9_keysWithoutTheSameTextInEachProcessHaveNoName() {
        assertNull(LOGIN.of(new byte[] {7}));
        assertNull(LOGIN.of(new Object()));
        assertNull(LOGIN.of(new AtomicLong(7)));
        assertNull(LOGIN.of(new StringBuilder("7")));
        assertNull(LOGIN.of(new HostileNumber()));
    }

    private static final class HostileNumber extends BigInteger {
        private static final long serialVersionUID = 1;

        HostileNumber() {
            super("7");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("toString of a foreign class");
        }
    }

    @Test
    void aLimiterHasAName() {
        Exception e = assertThrows(IllegalArgumentException.class, () -> KeyName.of("limit", ""));
        assertEquals("name must not be empty", e.getMessage());
    }
}
