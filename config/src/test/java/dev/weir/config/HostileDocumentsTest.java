package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.ControlSnapshot;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.HostileDocuments.Hostile;
import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.follow.DocumentOrder;
import dev.weir.config.follow.InstanceName;
import dev.weir.config.source.Reading;
import dev.weir.config.value.ConfigValue;
import dev.weir.engine.Snapshot;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.ConfigEvent.Changed;
import dev.weir.named.status.ConfigEvent.Refused;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Documents that end early, or are damaged: what is in force does not change, one report appears, the next one is read. */
@Tag("proof")
@Tag("property")
class HostileDocumentsTest {
    private static final DocumentReader READER = DocumentReader.system();
    private static final int MUTATIONS = 100;
    private static final int REMEMBERED = 8;
    private static final QueueSpec NO_QUEUE = QueueSpec.of(0).waiting(Duration.ZERO);
    private static final String IN_FORCE = """
            document: { version: 1 }
            limits:
              checkout: { concurrency: 4, queue: 7, adaptive: { min: 2, max: 6 } }
              search: { rate: 5/s, enforce: 0.5 }
              mail: { concurrency: 9, executor: { threads: 2 } }
              other: { concurrency: 3 }
            values: { mail.timeout: 3s }
            """;

    private static final String UNVERSIONED = IN_FORCE.substring(IN_FORCE.indexOf("limits"));

    private final VirtualTime time = new VirtualTime();

    /** A registry, what it has said, and what it has in force, seen from outside. */
    private final class Subject {
        final MemorySource source = new MemorySource();
        final List<ConfigEvent> events = new ArrayList<>();
        final Map<String, Refused> lately = new LinkedHashMap<>();
        final LimiterRegistry registry;
        final ConfigValue<Duration> timeout;

        Subject(String document) {
            source.write(document);
            registry = LimiterRegistry.builder()
                    .source(source)
                    .ticker(time)
                    .alarm(time)
                    .executor(Runnable::run)
                    .instance("one")
                    .onEvent(events::add)
                    .build();
            timeout = registry.values().value("mail.timeout", Duration.class, Duration.ofSeconds(1));
            assertEquals(List.of(), ((Changed) events.get(0)).problems());
            events.clear();
        }

        State state() {
            Map<String, Part> parts = new TreeMap<>();
            for (String name : registry.names().names()) {
                Snapshot snapshot = registry.limiter(name).snapshot();
                Bounds bounds = Optional.ofNullable(
                                registry.limiter(name).status().control())
                        .map(ControlSnapshot::bounds)
                        .orElse(null);
                parts.put(
                        name,
                        new Part(
                                snapshot.spec(),
                                isSteady(snapshot.spec(), bounds) ? snapshot.limit() : 0,
                                snapshot.enforced(),
                                queue(name),
                                bounds));
            }
            return new State(parts, timeout.get());
        }

        private QueueSpec queue(String name) {
            AdmissionQueue queue = Objects.requireNonNull(
                            registry.names().table().entry(name).local())
                    .queue();
            return queue == null || queue.spec().capacity() == 0 ? NO_QUEUE : queue.spec();
        }

        void put(byte[] bytes, Format format, boolean whole) {
            events.clear();
            Reading reading = Reading.of(bytes, format);
            source.put(whole ? reading.whole() : reading);
        }

        ConfigEvent only(String what) {
            List<ConfigEvent> told = events.stream()
                    .filter(event -> !(event instanceof ConfigEvent.Orphaned))
                    .toList();
            assertEquals(1, told.size(), () -> what + ": " + events);
            return told.get(0);
        }

        /** The refusal is told as by any registry, but not again for the same reason while it is among the last ones. */
        void assertRefused(byte[] bytes, Format format, boolean whole, String what) {
            String document = format + new String(bytes, StandardCharsets.ISO_8859_1);
            Refused before = lately.remove(document);
            Subject teller = this;
            if (before != null) {
                teller = new Subject(IN_FORCE);
                teller.put(bytes, format, whole);
                teller.registry.close();
            }
            Refused now = assertInstanceOf(Refused.class, teller.only(what), what);
            boolean isKnown = before != null && before.problems().equals(now.problems());
            assertEquals(isKnown ? List.of() : List.of(now), events, what);
            lately.put(document, now);
            if (lately.size() > REMEMBERED) {
                lately.remove(lately.keySet().iterator().next());
            }
        }
    }

    private record Part(
            StrategySpec spec,
            long limit,
            double enforced,
            QueueSpec queue,
            @Nullable Bounds bounds) {}

    private record State(Map<String, Part> parts, Duration timeout) {}

    static List<Hostile> documents() {
        return HostileDocuments.ALL;
    }

    @ParameterizedTest
    @MethodSource("documents")
    void C1_C2_aDocumentThatGrowsByteByByteLosesNoNameAndIsInForceAtItsEnd(Hostile document) {
        String first = version(document) == 0 ? UNVERSIONED : IN_FORCE;
        Subject subject = new Subject(first);
        State before = subject.state();
        byte[] bytes = document.bytes();
        for (int length = 0; length < bytes.length; length++) {
            String what = document.name() + " at " + length;
            subject.put(Arrays.copyOf(bytes, length), document.format(), false);
            boolean isRefused = subject.only(what) instanceof Refused;
            boolean mayBeTaken = document.format() == Format.YAML && length > 0 && bytes[length - 1] == '\n';
            assertTrue(isRefused || mayBeTaken, what);
            State now = subject.state();
            assertTrue(
                    isRefused
                            ? now.equals(before)
                            : now.parts().keySet().containsAll(before.parts().keySet()),
                    what);
            before = now;
        }
        subject.put(bytes, document.format(), false);
        assertInstanceOf(Changed.class, subject.only(document.name()), document.name());
        Subject atOnce = new Subject(first);
        atOnce.put(bytes, document.format(), true);
        assertEquals(atOnce.state(), subject.state());
        atOnce.registry.close();
        subject.put(
                HostileDocuments.utf8("{ document: { version: 333333 }, limits: { last: { concurrency: 8 } } }"),
                Format.YAML,
                false);
        assertFalse(subject.registry.limiter("last").status().orphan());
        subject.registry.close();
    }

    private static long version(Hostile document) {
        try {
            return READER.read("d", document.bytes(), document.format())
                    .header()
                    .version();
        } catch (DocumentException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void C1_damagedDocumentsChangeNothingOrExactlyWhatTheySay() {
        AtomicLong mutations = new AtomicLong();
        AtomicLong applied = new AtomicLong();
        Stress.seconds(4, 60, 600).forAll(50, random -> {
            applied.addAndGet(appliedOfDamaged(new Random(random.nextLong())));
            mutations.addAndGet(MUTATIONS);
        });
        assertTrue(
                applied.get() > mutations.get() / 100 || mutations.get() < 50 * MUTATIONS,
                () -> applied + " applied of " + mutations);
    }

    private int appliedOfDamaged(Random random) {
        Subject subject = new Subject(IN_FORCE);
        int applied = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            Hostile document = HostileDocuments.ALL.get(random.nextInt(HostileDocuments.ALL.size()));
            byte[] bytes = HostileDocuments.mutated(document.bytes(), random);
            boolean whole = random.nextInt(8) == 0;
            String what = i + " of " + document.name();
            State before = subject.state();
            subject.put(bytes, document.format(), whole);
            LimitsDocument wanted = applicable(bytes, document.format(), whole, 1);
            if (wanted == null) {
                subject.assertRefused(bytes, document.format(), whole, what);
                assertEquals(before, subject.state(), what);
                continue;
            }
            applied++;
            assertInstanceOf(Changed.class, subject.only(what), what);
            assertEquals(expected(wanted, before).parts(), subject.state().parts(), what);
            assertNumbers(subject, wanted, HostileDocuments.otherReading(bytes, document.format()), what);
            subject.registry.close();
            subject = new Subject(IN_FORCE);
        }
        subject.put(
                HostileDocuments.utf8("{ document: { version: 3 }, limits: { last: { concurrency: 8 } } }"),
                Format.YAML,
                true);
        assertFalse(subject.registry.limiter("last").status().orphan());
        subject.registry.close();
        return applied;
    }

    /** What is to be put in force, by the rules of documents; null = nothing. */
    private static @Nullable LimitsDocument applicable(byte[] bytes, Format format, boolean whole, long version) {
        try {
            LimitsDocument read =
                    READER.read("d", bytes, format, limiter -> new InstanceName("one", true).place(limiter));
            boolean isMine =
                    new InstanceName("one", true).place("") < read.header().percent();
            return (whole || read.ended()) && isMine && isNext(read.header(), version) ? read : null;
        } catch (DocumentException e) {
            return null;
        }
    }

    private static boolean isNext(LimitsDocument.Header header, long version) {
        return header.version() != version
                && header.version() > 0
                && (header.replaces() == version
                        || (header.version() > version && header.version() <= version + DocumentOrder.LARGEST_STEP));
    }

    private static boolean isSteady(StrategySpec spec, @Nullable Bounds bounds) {
        return bounds == null && !(spec instanceof WarmUp);
    }

    private static State expected(LimitsDocument document, State before) {
        Map<String, Part> parts = new TreeMap<>(before.parts());
        document.limits().forEach((name, plan) -> parts.put(name, part(plan)));
        return new State(parts, before.timeout());
    }

    private static Part part(LimitPlan plan) {
        Bounds bounds = plan.find(LimitPlan.ADAPTIVE) == null
                ? null
                : plan.find(LimitPlan.ADAPTIVE).bounds();
        long limit = isSteady(plan.spec(), bounds)
                ? plan.spec().create(new VirtualTime()).limit()
                : 0;
        QueueSpec queue = plan.find(LimitPlan.QUEUE) == null ? NO_QUEUE : plan.find(LimitPlan.QUEUE);
        return new Part(plan.spec(), limit, plan.get(LimitPlan.ENFORCE), queue, bounds);
    }

    /** Plain numbers are in force as another reader reads them. */
    private static void assertNumbers(Subject subject, LimitsDocument document, @Nullable Object tree, String what) {
        Map<?, ?> limits =
                tree instanceof Map<?, ?> map && map.get("limits") instanceof Map<?, ?> found ? found : Map.of();
        limits.forEach((name, fields) -> {
            if (document.limits().containsKey(String.valueOf(name))
                    && fields instanceof Map<?, ?> said
                    && said.get("concurrency") instanceof Integer concurrency
                    && !said.containsKey("rollout")
                    && subject.registry.limiter("" + name).snapshot().spec() instanceof Semaphore semaphore) {
                assertEquals(concurrency.longValue(), semaphore.limit(), what + " " + name);
            }
        });
    }

    static Map<String, byte[]> bad() {
        Map<String, byte[]> bad = new LinkedHashMap<>();
        for (String value : List.of(
                "0",
                "-4",
                "-0",
                ".nan",
                "NaN",
                ".inf",
                "1e309",
                "-1e309",
                "1e-309",
                "many",
                "''",
                "null",
                "~",
                "[]",
                "{}",
                "[1]",
                "{ a: 1 }",
                "true",
                "4.5",
                "99999999999999999999",
                "0x10",
                "1_000",
                "\"\\u0000\"",
                "4 %",
                "5s")) {
            bad.put("concurrency " + value, document("checkout: { concurrency: " + value + " }"));
            bad.put("rate " + value, document("checkout: { rate: " + value + " }"));
            bad.put("enforce " + value, document("checkout: { concurrency: 5, enforce: " + value + "x }"));
            bad.put("capacity " + value, document("checkout: { concurrency: 5, queue: { capacity: " + value + "x } }"));
            bad.put(
                    "max-wait " + value,
                    document("checkout: { concurrency: 5, queue: { capacity: 5, max-wait: -" + value + "x } }"));
            bad.put(
                    "min " + value,
                    document("checkout: { concurrency: 5, adaptive: { min: 10, max: " + value + "x } }"));
        }
        bad.put("an unknown key", document("checkout: { concurrency: 5, quue: 4 }"));
        bad.put("an unknown queue key", document("checkout: { concurrency: 5, queue: { capacity: 5, maxwait: 4s } }"));
        bad.put("a wrong type", document("checkout: 5"));
        bad.put("bounds the wrong way", document("checkout: { concurrency: 5, adaptive: { min: 10, max: 5 } }"));
        return bad;
    }

    private static byte[] document(String checkout) {
        return HostileDocuments.utf8("document: { version: 2 }\nlimits:\n  " + checkout
                + "\n  search: { rate: 5/s, enforce: 0.5 }\n  mail: { concurrency: 9, executor: { threads: 2 } }\n"
                + "  other: { concurrency: 3 }\nvalues: { mail.timeout: 3s }\n");
    }

    @Test
    void C1_aBadValueKeepsTheLastGoodOne() {
        bad().forEach((what, bytes) -> {
            Subject subject = new Subject(IN_FORCE);
            State before = subject.state();
            subject.put(bytes, Format.YAML, true);
            ConfigEvent event = subject.only(what);
            assertFalse(
                    (event instanceof Changed changed ? changed.problems() : ((Refused) event).problems()).isEmpty(),
                    what);
            assertEquals(before, subject.state(), what);
            subject.registry.close();
        });
    }

    @Test
    void C1_whatIsNoDocumentChangesNothing() {
        byte[] large = new byte[10 << 20];
        Arrays.fill(large, (byte) ' ');
        String good = "document: { version: 2 }\nlimits:\n  checkout: { concurrency: 40 }\n";
        Map<String, byte[]> all = new LinkedHashMap<>();
        all.put("empty", new byte[0]);
        all.put("blank", HostileDocuments.utf8(" \n\n"));
        all.put("a comment", HostileDocuments.utf8("# nothing\n"));
        all.put("null", HostileDocuments.utf8("null"));
        all.put(
                "a tag",
                HostileDocuments.utf8("!!javax.script.ScriptEngineManager [!!java.net.URL [\"http://127.0.0.1\"]]"));
        all.put("missing section", HostileDocuments.utf8("document: { version: 2 }\n"));
        all.put("null section", HostileDocuments.utf8("document: { version: 2 }\nlimits:\n"));
        all.put("unknown section", HostileDocuments.utf8(good + "limit: {}\n"));
        all.put("duplicate key", HostileDocuments.utf8(good + "  checkout: { concurrency: 41 }\n"));
        all.put("duplicate section", HostileDocuments.utf8(good + "limits: {}\n"));
        all.put("two documents", HostileDocuments.utf8(good + "---\n" + good));
        all.put("tabs", HostileDocuments.utf8(good.replace("  ", "\t")));
        all.put("UTF-16", good.getBytes(StandardCharsets.UTF_16));
        all.put("UTF-16 without a mark", good.getBytes(StandardCharsets.UTF_16LE));
        all.put("Latin-1", (good + "# \u00e4").getBytes(StandardCharsets.ISO_8859_1));
        all.put("NUL", HostileDocuments.utf8(good + "\u0000"));
        all.put("10 MB", large);
        all.put("deep", HostileDocuments.utf8("[".repeat(100_000)));
        all.put(
                "aliases",
                HostileDocuments.utf8("a: &a [1,1]\nb: &b [*a,*a]\nlimits: {" + "x: *b, ".repeat(100) + "}"));
        all.put("HTML", HostileDocuments.utf8("<html><body>502 Bad Gateway</body></html>"));
        all.put("an older version", HostileDocuments.utf8(good.replace('2', '0')));
        all.put("the same version", HostileDocuments.utf8(good.replace('2', '1')));
        Subject subject = new Subject(IN_FORCE);
        State before = subject.state();
        all.forEach((what, bytes) -> {
            for (Format format : Format.values()) {
                subject.put(bytes, format, true);
                assertInstanceOf(Refused.class, subject.only(what + " " + format), what);
                time.advance(Duration.ofMinutes(3));
                assertEquals(1, subject.events.size(), what);
                assertEquals(before, subject.state(), what);
            }
        });
        subject.events.clear();
        subject.source.put(Reading.absent());
        assertInstanceOf(Refused.class, subject.only("deleted"));
        subject.source.goAway();
        time.advance(Duration.ofHours(1));
        assertEquals(before, subject.state());
        assertInstanceOf(ConfigEvent.SourceLost.class, subject.events.get(1));
        assertEquals(2, subject.events.size());
        subject.source.comeBack();
        time.advance(Duration.ofMinutes(2));
        for (String start : List.of("\uFEFF", "")) {
            long version = start.isEmpty() ? 12 : 11;
            subject.put(
                    HostileDocuments.utf8(
                            start + good.replace("2", "" + version).replace("\n", "\r\n")),
                    Format.YAML,
                    true);
            assertInstanceOf(Changed.class, subject.only("good " + version));
        }
        assertFalse(subject.registry.limiter("checkout").status().orphan());
        subject.registry.close();
    }
}
