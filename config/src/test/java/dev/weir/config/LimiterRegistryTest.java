package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.config.document.Format;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.config.value.ConfigValue;
import dev.weir.config.value.ConfigValues;
import dev.weir.engine.LimiterView;
import dev.weir.executor.LimitedExecutor;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.ConfigEvent.Difference;
import dev.weir.named.status.ConfigEvent.Refused;
import dev.weir.named.status.RegistryObserver;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueView;
import dev.weir.spi.Registration;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class LimiterRegistryTest extends RegistryFixture {
    @Test
    void aChangeOfTheDocumentIsInForceAndKeepsWhatIsInFlight() {
        LimiterRegistry registry = registry("limits: { checkout: { concurrency: 3 } }");
        NamedLimiter checkout = registry.limiter("checkout");
        assertEquals(3, granted(checkout));
        assertInstanceOf(Permit.class, checkout.tryAcquire());
        write("limits: { checkout: { concurrency: 5 } }");
        assertSame(checkout, registry.limiter("checkout"));
        assertEquals(4, granted(checkout));
        assertEquals(
                List.of(new Difference("checkout", "concurrency", "3", "5")),
                changed().differences());
        assertEquals("r2", changed().version());
    }

    @Test
    void anUnknownNameIsAnErrorThatNamesTheKnownOnes() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 }, b: { rate: 1/s } }");
        assertEquals(List.of("a", "b"), registry.names().names());
        String message = assertThrows(IllegalArgumentException.class, () -> registry.limiter("c"))
                .getMessage();
        assertEquals("name must be one of [a, b], was c", message);
    }

    @Test
    void aNameThatIsNearlyRightIsAnsweredWithTheOneThatWasMeant() {
        LimiterRegistry registry = registry("limits: { checkout: { concurrency: 1 }, search: { rate: 1/s } }");
        assertEquals(
                "name must be one of [checkout, search], was chekout; did you mean checkout?",
                assertThrows(IllegalArgumentException.class, () -> registry.limiter("chekout"))
                        .getMessage());
    }

    @Test
    @SuppressWarnings("NullAway")
    void nullIsRefusedByTheNameOfTheArgument() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1, queue: 5 }, b: { concurrency: 1 } }");
        NamedLimiter limiter = registry.limiter("a");
        NamedLimiter both = registry.names().limiter("a", "b");
        ConfigValues values = registry.values();
        Duration time = Duration.ofSeconds(1);
        Map<String, Executable> calls = new TreeMap<>();
        calls.put("observer", () -> registry.names().observe(null));
        calls.put("listener", () -> registry.names().onEvent(null));
        calls.put("name", () -> registry.limiter(null));
        calls.put("name ", () -> registry.limiter(null, new Semaphore(1)));
        calls.put("name  ", () -> registry.names().explain(null));
        calls.put("name   ", () -> registry.override(null, "concurrency: 1", time, "ann", "test"));
        calls.put("caps", () -> registry.names().limiter("a", new Semaphore(1), null));
        calls.put("entry", () -> registry.override("a", null, time, "ann", "test"));
        calls.put("duration", () -> registry.override("a", "concurrency: 1", null, "ann", "test"));
        calls.put("who", () -> registry.override("a", "concurrency: 1", time, null, "test"));
        calls.put("why", () -> registry.override("a", "concurrency: 1", time, "ann", null));
        calls.put("maxWait", () -> limiter.acquire(Request.ONE, null));
        calls.put("maxWait ", () -> limiter.acquireAsync(Request.ONE, null));
        calls.put("maxWait  ", () -> both.acquire(Request.ONE, null));
        calls.put("maxWait   ", () -> both.acquireAsync(Request.ONE, null));
        calls.put("key", () -> values.value(null, String.class, ""));
        calls.put("orElse", () -> values.value("k", String.class, null));
        calls.put("orElse ", () -> values.list("k", String.class, null));
        calls.put("check", () -> values.value("k", String.class, "", null, "must be short"));
        calls.put("target", () -> values.bind(null));
        calls.forEach((argument, call) -> assertEquals(
                argument.trim(),
                assertThrows(NullPointerException.class, call, argument).getMessage(),
                argument));
    }

    @Test
    void anAdaptiveLimitBeginsWithTheLimitOfTheDocument() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 3, adaptive: { min: 1, max: 9 } } }");
        assertEquals(3, granted(registry.limiter("a")));
        assertEquals(3, registry.limiter("a").snapshot().limit());
    }

    @Test
    void theDocumentComesBeforeTheDefaultOfTheCode() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 3 } }");
        assertEquals(3, granted(registry.limiter("a", new Semaphore(7))));
        assertEquals(8, granted(registry.limiter("b", new Semaphore(8))));
        write("limits: { b: { concurrency: 2 } }");
        assertEquals(7, granted(registry.limiter("a")));
        assertEquals(2, granted(registry.limiter("b")));
    }

    @Test
    void noDocumentExceedsACapOfTheCode() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 3 } }");
        NamedLimiter limiter = registry.names().limiter("a", new Semaphore(7), Caps.concurrency(10));
        for (String tooMuch : List.of(
                "{ concurrency: 11 }",
                "{ rate: 5/s }",
                "{ concurrency: 5, enforce: 0.5 }",
                "{ concurrency: 5, adaptive: { max: 11 } }",
                "{ concurrency: 5, key: user }")) {
            write("limits: { a: " + tooMuch + " }");
            assertEquals(3, granted(limiter), tooMuch);
            assertEquals(
                    1,
                    changed().problems().stream()
                            .map(problem -> problem.limiter())
                            .distinct()
                            .count());
        }
        write("limits: { a: { all-of: [ { concurrency: 9 }, { rate: 500/s } ] } }");
        assertEquals(9, granted(limiter));
    }

    @Test
    void aDocumentThatExceedsTheCapsOfALaterDeclarationIsNotInForce() {
        LimiterRegistry registry = registry("limits: { a: { rate: 100/s } }");
        NamedLimiter limiter = registry.names()
                .limiter("a", TokenBucket.of(5, Duration.ofSeconds(1)), Caps.rate(10, Duration.ofSeconds(1)));
        assertEquals(5, granted(limiter));
        assertEquals("a", refused().problems().get(0).limiter());
    }

    @Test
    void aNameThatIsRemovedDrainsAndRefusesUntilItReturns() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1, queue: 5 }, b: { concurrency: 1 } }");
        NamedLimiter limiter = registry.limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire());
        CompletableFuture<Decision> waiting = limiter.acquireAsync(dev.weir.Request.ONE);
        write("removed: [a]\nlimits: { b: { concurrency: 1 } }");
        assertEquals(
                Rejection.Reason.CANCELLED,
                assertInstanceOf(Rejection.class, waiting.join()).reason());
        assertEquals(List.of("b"), registry.names().names());
        assertTrue(held.release(Outcome.SUCCESS));
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        assertTrue(limiter.status().removed());
        write("limits: { a: { concurrency: 4 }, b: { concurrency: 1 } }");
        assertSame(limiter, registry.limiter("a"));
        assertEquals(4, granted(limiter));
    }

    @Test
    void aNameThatADocumentNoLongerHasKeepsItsSettingsAndIsAnOrphan() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 3, queue: 5 }, b: { concurrency: 1 } }");
        NamedLimiter limiter = registry.limiter("a");
        int before = events.size();
        write("limits: {}");
        assertEquals(3, granted(limiter));
        assertTrue(limiter.status().orphan());
        assertEquals(List.of("a", "b"), registry.names().names());
        assertEquals(
                List.of("a", "b"),
                assertInstanceOf(ConfigEvent.Orphaned.class, last()).names());
        assertEquals(before + 2, events.size());
        write("values: { n: 1 }\nlimits: { b: { concurrency: 2 } }");
        assertEquals(
                List.of("a"),
                assertInstanceOf(ConfigEvent.Orphaned.class, last()).names());
        write("limits: { a: { concurrency: 4 }, b: { concurrency: 2 } }");
        assertFalse(limiter.status().orphan());
        assertEquals(4, granted(limiter));
    }

    @Test
    void C4_oneBadLimitDoesNotStopTheOthers() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 }, b: { concurrency: 2 } }");
        write("limits: { a: { concurrency: -4 }, b: { concurrency: 5 }, c: { concurrency: 6 } }");
        assertEquals(1, granted(registry.limiter("a")));
        assertEquals(5, granted(registry.limiter("b")));
        assertEquals(6, granted(registry.limiter("c")));
        assertEquals(1, changed().problems().size());
        assertEquals("a", changed().problems().get(0).limiter());
    }

    @Test
    void C1_whatCannotBeUsedChangesNothingAndIsReportedOnce() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 } }");
        int before = events.size();
        for (String bad : List.of("", "null", "[]", "limits", "{ limits: { a: ", "limits: {}\nlimit: {}", "\u0000")) {
            int told = events.size();
            write(bad);
            time.advance(Duration.ofMinutes(5));
            assertEquals(told + 1, events.size(), bad);
            assertFalse(refused().problems().isEmpty(), bad);
            assertEquals(1, granted(registry.limiter("a")), bad);
        }
        source.put(Reading.absent());
        time.advance(Duration.ofMinutes(5));
        assertEquals(before + 8, events.size());
        assertEquals(8, registry.status().refused());
        assertEquals(1, granted(registry.limiter("a")));
    }

    @Test
    void C3_versionsOnlyGoForward() {
        LimiterRegistry registry = registry("document: { version: 7 }\nlimits: { a: { concurrency: 1 } }");
        write("document: { version: 6 }\nlimits: { a: { concurrency: 2 } }");
        assertTrue(refused().problems().get(0).toString().contains("higher version than 7"), last().toString());
        write("document: { version: 7 }\nlimits: { a: { concurrency: 2 } }");
        refused();
        write("limits: { a: { concurrency: 2 } }");
        refused();
        assertEquals(1, granted(registry.limiter("a")));
        write("document: { version: 8, author: ann, reason: sale }\nlimits: { a: { concurrency: 2 } }");
        assertEquals("8", changed().version());
        assertEquals("ann", changed().author());
        assertEquals("sale", changed().reason());
        assertEquals(2, granted(registry.limiter("a")));
    }

    @Test
    void C3_anOlderRevisionIsIgnored() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 } }");
        source.put(Reading.of("limits: { a: { concurrency: 2 } }".getBytes(StandardCharsets.UTF_8), Format.YAML)
                .revision(0)
                .whole());
        time.advance(Duration.ofSeconds(2));
        refused();
        assertEquals(1, granted(registry.limiter("a")));
    }

    @Test
    void C2_yamlThatMayBeHalfOfADocumentMustEndWithANewline() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 } }");
        Reading half = half("limits:\n  a: { concurrency: 9 }");
        source.put(half);
        time.advance(Duration.ofSeconds(2));
        assertFalse(refused().held());
        assertEquals(
                "memory: the document must end with a newline: it may be half of a document",
                refused().problems().get(0).toString());
        assertEquals(1, granted(registry.limiter("a")));
        assertEquals(1, registry.status().refused());
        source.put(half.whole());
        time.advance(Duration.ofSeconds(2));
        assertEquals(9, granted(registry.limiter("a")));
        for (String ended : List.of("limits:\n  a: { concurrency: 8 }\n", "{ limits: { a: { concurrency: 7 } } }")) {
            source.put(half(ended));
            time.advance(Duration.ofSeconds(2));
            changed();
        }
        assertEquals(7, granted(registry.limiter("a")));
    }

    @Test
    void aStagedDocumentReachesItsShareOfTheInstances() {
        int reached = 0;
        for (int i = 0; i < 200; i++) {
            source.write("limits: { a: { concurrency: 1 } }");
            LimiterRegistry registry = builder().instance("instance-" + i).build();
            write("document: { percent: 10 }\nlimits: { a: { concurrency: 2 } }");
            reached += granted(registry.limiter("a")) - 1;
            registry.close();
        }
        assertTrue(reached > 5 && reached < 40, "reached " + reached);
    }

    @Test
    void aFreshInstanceOutsideOfTheShareStartsWithTheDefaultsOfTheCode() {
        source.write("document: { percent: 0 }\nlimits: { a: { concurrency: 2 } }");
        LimiterRegistry registry = builder().build();
        assertTrue(refused().held());
        assertEquals(1, granted(registry.limiter("a", new Semaphore(1))));
        write("document: { percent: 100 }\nlimits: { a: { concurrency: 3 } }");
        assertEquals(3, granted(registry.limiter("a")));
    }

    private static AdaptiveControl control(LimiterRegistry registry) {
        return Objects.requireNonNull(registry.names().table().entry("a").local())
                .control();
    }

    @Test
    void adaptiveControlsComeChangeAndGo() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 20 } }");
        assertNull(control(registry));
        write("limits: { a: { concurrency: 20, adaptive: { min: 5, max: 30 } } }");
        AdaptiveControl control = control(registry);
        assertEquals(Bounds.of(5, 30), control.snapshot().bounds());
        Objects.requireNonNull(registry.names().table().entry("a").local())
                .limiter()
                .dial()
                .setLimit(25);
        write("limits: { a: { concurrency: 20, adaptive: { min: 6, max: 40 }, queue: 3 } }");
        assertSame(control, control(registry));
        assertEquals(Bounds.of(6, 40), control.snapshot().bounds());
        assertEquals(25, registry.limiter("a").snapshot().limit());
        write("limits: { a: { concurrency: 20, adaptive: { min: 6, max: 40, controller: aimd } } }");
        assertNotSame(control, control(registry));
        write("limits: { a: { concurrency: 20 } }");
        assertNull(control(registry));
        assertEquals(20, granted(registry.limiter("a")));
    }

    private void writeInstances(String instances) {
        write("limits: { a: { concurrency: 20, adaptive: { min: 5, max: 30" + instances + " } } }");
    }

    @Test
    void toBeTheOnlyInstanceIsAnotherControllerAtTheSameLimit() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 20, adaptive: { min: 5, max: 30 } } }");
        AdaptiveControl control = control(registry);
        Objects.requireNonNull(registry.names().table().entry("a").local())
                .limiter()
                .dial()
                .setLimit(25);
        writeInstances(", instances: 2");
        writeInstances(", instances: 30");
        assertSame(control, control(registry), "right for any number");
        writeInstances(", instances: 1");
        AdaptiveControl alone = control(registry);
        assertNotSame(control, alone);
        assertEquals(25, registry.limiter("a").snapshot().limit());
        writeInstances(", controller: crest, instances: 1, step: 2");
        writeInstances(", instances: 3");
        assertNotSame(alone, control(registry));
        assertEquals(25, registry.limiter("a").snapshot().limit());
        assertEquals(List.of(), changed().problems());
    }

    @Test
    void anotherControllerDoesNotOpenTheLimitAnew() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 200, adaptive: true } }");
        NamedLimiter limiter = registry.limiter("a");
        for (int call = 0; call < 1000 && limiter.snapshot().limit() < 200; call++) {
            limiter.run(() -> time.advance(Duration.ofMillis(10)));
        }
        assertEquals(
                200,
                limiter.snapshot().limit(),
                () -> control(registry).snapshot().toString());
        write("limits: { a: { concurrency: 200, adaptive: { instances: 1 } } }");
        assertEquals(200, limiter.snapshot().limit());
    }

    @Test
    void aQueueFollowsTheDocument() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 } }");
        NamedLimiter limiter = registry.limiter("a");
        assertNull(limiter.status().queue());
        assertEquals(Duration.ZERO, limiter.maxWait());
        write("limits: { a: { concurrency: 1, queue: { capacity: 4, max-wait: 50ms, discipline: lifo } } }");
        AdmissionQueue queue = Objects.requireNonNull(
                        registry.names().table().entry("a").local())
                .queue();
        assertEquals(4, queue.spec().capacity());
        assertEquals(Duration.ofMillis(50), limiter.maxWait());
        write("limits: { a: { concurrency: 1 } }");
        assertEquals(0, queue.spec().capacity());
        assertEquals(Duration.ZERO, limiter.maxWait());
    }

    @Test
    void anExecutorFollowsTheDocument() throws Exception {
        LimiterRegistry registry =
                registry("limits: { a: { concurrency: 2, queue: 9, executor: { threads: 2, queue-capacity: 5 } } }");
        LimitedExecutor executor = registry.names().executor("a");
        assertSame(executor, registry.names().executor("a"));
        assertEquals(7, executor.submit(() -> 7).get());
        write("limits: { a: { concurrency: 4, queue: 9, executor: { threads: 4, queue-capacity: 5 } } }");
        assertEquals(8, executor.submit(() -> 8).get());
        registry.close();
        assertTrue(executor.isShutdown());
    }

    @Test
    void theTimeoutOfTasksFollowsTheDocument() {
        String limit = "limits: { a: { concurrency: 1, queue: { capacity: 9, max-wait: %s } } }";
        LimiterRegistry registry = registry(limit.formatted("1h"));
        List<Runnable> started = new ArrayList<>();
        LimitedExecutor executor = registry.names().executor("a", started::add);
        assertInstanceOf(Permit.class, registry.limiter("a").tryAcquire());
        write(limit.formatted("10ms"));
        java.util.concurrent.Future<?> task = executor.submit(() -> {});
        time.advance(Duration.ofMillis(20));
        org.awaitility.Awaitility.await().until(task::isDone);
    }

    @Test
    void withoutASectionForThreadsAnExecutorMustBeGiven() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 } }");
        assertThrows(IllegalStateException.class, () -> registry.names().executor("a"));
        registry.names().executor("a", Runnable::run).execute(() -> {});
    }

    @Test
    void observersHearOfPresentAndFuturePartsUntilTheyGo() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 } }");
        List<String> bound = new ArrayList<>();
        Registration observing = registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                bound.add(limiter.name());
                return () -> bound.remove(limiter.name());
            }

            @Override
            public Registration onQueue(QueueView queue) {
                throw new IllegalStateException("an observer that fails");
            }
        });
        assertEquals(List.of("a"), bound);
        write("limits: { a: { concurrency: 1, queue: 1 }, b: { concurrency: 1 } }");
        assertEquals(List.of("a", "b"), bound);
        write("removed: [a]\nlimits: { b: { concurrency: 1 } }");
        assertEquals(List.of("b"), bound);
        observing.close();
        assertEquals(List.of(), bound);
    }

    @Test
    void aRestartWhileTheSourceIsAwayStartsWithTheLastGood(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("last-good");
        source.write("document: { version: 3 }\nlimits: { a: { concurrency: 3 } }");
        LimiterRegistry before = builder().lastGood(file).build();
        write("document: { version: 4 }\nlimits: { a: { concurrency: 4 } }");
        write("document: { version: 5 }\nlimits: { a: { concurrency: 5 } }");
        write("limits: rubbish");
        before.close();
        source.goAway();
        LimiterRegistry after = builder().lastGood(file).build();
        assertEquals(5, granted(after.limiter("a")));
        assertFalse(after.status().up());
        source.comeBack();
        write("document: { version: 4 }\nlimits: { a: { concurrency: 4 } }");
        assertEquals(5, granted(after.limiter("a")));
        write("document: { version: 6 }\nlimits: { a: { concurrency: 6 } }");
        assertEquals(6, granted(after.limiter("a")));
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(List.of(file), files.toList());
        }
    }

    @Test
    void aDamagedLastGoodIsReportedAndNotUsed(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("last-good");
        source.write("limits: { a: { concurrency: 3 } }");
        builder().lastGood(file).build().close();
        byte[] bytes = Files.readAllBytes(file);
        source.goAway();
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 1;
            Files.write(file, damaged);
            events.clear();
            LimiterRegistry registry = builder().lastGood(file).build();
            assertEquals(List.of(), registry.names().names(), "byte " + i);
            assertEquals(1, events.stream().filter(Refused.class::isInstance).count(), "byte " + i);
        }
    }

    @Test
    void aValueThatIsWrongKeepsItsLastTextAndOneThatIsRemovedHasItsDefault() {
        LimiterRegistry registry = registry("limits: {}\nvalues: { mail: { timeout: 3s, retries: 4 } }");
        ConfigValue<Duration> timeout = registry.values().value("mail.timeout", Duration.class, Duration.ofSeconds(1));
        ConfigValue<Integer> retries = registry.values().value("mail.retries", Integer.class, 1);
        for (String wrong : List.of("{ mail: { timeout: null } }", "{ mail: null }", "{ mail: { timeout: soon } }")) {
            write("limits: {}\nvalues: " + wrong);
            assertEquals(Duration.ofSeconds(3), timeout.get(), wrong);
            assertEquals(1, changed().problems().size(), wrong);
        }
        write("limits: {}\nvalues: { mail: { retries: 7 } }");
        assertEquals(Duration.ofSeconds(1), timeout.get());
        assertEquals(7, retries.get());
    }

    @Test
    void aDifferenceOfAValueDoesNotShowIt() {
        registry("limits: {}\nvalues: { a: 1, b: 2, c: 3 }");
        write("limits: {}\nvalues: { b: 3, c: 3, d: 4 }");
        assertEquals(
                List.of("values.a: (hidden) -> none", "values.b: (hidden) -> (hidden)", "values.d: none -> (hidden)"),
                changed().differences().stream().map(Difference::toString).toList());
    }

    @Test
    void C1_whatIsWrongInTheLastDocumentKeepsItsLastGoodSettingsOverARestart(@TempDir Path directory) {
        Path file = directory.resolve("last-good");
        source.write("limits: { a: { concurrency: 10 }, b: { concurrency: 11 } }\nvalues: { n: 5 }");
        LimiterRegistry before = builder().lastGood(file).build();
        before.names().limiter("b", new Semaphore(1), Caps.concurrency(50));
        ConfigValue<Integer> n = before.values().value("n", Integer.class, 1);
        write("limits: { a: { concurrency: 20 }, b: { concurency: 12 } }\nvalues: { n: 6 }");
        write("limits: { a: { concurrency: 30 }, b: { concurrency: 13, adaptive: { max: 99 } } }\nvalues: { n: x }");
        write("limits: { a: { concurrency: -1 }, b: { concurrency: 13, adaptive: { max: 99 } } }\nvalues: { n: x }");
        time.advance(Duration.ofSeconds(2));
        assertEquals(6, n.get());
        before.close();
        source.goAway();
        LimiterRegistry after = builder().lastGood(file).build();
        assertEquals(30, granted(after.limiter("a")));
        assertEquals(11, granted(after.names().limiter("b", new Semaphore(1), Caps.concurrency(50))));
        assertEquals(6, after.values().value("n", Integer.class, 1).get());
    }

    @Test
    void twoRegistriesNeverMeet() {
        LimiterRegistry one = registry("limits: { a: { concurrency: 1 } }");
        LimiterRegistry two = LimiterRegistry.builder().onEvent(events::add).build();
        assertEquals(List.of(), two.names().names());
        two.limiter("a", new Semaphore(9));
        assertEquals(1, granted(one.limiter("a")));
        assertEquals(9, granted(two.limiter("a")));
    }

    @Test
    void anAnswerIsWrittenBackForEachDocument() throws Exception {
        LimiterRegistry registry = registry("document: { version: 1 }\nlimits: { a: { concurrency: 1 } }");
        write("document: { version: 2 }\nlimits: { a: { concurrency: none } }");
        write("{");
        List<InstanceStatus> statuses = registry.rollout();
        assertEquals(
                List.of("one 1 1 ACCEPTED 0", "one 2 2 ACCEPTED 1", "one 2 r3 REJECTED 1"),
                statuses.stream()
                        .map(status -> status.instance() + " " + status.running() + " " + status.offered() + " "
                                + status.result() + " " + status.problems().size())
                        .toList());
    }

    @Test
    void C4_aListenerThatThrowsStopsNothing() {
        source.write("limits: { a: { concurrency: 1 } }");
        LimiterRegistry registry = builder()
                .onEvent(event -> {
                    throw new IllegalStateException("a listener that fails");
                })
                .build();
        write("limits: { a: { concurrency: 2 } }");
        assertEquals(2, granted(registry.limiter("a")));
        assertTrue(registry.status().failures() > 0);
    }

    @Test
    void afterCloseAllIsRefused() {
        LimiterRegistry registry = registry("limits: { a: { concurrency: 1 } }");
        NamedLimiter limiter = registry.limiter("a");
        registry.close();
        registry.close();
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        assertThrows(IllegalStateException.class, () -> registry.limiter("b", new Semaphore(1)));
    }
}
