package dev.weir.config.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.algorithms.Semaphore;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.Problem;
import dev.weir.queue.QueueSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TemplatesTest {
    private static LimitsDocument read(String text) throws DocumentException {
        return DocumentReaderTest.read(text);
    }

    private static LimitPlan at(String text, double place) throws DocumentException {
        LimitsDocument document = TestFactories.reader().read("d", text.getBytes(UTF_8), Format.YAML, limiter -> place);
        assertEquals(List.of(), document.problems());
        return document.limits().get("a");
    }

    @Test
    void mapsAreInheritedFieldByField() throws Exception {
        LimitsDocument document = read("""
                templates:
                  slow: { template: base, queue: { max-wait: 1s } }
                  base: { concurrency: 3, queue: { capacity: 9, max-wait: 5s }, executor: 2 }
                limits:
                  a: { template: slow, queue: { max-wait: 2s }, executor: { threads: 4 } }
                  b: { template: slow, concurrency: 8 }
                """);
        assertEquals(List.of(), document.problems());
        LimitPlan a = document.limits().get("a");
        assertEquals(new Semaphore(3), a.spec());
        assertEquals(QueueSpec.of(9).waiting(Duration.ofSeconds(2)), a.find(LimitPlan.QUEUE));
        assertEquals(
                Map.of("concurrency", "3", "queue.capacity", "9", "queue.max-wait", "2s", "executor.threads", "4"),
                a.settings());
        LimitPlan b = document.limits().get("b");
        assertEquals(new Semaphore(8), b.spec());
        assertEquals(QueueSpec.of(9).waiting(Duration.ofSeconds(1)), b.find(LimitPlan.QUEUE));
    }

    @Test
    void aBadTemplateIsAProblemOfItsLimitsOnly() throws Exception {
        LimitsDocument document = read("""
                templates:
                  x: { template: y }
                  y: { template: x }
                  text: 3
                  wrong: { concurrency: 0 }
                limits:
                  cycle: { template: x }
                  self: { template: bse, concurrency: 1 }
                  text: { template: text }
                  wrong: { template: wrong }
                  good: { concurrency: 1 }
                """);
        assertEquals(List.of("good"), List.copyOf(document.limits().keySet()));
        assertEquals(
                List.of(
                        "limits.yaml:3:18: cycle: template must not inherit from itself: x -> y, was x",
                        "limits.yaml:4:9: text: template must be the name of a map, was 3",
                        "limits.yaml:5:25: wrong: concurrency must be >= 1, was 0",
                        "limits.yaml:8:21: self: template is not known, was bse; known: x, y, text, wrong"),
                document.problems().stream().map(Problem::toString).toList());
    }

    @Test
    void newFieldsAreForTheFirstInstances() throws Exception {
        String text = "limits: { a: { concurrency: 4, queue: { capacity: 1 },"
                + " rollout: { percent: 10, to: { concurrency: 8, queue: { max-wait: 1s } } } } }";
        LimitPlan old = at(text, 10);
        assertEquals(new Semaphore(4), old.spec());
        assertEquals(Map.of("concurrency", "4", "queue.capacity", "1"), old.settings());
        LimitPlan next = at(text, 9.999);
        assertEquals(new Semaphore(8), next.spec());
        assertEquals(Map.of("concurrency", "8", "queue.capacity", "1", "queue.max-wait", "1s"), next.settings());
        assertEquals(old.settings(), at(text.replace("10,", "0,"), 0).settings());
        assertEquals(next.settings(), at(text.replace("10,", "100,"), 100).settings());
    }

    @Test
    void aStagedLimitWithoutNewFieldsIsDryForTheOthers() throws Exception {
        String text = "limits: { a: { concurrency: 4, rollout: 25 } }";
        assertEquals(1, at(text, 24).get(LimitPlan.ENFORCE));
        assertEquals(0, at(text, 25).get(LimitPlan.ENFORCE));
        assertEquals(Map.of("concurrency", "4", "enforce", "0"), at(text, 25).settings());
    }
}
