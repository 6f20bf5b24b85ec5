package dev.weir.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.http.RateLimitFields.Reset;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;
import org.greenbytes.http.sfv.TokenItem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** What responses of servers say of how long to send nothing. */
@Tag("property")
class ReceivedFieldsTest {
    /** A Friday. */
    private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");

    private static final Duration DAY = Duration.ofDays(1);
    private static final ReceivedFields READER = ReceivedFields.of(DAY, InstantSource.fixed(NOW));

    private static final List<String> SEEDS = List.of(
            "\"default\";r=0;t=12",
            "\"a\";r=0;t=12, \"b\";r=7;t=30;pk=:cGs=:, c;x;y=?1;z=-1.25;q=tok/en",
            "\"q\\\"\\\\\";r=0;t=999999999999999",
            "(\"in\" ner;a=1);r=0, *t;r=0;t=3",
            "limit=100, remaining=0, reset=12",
            "limit=100;w=60, remaining=-1, reset=12;x, y, *z=(1 2);q=\"s\"",
            "5, 10",
            "120",
            "Fri, 27 Nov 2026 12:01:30 GMT",
            "Friday, 27-Nov-26 12:01:30 GMT",
            "Fri Nov  7 12:01:30 2026",
            "6m0s",
            "1h2m3.5s",
            "17ms",
            "1795782600",
            "1795780842500",
            "2026-11-27T14:00:44+02:00",
            "0");
    private static final List<String> NAMES = List.of(
            "Date",
            "Retry-After",
            "retry-after-ms",
            "RateLimit",
            "RateLimit-Policy",
            "RateLimit-Remaining",
            "RateLimit-Reset",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
            "x-ratelimit-remaining-tokens",
            "x-ratelimit-reset-tokens",
            "anthropic-ratelimit-requests-remaining",
            "anthropic-ratelimit-requests-reset");
    private static final String SYNTAX = "\";=,:?()*-.\\ \t0123456789smhTZrtGMT@%";

    private static Duration read(int status, Map<String, String> fields) {
        Map<String, String> anyCase = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        anyCase.putAll(fields);
        return READER.retryAfter(status, anyCase::get);
    }

    /** Worked by hand, from the documents of providers and the RFCs. */
    @ParameterizedTest
    @CsvFileSource(resources = "/received-fields.txt", delimiter = '>', quoteCharacter = '~')
    void whatServersSay(int status, String response, String expected) {
        Map<String, String> fields = new TreeMap<>();
        for (String line : response.split(" \\| ", -1)) {
            String[] field = line.split(": ", 2);
            fields.put(field[0], field[1]);
        }
        assertEquals(Duration.parse(expected), read(status, fields), response);
    }

    @Test
    void itReadsWhatIsWritten() {
        for (Reset reset : Reset.values()) {
            ManagedLimiter limiter = Limiters.builder("api", TokenBucket.of(1, Duration.ofMinutes(5)))
                    .ticker(new VirtualTime())
                    .build();
            RateLimitFields writer = RateLimitFields.builder()
                    .limiter(limiter)
                    .legacy(reset, InstantSource.fixed(NOW))
                    .random(() -> 0)
                    .build();
            Map<String, String> written = new TreeMap<>();
            writer.write(limiter.tryAcquire(), (name, value) -> {});
            Rejection refused = (Rejection) limiter.tryAcquire();
            assertEquals(Reason.RATE, refused.reason());
            writer.write(refused, written::put);
            Duration wait = Duration.ofMinutes(5);
            assertEquals(wait, read(429, written), written::toString);
            written.remove("Retry-After");
            assertEquals(wait, read(429, written), written::toString);
            written.remove("RateLimit");
            assertEquals(wait, read(429, written), written::toString);
        }
    }

    @Test
    void aValueThatIsTooLongIsIgnored() {
        assertEquals(Duration.ofSeconds(1), read(429, Map.of("Retry-After", "0".repeat(63) + "1")));
        assertEquals(Duration.ZERO, read(429, Map.of("Retry-After", "0".repeat(256) + "1")));
        String others = ", \"o\";r=1".repeat(400);
        assertEquals(Duration.ofSeconds(9), read(429, Map.of("RateLimit", "\"a\";r=0;t=9" + others)));
        assertEquals(Duration.ZERO, read(429, Map.of("RateLimit", "\"a\";r=0;t=9" + others + others)));
    }

    @Test
    void aFunctionThatThrowsHasNoSuchField() {
        Duration wait = READER.retryAfter(429, name -> {
            if (name.equals("Retry-After")) {
                return "7";
            }
            throw new IllegalStateException("of the client");
        });
        assertEquals(Duration.ofSeconds(7), wait);
        assertEquals(Duration.ZERO, ReceivedFields.of().retryAfter(429, name -> ""));
    }

    @Test
    void argumentsAreChecked() {
        assertThrows(NullPointerException.class, () -> READER.retryAfter(429, null));
        for (Duration none : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
            String message = assertThrows(
                            IllegalArgumentException.class, () -> ReceivedFields.of(none, InstantSource.system()))
                    .getMessage();
            assertEquals("atMost must be > 0, was " + none, message);
        }
    }

    private static String mutated(SplittableRandom random) {
        StringBuilder text = new StringBuilder(SEEDS.get(random.nextInt(SEEDS.size())));
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(text.length() + 1);
            int end = Math.min(text.length(), at + random.nextInt(3));
            switch (random.nextInt(6)) {
                case 0 -> text.delete(at, end);
                case 1 -> text.insert(at, SYNTAX.charAt(random.nextInt(SYNTAX.length())));
                case 2 -> text.insert(at, (char) random.nextInt(random.nextBoolean() ? 0x80 : 0x10000));
                case 3 -> text.insert(at, text.substring(at, end));
                case 4 -> text.append(Seed.oneOf(random, ", ", ";", "")).append(SEEDS.get(random.nextInt(4)));
                default -> text.replace(at, end, Seed.oneOf(random, "9".repeat(20), "-1", "\u0660", "e9", "\r\n"));
            }
        }
        return random.nextInt(100) == 0 ? text.toString().repeat(500) : text.toString();
    }

    @Test
    void aHundredThousandMutationsThrowNothingAndStayWithinTheBounds() {
        List<Integer> statuses = List.of(200, 403, 429, 503, 529);
        int[] told = {0};
        Seed.forAll(100_000, random -> {
            Map<String, String> fields = new TreeMap<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                fields.put(NAMES.get(random.nextInt(NAMES.size())), mutated(random));
            }
            int status = statuses.get(random.nextInt(statuses.size()));
            Duration wait = read(status, fields);
            assertFalse(wait.isNegative() || wait.compareTo(DAY) > 0, () -> wait + " of " + fields);
            told[0] += wait.isZero() ? 0 : 1;
        });
        assertTrue(told[0] > 5_000, told[0] + " told a time");
    }

    /** The members of a list as a parser that is not ours reads them; null = it is none. */
    private static List<StructuredList.Member> parsed(String text) {
        List<StructuredList.Member> members = new ArrayList<>();
        String list = text.replaceFirst("^ +", ""); // that parser leaves this, and an empty list, to its caller
        if (list.isEmpty()) {
            return members;
        }
        try {
            for (ListElement<?> each : Parser.parseList(list).get()) {
                String name = each instanceof StringItem string
                        ? string.get()
                        : each instanceof TokenItem token ? token.get() : null;
                Map<String, Long> figures = new TreeMap<>();
                each.getParams().forEach((key, value) -> {
                    if (value instanceof IntegerItem figure) {
                        figures.put(key, figure.getAsLong());
                    }
                });
                members.add(new StructuredList.Member(name, figures));
            }
            return members;
        } catch (ParseException e) {
            return null;
        }
    }

    @Test
    void aListIsReadAsAnotherParserReadsIt() {
        int[] lists = {0};
        Seed.forAll(100_000, random -> {
            String text = mutated(random);
            List<StructuredList.Member> expected = parsed(text);
            assertEquals(expected, StructuredList.parse(text), text);
            lists[0] += expected == null ? 0 : 1;
        });
        assertTrue(lists[0] > 10_000, lists[0] + " lists");
    }

    /** The figures of a dictionary as a parser that is not ours reads them; null = it is none. */
    private static Map<String, Long> dictionary(String text) {
        Map<String, Long> figures = new TreeMap<>();
        String members = text.replaceFirst("^ +", "");
        if (members.isEmpty()) {
            return figures;
        }
        try {
            Parser.parseDictionary(members).get().forEach((key, value) -> {
                if (value instanceof IntegerItem figure) {
                    figures.put(key, figure.getAsLong());
                }
            });
            return figures;
        } catch (ParseException e) {
            return null;
        }
    }

    @Test
    void aDictionaryIsReadAsAnotherParserReadsIt() {
        int[] dictionaries = {0};
        Seed.forAll(100_000, random -> {
            String text = mutated(random);
            Map<String, Long> expected = dictionary(text);
            assertEquals(expected, StructuredList.dictionary(text), text);
            dictionaries[0] += expected == null || expected.isEmpty() ? 0 : 1;
        });
        assertTrue(dictionaries[0] > 2_000, dictionaries[0] + " dictionaries with figures");
    }
}
