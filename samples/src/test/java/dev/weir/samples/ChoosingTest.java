package dev.weir.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Problem;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documents of docs/start/choosing.md are in force as they are, and do what their comments say. */
class ChoosingTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)## ([^\n]+)\n\n```yaml\n(.*?)```");

    @TempDir
    Path folder;

    private static Map<String, String> documents() throws IOException {
        Map<String, String> documents = new LinkedHashMap<>();
        BLOCK.matcher(Files.readString(Path.of("../docs/start/choosing.md")))
                .results()
                .forEach((MatchResult found) -> documents.put(found.group(1), found.group(2)));
        return documents;
    }

    private LimiterRegistry registry(String heading) throws IOException {
        Path file = folder.resolve(heading.replaceAll("\\W+", "-") + ".yaml");
        return LimiterRegistry.builder()
                .source(FileSource.of(Files.writeString(file, documents().get(heading))))
                .instance("shop-1")
                .ticker(new VirtualTime())
                .build();
    }

    /** How many requests of these dimensions, or of this priority, are granted before one is refused, and why it is. */
    private static String granted(NamedLimiter limiter, Request request) {
        for (int granted = 0; ; granted++) {
            Decision decision = limiter.tryAcquire(request);
            if (decision instanceof Rejection refused) {
                return granted + " " + refused.reason();
            }
            assertTrue(granted < 10_000, limiter::name);
        }
    }

    private static String granted(NamedLimiter limiter, String user) {
        return granted(limiter, limiter.request(Map.of("user", user)::get));
    }

    /** What needs a store or a registry of instances says so; nothing else is wrong. */
    @Test
    void allAreInForce() throws IOException {
        Map<String, String> documents = documents();
        assertEquals(9, documents.size(), documents.keySet()::toString);
        for (String heading : documents.keySet()) {
            try (LimiterRegistry registry = registry(heading)) {
                List<Problem> problems = registry.status().problems();
                assertEquals(
                        List.of(),
                        problems.stream()
                                .filter(problem -> !problem.field().matches("|scope|share.of"))
                                .toList(),
                        heading);
                long named = Pattern.compile("(?m)^  \\w+:")
                        .matcher(documents.get(heading))
                        .results()
                        .count();
                assertEquals(named, registry.names().names().size() + problems.size(), heading);
            }
        }
    }

    @Test
    void aDependencyIsProtected() throws IOException {
        try (LimiterRegistry registry = registry("Protect what you call")) {
            assertEquals("20 CONCURRENCY", granted(registry.limiter("database"), Request.ONE));
            assertEquals("1 RATE", granted(registry.limiter("partner"), Request.ONE));
        }
    }

    @Test
    void theLeastImportantIsRefusedFirst() throws IOException {
        try (LimiterRegistry registry = registry("Protect yourself from overload")) {
            NamedLimiter mixed = registry.limiter("mixed");
            assertEquals("20 SHED", granted(mixed, Request.ONE.withPriority(2)));
            assertEquals("12 SHED", granted(mixed, Request.ONE.withPriority(1)));
            assertEquals("8 CONCURRENCY", granted(mixed, Request.ONE));
        }
    }

    @Test
    void eachClientHasItsShare() throws IOException {
        try (LimiterRegistry registry = registry("A fair share for each client")) {
            for (String user : new String[] {"ann", "ben"}) {
                assertEquals("20 RATE", granted(registry.limiter("api"), user));
                assertEquals("2 CONCURRENCY", granted(registry.limiter("export"), user));
                assertEquals("10 RATE", granted(registry.limiter("both"), user));
            }
        }
    }

    @Test
    void aQuotaHoldsExactly() throws IOException {
        try (LimiterRegistry registry = registry("A quota that was sold, or a rule that must hold exactly")) {
            assertEquals("100 RATE", granted(registry.limiter("sms"), Request.ONE));
            assertEquals("10 RATE", granted(registry.limiter("mail"), Request.ONE));
        }
    }

    @Test
    void aDryLimitGrantsAndAClosedOneDoesNot() throws IOException {
        try (LimiterRegistry registry = registry("A change that you are not sure of")) {
            for (int i = 0; i < 200; i++) {
                assertTrue(registry.limiter("new").tryAcquire() instanceof Permit);
            }
            assertEquals("0 " + Reason.NEVER, granted(registry.limiter("shut"), Request.ONE));
        }
    }
}
