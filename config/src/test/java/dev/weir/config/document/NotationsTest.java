package dev.weir.config.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NotationsTest {
    private static LimitsDocument read(Format format) throws DocumentException {
        byte[] content = SampleDocuments.ALL.get(format).getBytes(UTF_8);
        return TestFactories.reader().read("d", content, format);
    }

    @Test
    void allNotationsSayTheSame() throws Exception {
        LimitsDocument yaml = read(Format.YAML);
        assertEquals(new LimitsDocument.Header(7, 0, "ops", "sale: more", 100), yaml.header());
        assertEquals(
                Map.of(
                        "mail.timeout",
                        "2s",
                        "mail.hosts[0]",
                        "a.example",
                        "mail.hosts[1]",
                        "b.example",
                        "greeting",
                        "hällo"),
                yaml.values());
        for (Format format : List.of(Format.JSON, Format.PROPERTIES)) {
            LimitsDocument other = read(format);
            assertEquals(yaml.header(), other.header());
            assertEquals(yaml.values(), other.values());
            assertEquals(List.of(), other.problems());
            assertEquals(
                    List.copyOf(yaml.limits().keySet()),
                    List.copyOf(other.limits().keySet()));
            yaml.limits().forEach((name, plan) -> {
                LimitPlan same = other.limits().get(name);
                assertEquals(plan.settings(), same.settings());
                assertEquals(plan.spec(), same.spec());
                assertEquals(plan.queue(), same.queue());
                assertEquals(plan.pool(), same.pool());
                assertEquals(plan.dimensions(), same.dimensions());
            });
        }
    }

    @Test
    void propertiesHaveTheLineWhereTheKeyBegins() throws Exception {
        LimitsDocument document = TestFactories.reader()
                .read(
                        "d",
                        "! comment \\\r\nlimits.a.\\\r\n   concurrency = \\\r\n  0\r\n\r\n  limits.b.rate : x\r\n"
                                .getBytes(UTF_8),
                        Format.PROPERTIES);
        assertEquals(
                List.of(
                        "d:2:1: a: concurrency must be >= 1, was 0",
                        "d:6:19: b: rate must be a rate such as 100/s or 1000/15min: the time is missing, was x"),
                document.problems().stream().map(Problem::toString).toList());
    }
}
