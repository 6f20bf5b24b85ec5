package dev.weir.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.LearnedCost;
import dev.weir.adaptive.controller.Crest;
import dev.weir.adaptive.warmup.WarmUpReport;
import dev.weir.adaptive.warmup.WarmUpRoutine;
import dev.weir.adaptive.warmup.WarmUpRoutines;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import dev.weir.config.value.ConfigValue;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.executor.LimitedExecutor;
import dev.weir.http.ClientAddress;
import dev.weir.http.RateLimitFields;
import dev.weir.http.ReceivedFields;
import dev.weir.keyed.Keyed;
import dev.weir.named.NamedLimiter;
import dev.weir.named.plan.Caps;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code that pages of docs show: a block of a page is a region of this class, so what it shows compiles and runs. */
class PagesTest {
    private final StringBuilder done = new StringBuilder();

    private String write(String text) {
        done.append(text);
        return text;
    }

    /** How many permits are granted now; they stay in flight. */
    private static int free(Limiter limiter) {
        int granted = 0;
        while (limiter.tryAcquire() instanceof Permit) {
            granted++;
        }
        return granted;
    }

    @Test
    void aDecisionIsAPermitOrARejection() {
        // #region decision
        Limiter limiter = Limiters.of("orders", new Semaphore(20));
        Decision decision = limiter.tryAcquire();
        if (decision instanceof Permit permit) {
            try (permit) {
                write("order");
            }
        } else if (decision instanceof Rejection refused) {
            write("busy: " + refused.reason());
        }
        // #endregion decision
        assertEquals("order", done.toString());
        assertEquals(20, free(limiter));
    }

    @Test
    void anOutcomeSaysHowTheWorkEnded() {
        ManagedLimiter limiter = Limiters.of("orders", new Semaphore(1));
        // #region outcome
        if (limiter.tryAcquire() instanceof Permit permit) {
            try {
                write("order");
                permit.release(Outcome.SUCCESS);
            } catch (RuntimeException | Error failed) {
                permit.release(Outcome.of(failed)); // DROPPED for a timeout or a rejection, else IGNORED
                throw failed;
            }
        }
        // #endregion outcome
        assertEquals(0, limiter.snapshot().inFlight());
    }

    @Test
    void aChangeKeepsWhatIsInFlight() {
        // #region change
        ManagedLimiter limiter = Limiters.of("orders", new Semaphore(20));
        limiter.dial().setLimit(30); // the limit
        limiter.reconfigure(TokenBucket.of(100, Duration.ofSeconds(1))); // the algorithm
        // #endregion change
        assertEquals(100, limiter.snapshot().limit());
    }

    @Test
    void aQueueMakesCallersWait() throws InterruptedException {
        // #region queue
        ManagedLimiter limiter = Limiters.of("orders", new Semaphore(20));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(100));
        Decision decision = queue.acquire(Request.ONE, Duration.ofMillis(200));
        CompletableFuture<String> answer =
                queue.callAsync(Request.ONE, Duration.ofMillis(200), () -> CompletableFuture.completedStage("sold"));
        // #endregion queue
        assertInstanceOf(Permit.class, decision);
        assertEquals("sold", answer.join());
        queue.close();
    }

    @Test
    void anExecutorRunsSoManyAtOnce() throws Exception {
        // #region executor
        ExecutorService pool = Executors.newCachedThreadPool();
        ManagedLimiter atOnce = Limiters.of("reports", new Semaphore(4));
        AdmissionQueue queue = AdmissionQueue.before(atOnce, QueueSpec.of(100));
        ExecutorService reports = LimitedExecutor.of(pool, queue); // 4 at once, 100 wait
        Future<String> report = reports.submit(() -> write("report"));
        // #endregion executor
        assertEquals("report", report.get());
        reports.shutdown();
        pool.shutdown();
    }

    @Test
    void aLimitAdjustsItself() {
        // #region adaptive
        ManagedLimiter search = Limiters.of("search", new Semaphore(20));
        AdaptiveControl control = AdaptiveControl.of(search, new Crest(), Bounds.of(1, 500));
        // #endregion adaptive
        assertEquals(20, control.snapshot().limit());
        control.close();
    }

    @Test
    void aLimitOfTheOnlyInstanceAdjustsItself() {
        ManagedLimiter search = Limiters.of("search", new Semaphore(20));
        AdaptiveControl control = AdaptiveControl.of(search, Crest.alone(), Bounds.of(1, 500));
        assertEquals(20, control.snapshot().limit());
        control.close();
    }

    @Test
    void aLimitStartsCold() throws InterruptedException {
        // #region warm-up
        // From 33 to 100.
        Limiter orders = Limiters.of("orders", WarmUp.of(new Semaphore(100), Duration.ofMinutes(1)));
        // #endregion warm-up
        assertEquals(33, free(orders));
        List<WarmUpRoutine> routines = List.of(WarmUpRoutine.named("cache", () -> write("warm")));
        // #region routines
        List<WarmUpReport> reports =
                WarmUpRoutines.of(routines).within(Duration.ofSeconds(20)).run(Runnable::run);
        // #endregion routines
        assertEquals("warm", done.toString());
        assertEquals(1, reports.size());
    }

    @Test
    void eachKeyHasItsLimit() {
        // #region keyed
        TokenBucket perClient = TokenBucket.of(100, Duration.ofSeconds(1));
        Limiter clients = Limiters.of("clients", Keyed.of(perClient, 10_000)); // 10,000 are kept
        Decision decision = clients.tryAcquire(Request.forKey("client-7"));
        // #endregion keyed
        assertInstanceOf(Permit.class, decision);
    }

    @Test
    void aCostIsSettledWhenTheWorkHasEnded() {
        // #region cost
        // 400,000 tokens and 500 requests a minute, 40 calls at the same time.
        ManagedLimiter model = Limiters.of(
                "model",
                AllOf.of(
                        Settled.of(TokenBucket.of(400_000, Duration.ofMinutes(1))),
                        TokenBucket.of(500, Duration.ofMinutes(1)),
                        new Semaphore(40)));
        Request request = Request.ONE.settled(3_000); // the estimate
        if (model.tryAcquire(request) instanceof Permit permit) {
            try (permit) {
                long tokens = write("answer").length();
                permit.settle(tokens); // what it has cost
            }
        }
        // #endregion cost
        assertEquals("answer", done.toString());
        assertEquals(0, model.snapshot().inFlight());
        assertTrue(model.snapshot().debtNanos() <= 120_000_000, "that of one of 500 requests a minute");
        assertTrue(model.charge(Request.ONE.settled(4_000_000)));
        Rejection refused = assertInstanceOf(Rejection.class, model.tryAcquire(request));
        assertTrue(refused.retryAfterNanos() > Duration.ofMinutes(8).toNanos(), refused::toString);
    }

    @Test
    void anEstimateIsLearned() {
        Limiter model = Limiters.of("model", Settled.of(TokenBucket.of(400_000, Duration.ofMinutes(1))));
        // #region learned
        LearnedCost costs = LearnedCost.of("tokens", 2_000); // the first estimate
        if (model.tryAcquire(costs.request(Request.ONE, "summary")) instanceof Permit permit) {
            long tokens = write("answer").length();
            permit.settle(tokens);
            costs.settled("summary", tokens);
        }
        // #endregion learned
        assertEquals("answer", done.toString());
        assertTrue(costs.estimate("summary") < 2_000);
        assertEquals(2_000, costs.estimate("translation"));
    }

    @Test
    void aDecisionIsAnHttpAnswer() {
        Map<String, String> fields = new TreeMap<>();
        AtomicInteger status = new AtomicInteger(200);
        Map<String, List<String>> headers = Map.of("X-Forwarded-For", List.of("192.0.2.7"));
        // #region http
        TokenBucket limit = TokenBucket.of(100, Duration.ofMinutes(1));
        ManagedLimiter perClient = Limiters.of("client", Keyed.of(limit, 10_000));
        // One load balancer, which appends to X-Forwarded-For.
        ClientAddress clients = ClientAddress.behind(1);
        RateLimitFields answer = RateLimitFields.of(perClient);

        String client = clients.key("10.0.0.1", name -> headers.getOrDefault(name, List.of()));
        Request request = Request.forKey(client);
        Decision decision = perClient.tryAcquire(request);
        answer.write(request, decision, fields::put);
        if (decision instanceof Rejection refused) {
            status.set(RateLimitFields.status(refused)); // 429, 503 or 400
        }
        // #endregion http
        assertEquals("192.0.2.7", client);
        assertEquals(200, status.get());
        assertEquals("\"client\";q=100;w=60", fields.get("RateLimit-Policy"));
        assertEquals("\"client\";r=99;t=1", fields.get("RateLimit"));
    }

    @Test
    void whatAServerTellsItsClients() {
        Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        fields.put("Retry-After", "120");
        ManagedLimiter provider = Limiters.of("provider", new Semaphore(40));
        int status = 429;

        // #region received
        Duration wait = ReceivedFields.of().retryAfter(status, fields::get);
        provider.suspendFor(wait, "told by the provider");
        // #endregion received

        assertEquals(Duration.ofMinutes(2), wait);
        Rejection refused = assertInstanceOf(Rejection.class, provider.tryAcquire());
        assertEquals(Rejection.Reason.SUSPENDED, refused.reason());
    }

    @Test
    void theDocumentAndTheCodeWorkTogether(@TempDir Path directory) throws Exception {
        Path file = Files.copy(Path.of("src/test/resources/named-limits.yaml"), directory.resolve("limits.yaml"));
        Map<String, String> request = Map.of("user", "ann", "ip", "10.0.0.1");
        // #region registry
        LimiterRegistry limits = LimiterRegistry.of(FileSource.of(file));
        // The default of the name, and its cap: both are optional.
        NamedLimiter checkout = limits.names().limiter("checkout", new Semaphore(20), Caps.concurrency(500));
        checkout.run(() -> write("sold"), refused -> write("busy: " + refused.reason()));

        NamedLimiter search = limits.limiter("search");
        Decision decision = search.tryAcquire(search.request(request::get)); // "user", "ip"
        // #endregion registry
        // #region value
        ConfigValue<Duration> timeout = limits.values().value("mail.timeout", Duration.class, Duration.ofSeconds(1));
        // #endregion value
        try (limits) {
            assertEquals(40, limits.limiter("checkout").snapshot().limit());
            assertEquals("sold", done.toString());
            assertInstanceOf(Permit.class, decision);
            assertEquals(Duration.ofSeconds(2), timeout.get());
        }
    }

    @Test
    void aValueFollowsADocument(@TempDir Path directory) throws IOException {
        Path file = Files.copy(Path.of("src/test/resources/named-limits.yaml"), directory.resolve("limits.yaml"));
        AtomicReference<Duration> client = new AtomicReference<>();
        try (LimiterRegistry limits = LimiterRegistry.of(FileSource.of(file))) {
            // #region values
            ConfigValue<Duration> timeout =
                    limits.values().value("mail.timeout", Duration.class, Duration.ofSeconds(1));
            client.set(timeout.get()); // one volatile read
            timeout.onChange(client::set); // after each change, not for the present value
            ConfigValue<Integer> permits = limits.values().value("permits", int.class, 40, n -> n > 0, "must be > 0");
            // #endregion values
            assertEquals(Duration.ofSeconds(2), client.get());
            assertEquals(40, permits.get());
        }
    }
}
