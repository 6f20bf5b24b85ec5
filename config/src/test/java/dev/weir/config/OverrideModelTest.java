package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.RegistryObserver;
import dev.weir.queue.QueueSnapshot;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random documents and overrides against a model, with requests that wait: the settings in force are those of the document with the
 * patch merged over them, or, if these are wrong, those of before; and nobody who waits is refused by an override that leaves the
 * queue as it is.
 */
class OverrideModelTest extends RegistryFixture {
    private static final int HISTORIES = 400;
    private static final int STEPS = 15;
    private static final Request REQUEST =
            Request.forKey("ann").withDeadlineNanos(Duration.ofHours(1).toNanos());

    private final DocumentReader checking = DocumentReader.system();
    private final List<CompletableFuture<Decision>> waiting = new ArrayList<>();
    private final List<Permit> held = new ArrayList<>();
    private SplittableRandom random = new SplittableRandom(0);
    private List<String> said = List.of();
    private long refused;
    private long waitedOn;

    private Map<String, Object> document = Map.of();
    private @Nullable Map<String, Object> patch;
    private Map<String, Object> inForce = Map.of();

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    /* Some fields with some values, or null for one that is dropped. */
    private Map<String, Object> fields(boolean isPatch) {
        Map<String, Object> map = new TreeMap<>();
        Function<String, @Nullable Object> number = field -> random.nextInt(1, 12);
        if (isPatch ? random.nextInt(3) > 0 : true) {
            map.put(any(List.of("concurrency", "concurrency", "rate")), "");
        }
        map.replaceAll((field, unused) -> field.equals("rate") ? number.apply(field) + "/s" : number.apply(field));
        maybe(map, "burst", isPatch, map.containsKey("rate") ? 3 : 12, () -> number.apply("burst"));
        maybe(map, "enforce", isPatch, 6, () -> any(List.of("0.5", "1", "0")));
        maybe(map, "track-permits", isPatch, 6, () -> number.apply("track-permits"));
        maybe(map, "adaptive", isPatch, 5, () -> inside("min", "max", isPatch));
        maybe(map, "queue", isPatch, isPatch ? 4 : 1, () -> {
            Map<String, Object> queue = new TreeMap<>();
            maybe(queue, "capacity", isPatch, isPatch ? 2 : 1, () -> random.nextInt(3, 60));
            maybe(queue, "max-wait", isPatch, 3, () -> random.nextInt(1, 9) + "s");
            maybe(queue, "discipline", isPatch, 3, () -> any(List.of("fifo", "lifo")));
            return queue;
        });
        return map;
    }

    private Map<String, Object> inside(String low, String high, boolean isPatch) {
        Map<String, Object> map = new TreeMap<>();
        maybe(map, low, isPatch, 2, () -> random.nextInt(1, 20));
        maybe(map, high, isPatch, 2, () -> random.nextInt(15, 40));
        return map;
    }

    private interface Value {
        Object any();
    }

    private void maybe(Map<String, Object> map, String field, boolean isPatch, int oneIn, Value value) {
        if (random.nextInt(oneIn) == 0) {
            map.put(field, isPatch && random.nextInt(4) == 0 ? "null" : value.any());
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> merged(Map<String, Object> base, Map<String, Object> over) {
        Map<String, Object> all = new TreeMap<>(base);
        over.forEach((field, value) -> {
            if (value.equals("null")) {
                all.remove(field);
            } else if (value instanceof Map) {
                Object below = all.get(field) instanceof Map<?, ?> map ? map : Map.of();
                Map<String, Object> inside = merged((Map<String, Object>) below, (Map<String, Object>) value);
                if (!inside.isEmpty() || all.containsKey(field) || ((Map<?, ?>) value).isEmpty()) {
                    all.put(field, inside);
                }
            } else {
                all.put(field, value);
            }
        });
        return all;
    }

    /* Another algorithm takes the place of the one before. */
    private static Map<String, Object> patched(Map<String, Object> base, Map<String, Object> over) {
        boolean isOther = List.of("concurrency", "rate").stream()
                .anyMatch(field -> over.containsKey(field) && !base.containsKey(field));
        Map<String, Object> kept = new TreeMap<>(base);
        if (isOther) {
            kept.keySet().removeAll(List.of("concurrency", "rate", "burst", "adaptive"));
        }
        return merged(kept, over);
    }

    private static String yaml(Map<?, ?> map) {
        List<String> fields = new ArrayList<>();
        map.forEach((field, value) -> fields.add(field + ": " + (value instanceof Map<?, ?> in ? yaml(in) : value)));
        return "{ " + String.join(", ", fields) + " }";
    }

    private static void flat(String path, Map<?, ?> map, Map<String, String> all) {
        map.forEach((field, value) -> {
            if (value instanceof Map<?, ?> inner && !inner.isEmpty()) {
                flat(path + field + ".", inner, all);
            } else {
                all.put(path + field, value instanceof Map ? "{}" : value.toString());
            }
        });
    }

    private boolean isRight(Map<String, Object> settings) {
        byte[] text = ("limits: { a: " + yaml(settings) + " }").getBytes(StandardCharsets.UTF_8);
        try {
            return checking.read("model", text, Format.YAML).problems().isEmpty();
        } catch (DocumentException e) {
            return false;
        }
    }

    private void assertModel(LimiterRegistry registry) {
        Map<String, String> expected = new HashMap<>();
        flat("", inForce, expected);
        assertEquals(expected, registry.limiter("a").status().settings(), said::toString);
        assertEquals(patch == null, registry.limiter("a").status().override() == null, said::toString);
    }

    private void written() {
        Map<String, Object> next;
        do {
            next = fields(false);
        } while (!isRight(next));
        said.add("document " + yaml(next));
        document = next;
        write("limits: { a: " + yaml(next) + " }");
        Map<String, Object> both = patch == null ? next : patched(next, patch);
        inForce = isRight(both) ? both : inForce;
    }

    private @Nullable Registration overridden(LimiterRegistry registry) {
        Map<String, Object> next = fields(true);
        said.add("override " + yaml(next));
        Map<String, Object> both = patched(document, next);
        if (next.isEmpty() || !isRight(both)) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> registry.override("a", yaml(next), Duration.ofHours(1), "ann", "test"),
                    said::toString);
            return null;
        }
        Registration hand = registry.override("a", yaml(next), Duration.ofHours(1), "ann", "test");
        patch = next;
        inForce = both;
        return hand;
    }

    private void count(LimiterRegistry registry) {
        Registration unused = registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onQueue(QueueView queue) {
                return queue.observe((request, decision, waited) -> refused += decision instanceof Rejection ? 1 : 0);
            }
        });
    }

    private void traffic(NamedLimiter limiter) {
        for (int i = random.nextInt(25); i > 0; i--) {
            CompletableFuture<Decision> asked = limiter.acquireAsync(REQUEST, Duration.ofHours(1));
            if (!asked.isDone() || asked.join() instanceof Permit) {
                waiting.add(asked);
            }
        }
    }

    private void release() {
        for (Iterator<CompletableFuture<Decision>> each = waiting.iterator(); each.hasNext(); ) {
            CompletableFuture<Decision> asked = each.next();
            if (asked.isDone()) {
                each.remove();
                if (asked.join() instanceof Permit permit) {
                    held.add(permit);
                }
            }
        }
        while (held.size() > random.nextInt(6)) {
            held.remove(0).release(Outcome.IGNORED);
        }
    }

    /** Steps by hand, after each of which the same requests wait if the queue is the same. */
    private void byHand(LimiterRegistry registry, List<Registration> hands) {
        Object queue = inForce.get("queue");
        long before = refused;
        if (random.nextInt(3) > 0 || hands.isEmpty()) {
            Registration hand = overridden(registry);
            if (hand != null) {
                hands.add(hand);
            }
        } else {
            said.add("end");
            hands.remove(hands.size() - 1).close();
            hands.clear();
            patch = null;
            inForce = document;
        }
        if (queue != null && queue.equals(inForce.get("queue"))) {
            assertEquals(before, refused, said::toString);
            QueueSnapshot present = registry.limiter("a").status().queue();
            waitedOn += present == null ? 0 : present.length();
        }
    }

    @Test
    void settingsAreMergedAndWhoWaitsWaitsOn() {
        for (int history = 0; history < HISTORIES; history++) {
            random = new SplittableRandom(history);
            said = new ArrayList<>(List.of("seed " + history));
            patch = null;
            source.write("limits: { a: { concurrency: 1 } }");
            LimiterRegistry registry = builder().build();
            count(registry);
            document = inForce = Map.of("concurrency", 1);
            List<Registration> hands = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(4)) {
                    case 0 -> written();
                    case 1, 2 -> byHand(registry, hands);
                    default -> release();
                }
                traffic(registry.limiter("a"));
                assertModel(registry);
            }
            time.advance(Duration.ofHours(1));
            patch = null;
            inForce = document;
            assertModel(registry);
            registry.close();
            waiting.forEach(CompletableFuture::join);
            waiting.clear();
            held.clear();
        }
        assertTrue(waitedOn > 1_000, () -> waitedOn + " requests waited through a step by hand");
    }
}
