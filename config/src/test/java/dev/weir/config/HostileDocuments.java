package dev.weir.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.config.document.Format;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Twenty documents: four contents, each in five notations. */
final class HostileDocuments {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SPECIAL = "{}[]:,.=-&*!|>'\"#%@`?\\\n\r\t 0123456789aZ\u0000/";

    private static final List<String> CONTENTS = List.of("""
            document: { version: 2, author: ops, reason: "sale: more" }
            templates:
              base:
                queue: { capacity: 100, max-wait: 200ms, discipline: codel-lifo }
            limits:
              checkout:
                template: base
                concurrency: 40
                adaptive: { min: 10, max: 400 }
              search: { rate: 100/s, burst: 200, key: [user, ip], max-keys: 1000, warm-up: 30s }
              mail:
                all-of:
                  - { rate: 10/s }
                  - { rate: 1000/h, algorithm: sliding-window }
                enforce: 0.1
            values:
              mail: { timeout: 20s, hosts: [a.example, b.example] }
            """, """
            document: { version: 2 }
            limits:
              checkout: { algorithm: counter, concurrency: 2000 }
              search: { algorithm: leaky-bucket, rate: 250/s, burst: 125 }
              mail: { algorithm: sliding-log, rate: 60/min }
              a1: { algorithm: token-bucket, rate: 100/s, burst: 1000 }
              a2: { algorithm: pacer, rate: 100/s }
              a3: { algorithm: gcra, rate: 100/s }
              a4: { algorithm: fixed-window, rate: 100/s }
              a5: { algorithm: first-hit-quota, rate: 100/h }
              a6: { algorithm: partitioned, concurrency: 100, percents: { paid: 60, free: 30 }, lent: 50 }
              a7: { algorithm: priority-shedding, concurrency: 100, reserved: [10, 20] }
              a8: { algorithm: semaphore, concurrency: 12 }
            values: { mail: { timeout: 7s } }
            """, """
            limits:
              checkout:
                concurrency: 123456
                enforce: 0.75
                queue:
                  capacity: 12345
                  max-wait: 1500ms
                  discipline: { name: codel, target: 5ms }
              search:
                concurrency: 77
                adaptive: { min: 33, max: 555, controller: aimd, signals: [cpu] }
                queue: { capacity: 17, discipline: adaptive-lifo }
              mail:
                rate: 12345/h
                key: user
                rollout: { percent: 50, to: { rate: 54321/h } }
              pool: { concurrency: 30, executor: { threads: 8, queue-capacity: 10 } }
            values: { mail.timeout: 12s, greeting: 'hällo', flags: { a: true, b: 17 } }
            """, """
            document: { version: 222222 }
            limits:
              checkout: { concurrency: 1 }
              mail: { rate: 1/min, algorithm: fixed-window }
            """);

    /** A document in one notation. */
    record Hostile(String name, Format format, byte[] bytes) {}

    static final List<Hostile> ALL = Stream.iterate(0, i -> i + 1)
            .limit(CONTENTS.size())
            .flatMap(HostileDocuments::notations)
            .toList();

    private HostileDocuments() {}

    private static Stream<Hostile> notations(int number) {
        String yaml = CONTENTS.get(number);
        Object tree = yaml(yaml);
        try {
            String json = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(tree);
            return Stream.of(
                    new Hostile("plain YAML " + number, Format.YAML, utf8(yaml)),
                    new Hostile("ended YAML " + number, Format.YAML, utf8(yaml + "...\n")),
                    new Hostile("JSON " + number, Format.JSON, utf8(json)),
                    new Hostile("a tree " + number, Format.TREE, utf8(JSON.writeValueAsString(tree))));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    static String json(String yaml) {
        try {
            return JSON.writeValueAsString(yaml(yaml));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static Object yaml(String text) {
        return new Load(LoadSettings.builder().build()).loadFromString(text);
    }

    /** What another reader than ours finds in a document; null if it finds nothing. */
    static @org.jspecify.annotations.Nullable Object otherReading(byte[] bytes, Format format) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            return switch (format) {
                case JSON -> JSON.readValue(text, Map.class);
                case YAML -> yaml(text);
                case TREE -> null;
            };
        } catch (Exception e) {
            return null;
        }
    }

    /** The bytes with one to four small changes: a byte or a line changed, taken out, added or copied. */
    static byte[] mutated(byte[] content, RandomGenerator random) {
        byte[] bytes = content;
        for (int change = random.nextInt(4); change >= 0; change--) {
            int at = random.nextInt(bytes.length + 1);
            int end = Math.min(bytes.length, at + (random.nextBoolean() ? 1 : random.nextInt(40)));
            byte[] middle = switch (random.nextInt(4)) {
                case 0 -> new byte[0];
                case 1 -> some(random, end - at);
                case 2 -> joined(some(random, 1), Arrays.copyOfRange(bytes, at, end));
                default -> joined(Arrays.copyOfRange(bytes, at, end), Arrays.copyOfRange(bytes, at, end));
            };
            bytes = joined(joined(Arrays.copyOf(bytes, at), middle), Arrays.copyOfRange(bytes, end, bytes.length));
        }
        return bytes;
    }

    private static byte[] some(RandomGenerator random, int count) {
        byte[] some = new byte[count];
        for (int i = 0; i < count; i++) {
            some[i] = random.nextInt(8) == 0
                    ? (byte) random.nextInt(256)
                    : (byte) SPECIAL.charAt(random.nextInt(SPECIAL.length()));
        }
        return some;
    }

    private static byte[] joined(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }
}
