package dev.weir.config.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.Error;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class SchemaTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void isASchemaOfItsDraft() throws IOException {
        String draft = "http://json-schema.org/draft-07/schema#";
        assertEquals(draft, JSON.readTree(Schema.text()).get("$schema").asText());
        List<Error> errors = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                .getSchema(SchemaLocation.of(draft))
                .validate(JSON.readTree(Schema.text()));
        assertEquals(List.of(), errors);
    }

    /** Not by the fields of all others, nor by what others have too. */
    @Test
    void growsByReferencesForAName() throws IOException {
        JsonNode definitions = JSON.readTree(Schema.text()).get("definitions");
        assertEquals(
                "#/definitions/field-rate",
                definitions.at("/algorithm-sliding-log/properties/rate/$ref").asText());
        for (String name : List.of("algorithm-closed", "algorithm-sliding-log", "algorithm-counter")) {
            long lines = definitions.get(name).toPrettyString().lines().count();
            long fields = definitions.get(name).get("properties").size();
            assertTrue(lines <= 12 + 3 * fields, () -> name + ": " + lines + " lines for " + fields + " fields");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limits: {}",
                "limits: { a: { concurrency: 40 } }",
                "limits: { a: { concurrency: 10k, queue: 10 } }",
                "limits: { a: { rate: 0.5/s, key: true, warm-up: 30s } }",
                "limits: { a: { rate: 1/2s, algorithm: gcra, tolerance: 400ms, key: [user, ip] } }",
                "limits: { a: { concurrency: 9, algorithm: partitioned, percents: { paid: 60%, free: 30 }, lent: 50 } }",
                "limits: { a: { concurrency: 9, algorithm: priority-shedding, reserved: [10, 50%] } }",
                "limits: { a: { concurrency: 9, queue: { capacity: 1, discipline: { name: priority, ageing: 1s } } } }",
                "limits: { a: { concurrency: 9, queue: { capacity: 1, discipline: { name: codel, within: lifo } } } }",
                "limits: { a: { concurrency: 9, adaptive: true, enforce: 0 } }",
                "limits: { a: { concurrency: 9, adaptive: { controller: aimd, signals: [cpu, { name: gc, smoothed: 2s }] } } }",
                "{ document: { version: 3, percent: 10 }, limits: {}, values: { a.b: 2s, c: 7, d: { e: true } } }",
                "{ templates: { t: { queue: { capacity: 3 } } }, limits: { a: { template: t, concurrency: 1 } } }",
                "limits: { a: { rate: 1/s, rollout: { percent: 10, to: { rate: 2/s, queue: { capacity: 3 } } } } }",
                "limits: { a: { concurrency: 9, executor: 4 } }",
                "limits: { a: { concurrency: 9, adaptive: true, queue: false } }",
                "limits: { a: { rate: 1/s, share: { quota: 400, of: zookeeper, degraded: 0 } } }",
                "limits: { a: { concurrency: 1, share: { quota: 1k, of: etcd, by: weight, weight: 2, degraded: 10 } } }",
                "{ limits: {}, removed: a }",
                "{ limits: {}, removed: [a, b.c] }",
                "limits: { a: { algorithm: closed, queue: 3 }, b: { algorithm: open } }",
                "limits: { a: { rate: 1/s, key: user, key-missing: skip, hot-keys: true, track-permits: 100 } }",
                "limits: { a: { rate: 1/s, scope: local } }",
                "limits: { a: { budget: { retries: 10%, floor: 3/s } }, b: { budget: { hedges: 5% } }, c: { throttle: 2 } }",
                "limits: { a: { all-of: [ { budget: { retries: 10% } }, { throttle: { k: 1.1, window: 10s } } ] } }",
                "limits: { a: { rate: 1/s, scope: store, when-away: open, key: [user, ip] } }",
                "limits: { a: { rate: 1/s, scope: store, mode: verdict, when-away: { name: local, instances: 8 } } }",
                "limits: { a: { rate: 1/s, scope: store, mode: { name: batched, max-unused: 10, expiry: 2s }, when-away: local } }"
            })
    void acceptsWhatTheReaderAccepts(String document) throws Exception {
        assertEquals(List.of(), problems(document));
        assertEquals(List.of(), errors(document));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "limit: { a: { concurrency: 40 } }",
                "limits: { a: { concurency: 40 } }",
                "limits: { a: { concurrency: 0 } }",
                "limits: { a: { concurrency: [1] } }",
                "limits: { a: { concurrency: many } }",
                "limits: { a: { rate: 100 } }",
                "limits: { a: { rate: 1/s, burst: -1 } }",
                "limits: { a: { rate: 1/s, algorithm: token-buckett } }",
                "limits: { a: { rate: 1/s, algorithm: sliding-log, blocks: 3 } }",
                "limits: { a: { rate: 1/s, algorithm: sliding-window, blocks: 10001 } }",
                "limits: { a: { concurrency: 1, queue: { max-wait: 1s } } }",
                "limits: { a: { concurrency: 1, queue: true } }",
                "limits: { a: { concurrency: 1, queue: none } }",
                "limits: { a: { concurrency: 1, executor: false } }",
                "limits: { a: { concurrency: 1, queue: { capacity: 1, max-wait: 100 } } }",
                "limits: { a: { concurrency: 1, queue: { capacity: 1, discipline: priority } } }",
                "limits: { a: { concurrency: 1, queue: { capacity: 1, discipline: { name: fifo, target: 1s } } } }",
                "limits: { a: { concurrency: 1, adaptive: { controller: best } } }",
                "limits: { a: { rate: 1/s, rollout: { to: { rate: 2/s } } } }",
                "limits: { a: { rate: 1/s, share: 400 } }",
                "limits: { a: { rate: 1/s, share: { quota: 400, of: zookeeper } } }",
                "limits: { a: { rate: 1/s, share: { quota: 400, of: zookeeper, degraded: 0, by: luck } } }",
                "limits: { a: { rate: 1/s, scope: world, when-away: open } }",
                "limits: { a: { rate: 1/s, scope: store, when-away: never } }",
                "limits: { a: { rate: 1/s, scope: store, when-away: { instances: 8 } } }",
                "limits: { a: { rate: 1/s, scope: store, when-away: open, mode: { name: batched, max-unused: 0 } } }",
                "{ limits: {}, removed: { a: 1 } }",
                "{ limits: {}, removed: [a b] }",
                "limits: { a: { algorithm: closed, concurrency: 1 } }",
                "limits: { a: { rate: 1/s, key: user, key-missing: never } }",
                "limits: { a: { rate: 1/s, track-permits: -1 } }",
                "limits: { a: { budget: { retries: 1.1 } } }",
                "limits: { a: { budget: { retries: 10%, window: 10s } } }",
                "limits: { a: { budget: 10% } }",
                "limits: { a: { throttle: { k: 0.5 } } }",
                "{ document: { version: -1 }, limits: {} }",
                "{ document: { versions: 1 }, limits: {} }"
            })
    void refusesWhatTheReaderRefuses(String document) throws Exception {
        assertNotEquals(List.of(), problems(document));
        assertNotEquals(List.of(), errors(document));
    }

    private static List<?> problems(String document) {
        try {
            return DocumentReader.system()
                    .read("document", document.getBytes(StandardCharsets.UTF_8), Format.YAML)
                    .problems();
        } catch (DocumentException e) {
            return e.problems();
        }
    }

    static List<Error> errors(String document) throws IOException {
        Object loaded = new Load(LoadSettings.builder().build()).loadFromString(document);
        JsonNode node = JSON.valueToTree(loaded);
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                .getSchema(Schema.text())
                .validate(node);
    }
}
