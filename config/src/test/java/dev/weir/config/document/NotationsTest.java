package dev.weir.config.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.named.plan.LimitPlan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

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
        for (LimitsDocument other : List.of(
                read(Format.JSON),
                read(Format.TREE),
                read(DocumentTree.of(nested(SampleDocuments.ALL.get(Format.YAML)))),
                read(DocumentTree.ofKeys(SampleDocuments.keys())))) {
            assertEquals(yaml.header(), other.header());
            assertEquals(yaml.values(), other.values());
            assertEquals(List.of(), other.problems());
            assertEquals(yaml.limits().keySet(), other.limits().keySet());
            yaml.limits().forEach((name, plan) -> {
                LimitPlan same = other.limits().get(name);
                assertEquals(plan.settings(), same.settings());
                assertEquals(plan.spec(), same.spec());
                assertEquals(plan.find(LimitPlan.QUEUE), same.find(LimitPlan.QUEUE));
                assertEquals(plan.find(LimitPlan.EXECUTOR), same.find(LimitPlan.EXECUTOR));
                assertEquals(plan.dimensions(), same.dimensions());
            });
        }
    }

    private static LimitsDocument read(DocumentTree tree) throws DocumentException {
        return TestFactories.reader().read("d", tree, limiter -> 100);
    }

    private static Map<String, ?> nested(String yaml) {
        Map<String, Object> tree = new HashMap<>();
        ((Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(yaml))
                .forEach((key, value) -> tree.put((String) key, value));
        return tree;
    }
}
