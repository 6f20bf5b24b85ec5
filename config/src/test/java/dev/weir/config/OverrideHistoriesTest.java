package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** OverrideWriter that end, are undone, replaced, or lost with the process: then the document's value is in force. */
class OverrideHistoriesTest extends RegistryFixture {
    private static final int HISTORIES = 1_000;
    private static final int STEPS = 12;

    private long inDocument;

    private void written(SplittableRandom random) {
        inDocument = 1 + random.nextInt(20);
        write("limits: { a: { concurrency: " + inDocument + " } }");
    }

    @Test
    void afterEachHistoryTheDocumentsValueIsInForce() {
        SplittableRandom random = new SplittableRandom(4);
        for (int history = 0; history < HISTORIES; history++) {
            written(random);
            LimiterRegistry registry = builder().build();
            List<Registration> overrides = new ArrayList<>();
            List<String> said = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                int choice = random.nextInt(7);
                said.add("" + choice);
                switch (choice) {
                    case 0, 1 -> {
                        int limit = 21 + random.nextInt(20);
                        overrides.add(registry.override(
                                "a",
                                "concurrency: " + limit,
                                Duration.ofSeconds(1 + random.nextInt(60)),
                                "ann",
                                "test"));
                        assertEquals(limit, registry.limiter("a").snapshot().limit(), said::toString);
                    }
                    case 2 -> overrides.forEach(Registration::close);
                    case 3 -> written(random);
                    case 4 -> time.advance(Duration.ofSeconds(random.nextInt(30)));
                    case 5 -> {
                        if (!overrides.isEmpty()) {
                            overrides.remove(random.nextInt(overrides.size())).close();
                        }
                    }
                    default -> {
                        registry.close();
                        overrides.clear();
                        registry = builder().build();
                    }
                }
                if (registry.limiter("a").status().override() == null) {
                    assertEquals(inDocument, registry.limiter("a").snapshot().limit(), said::toString);
                }
            }
            time.advance(Duration.ofSeconds(61));
            assertNull(registry.limiter("a").status().override(), said::toString);
            assertEquals(inDocument, granted(registry.limiter("a")), said::toString);
            registry.close();
        }
    }
}
