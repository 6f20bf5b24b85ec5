package dev.weir.http;

import static dev.weir.http.ParsedFields.permit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Permit.Quota;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.http.RateLimitFields.Reset;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.Keyed;
import dev.weir.spi.LimitView;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RateLimitFieldsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long MILLI = 1_000_000;
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochMilli(1_000_000_500));

    private final VirtualTime time = new VirtualTime();

    private static Map<String, String> written(RateLimitFields fields, Decision decision) {
        return written(fields, Request.ONE, decision);
    }

    private static Map<String, String> written(RateLimitFields fields, Request request, Decision decision) {
        return ParsedFields.of(fields, request, decision).texts();
    }

    private ManagedLimiter limiter(String name, StrategySpec spec) {
        return Limiters.builder(name, spec).ticker(time).build();
    }

    /** A limit that is no limiter in this process. */
    private record View(String name, Supplier<StrategySpec> read, Function<Request, @Nullable Quota> quotas)
            implements LimitView {
        @Override
        public StrategySpec spec() {
            return read.get();
        }

        @Override
        public @Nullable Quota quota(Request request) {
            return quotas.apply(request);
        }
    }

    private static Rejection refused(String name, Reason reason, long retryAfterNanos, long limit) {
        return new Rejection(name, reason, retryAfterNanos, limit);
    }

    private static RateLimitFields.Builder daily() {
        return RateLimitFields.builder().policy(Policy.rate("daily", 1000, Duration.ofDays(1)));
    }

    @Test
    void aPermitTellsWhatTheStoreSaidOfItsQuota() {
        Decision granted = permit(new Quota(1000, 998, 86_399_000_000_001L));

        assertEquals(
                Map.of("RateLimit", "\"daily\";r=998;t=86400", "RateLimit-Policy", "\"daily\";q=1000;w=86400"),
                written(daily().build(), granted));
        assertEquals(Map.of("RateLimit-Policy", "\"daily\";q=1000;w=86400"), written(daily().build(), permit(null)));
    }

    @Test
    void aPermitTellsWhatItsLimitersKnow() {
        ManagedLimiter search = limiter("search", TokenBucket.of(100, SECOND).withCapacity(20));
        ManagedLimiter service = limiter("service", new Semaphore(3));
        RateLimitFields fields = RateLimitFields.of(search, service);
        Decision first = search.tryAcquire(5);
        Decision second = service.tryAcquire();

        assertTrue(second instanceof Permit);
        Map<String, String> written = written(fields, first);
        assertEquals(
                "\"search\";q=100;w=1, \"service\";q=3;qu=\"concurrent-requests\"", written.get("RateLimit-Policy"));
        assertEquals("\"search\";r=15;t=1, \"service\";r=2", written.get("RateLimit"));
    }

    @Test
    void H2_aRejectionTellsTheLimitThatRefusedAndWhenToComeBack() {
        ManagedLimiter client = limiter("client", Keyed.of(TokenBucket.of(2, Duration.ofMinutes(1)), 10));
        RateLimitFields fields = RateLimitFields.builder()
                .limiter(limiter("service", new Semaphore(3)))
                .limiter(client)
                .build();
        Request ann = Request.forKey("ann");
        Decision decision = client.tryAcquire(ann);
        while (decision instanceof Permit) {
            decision = client.tryAcquire(ann);
        }

        Map<String, String> written = written(fields, decision);
        assertEquals("\"client\";q=2;w=60", written.get("RateLimit-Policy"));
        assertEquals("\"client\";r=0;t=30", written.get("RateLimit"));
        long wait = Long.parseLong(written.get("Retry-After"));
        assertTrue(wait >= 30 && wait <= 45, wait + " s");
        assertEquals(429, RateLimitFields.status((Rejection) decision));
    }

    @Test
    void anAdmittedRequestOfALimitByKeyTellsTheFiguresOfItsKey() {
        Keyed perMinute = Keyed.of(TokenBucket.of(60, Duration.ofMinutes(1)), 10);
        ManagedLimiter client = limiter("client", perMinute);
        ManagedLimiter user = limiter("user", perMinute.by("user"));
        for (ManagedLimiter limiter : List.of(client, user)) {
            RateLimitFields fields = RateLimitFields.of(limiter);
            Request ann = Request.forKey(Dimensions.of("url", "/a", "user", "ann"));
            Decision last = limiter.tryAcquire(ann.withPermits(3));
            Map<String, String> written = written(fields, ann, last);
            assertEquals("\"" + limiter.name() + "\";q=60;w=60", written.get("RateLimit-Policy"));
            assertEquals("\"" + limiter.name() + "\";r=57;t=3", written.get("RateLimit"));
            last = limiter.tryAcquire(ann.withPermits(58));
            written = written(fields, ann, last);
            assertEquals("\"" + limiter.name() + "\";q=60;w=60", written.get("RateLimit-Policy"), "refused");
        }
        assertEquals(
                "\"client\";q=60;w=60",
                written(RateLimitFields.of(client), permit(null)).get("RateLimit-Policy"),
                "no key is needed for the window");
        assertEquals(
                "\"user\";q=60;w=60",
                written(RateLimitFields.of(user), permit(null)).get("RateLimit-Policy"),
                "nor is a name");
        assertEquals(
                List.of(Policy.rate("pair", 60, Duration.ofMinutes(1))),
                Policy.of("pair", WarmUp.of(perMinute.by("user", "ip"), Duration.ofSeconds(30))).stream()
                        .map(each -> new Policy(each.name(), 60, each.window(), each.unit()))
                        .toList());
    }

    @Test
    void theFiguresOfANamedLimitAreAskedForAndDoNotBreakAResponse() {
        ManagedLimiter counted = limiter("all", SlidingWindow.of(5, SECOND));
        assertTrue(counted.tryAcquire() instanceof Permit);
        RateLimitFields asking = RateLimitFields.builder()
                .limiter(new View("all", counted::spec, counted::quota))
                .build();
        RateLimitFields failing = RateLimitFields.builder()
                .limiter(new View("all", counted::spec, request -> {
                    throw new IllegalStateException("broken");
                }))
                .build();
        assertEquals("\"all\";r=4;t=2", written(asking, permit(null)).get("RateLimit"));
        assertEquals(
                Map.of("RateLimit-Policy", "\"all\";q=5;w=1"), written(failing, permit(null)), "what is known is told");
    }

    @Test
    void H2_aRejectionIsToldUnderTheNameOfTheLimitThatRefused() {
        RateLimitFields client = RateLimitFields.of(limiter("client", TokenBucket.of(100, SECOND)));
        Rejection daily = refused("daily", Reason.RATE, 2_000 * MILLI, 9);
        assertEquals("\"daily\";q=9", written(client, daily).get("RateLimit-Policy"));
        assertEquals("\"daily\";r=0;t=2", written(client, daily).get("RateLimit"));
        assertTrue(client.problem(daily).endsWith("\"violated-policies\":[\"daily\"]}"), client.problem(daily));
        assertEquals(
                "\"service\";q=3;qu=\"concurrent-requests\"",
                written(client, refused("service", Reason.CONCURRENCY, 0, 3)).get("RateLimit-Policy"));
        assertEquals(
                Set.of("Retry-After"),
                written(client, refused("daily", Reason.UNAVAILABLE, MILLI, 0)).keySet(),
                "nothing is known of its limit");
    }

    @Test
    void H2_aRejectionByOnePartIsNotToldAsAnother() {
        ManagedLimiter mail = limiter(
                "mail",
                AllOf.of(new Semaphore(10), TokenBucket.of(10, SECOND), SlidingWindow.of(10, Duration.ofDays(1))));
        RateLimitFields fields = RateLimitFields.of(mail);
        assertEquals(
                "\"mail-1\";q=10;qu=\"concurrent-requests\"",
                written(fields, refused("mail", Reason.CONCURRENCY, 0, 10)).get("RateLimit-Policy"));
        assertEquals(
                "\"mail\";q=10",
                written(fields, refused("mail", Reason.RATE, MILLI, 10)).get("RateLimit-Policy"),
                "two parts are alike");
        assertEquals(
                "\"mail\";q=11",
                written(fields, refused("mail", Reason.RATE, MILLI, 11)).get("RateLimit-Policy"),
                "none has this limit");
        for (int i = 0; i < 10; i++) {
            mail.run(() -> {});
        }
        time.advance(SECOND);
        assertEquals(
                "\"mail-3\";q=10;w=86400",
                written(fields, mail.tryAcquire()).get("RateLimit-Policy"),
                "the window of what is used up tells which");
    }

    @Test
    void H2_aRequestWithoutItsKeyIsAMistakeOfTheCallerAndNeverA429() {
        ManagedLimiter client = limiter("client", Keyed.of(TokenBucket.of(60, Duration.ofMinutes(1)), 10));
        RateLimitFields fields = RateLimitFields.builder()
                .limiter(client)
                .legacy(Reset.SECONDS, CLOCK)
                .build();
        Rejection refused = (Rejection) client.tryAcquire();
        assertEquals(400, RateLimitFields.status(refused));
        assertEquals(Map.of("RateLimit-Policy", "\"client\";q=60;w=60"), written(fields, refused));
        assertEquals(
                "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"violated-policies\":[\"client\"]}",
                fields.problem(refused));
    }

    @Test
    void H2_retryAfterIsAtLeastOneSecondAndMissingIfItIsOfNoUse() {
        RateLimitFields fields = daily().random(() -> 0).build();

        assertEquals("1", written(fields, refused("daily", Reason.RATE, 1, 9)).get("Retry-After"));
        assertEquals(
                "1", written(fields, refused("daily", Reason.CONCURRENCY, 0, 9)).get("Retry-After"));
        assertEquals(
                "2",
                written(fields, refused("daily", Reason.RATE, 1000 * MILLI + 1, 9))
                        .get("Retry-After"));
        assertFalse(written(fields, refused("daily", Reason.NEVER, 0, 9)).containsKey("Retry-After"));
        assertEquals(
                "\"daily\";r=0",
                written(fields, refused("daily", Reason.NEVER, 0, 9)).get("RateLimit"));
    }

    @Test
    @Tag("property")
    void H2_retryAfterIsNotEarlierThanTAndAtMostOneSecondLaterBeforeJitter() {
        Seed.forAll(1000, random -> {
            long nanos = Math.max(1, random.nextLong(Long.MAX_VALUE) >> random.nextInt(62));
            Rejection rejection = refused("daily", Reason.RATE, nanos, 9);
            Map<String, String> plain = written(daily().random(() -> 0).build(), rejection);
            Map<String, String> jittered =
                    written(daily().random(random::nextLong).build(), rejection);
            long t = Long.parseLong(plain.get("RateLimit").replaceAll(".*t=", ""));
            long before = Long.parseLong(plain.get("Retry-After"));
            long after = Long.parseLong(jittered.get("Retry-After"));

            assertEquals(plain.get("RateLimit"), jittered.get("RateLimit"));
            assertTrue(before >= 1 && before - 1 <= nanos / 1e9, before + " s for " + nanos);
            assertTrue(after >= t && before >= t, after + " s before " + t);
        });
    }

    @Test
    void H2_theStatusSaysWhoseFaultItIs() {
        Map<Reason, Integer> statuses = new TreeMap<>();
        for (Reason reason : Reason.values()) {
            statuses.put(reason, RateLimitFields.status(refused("a", reason, 0, 1)));
        }
        assertEquals(
                Map.of(
                        Reason.RATE, 429,
                        Reason.NEVER, 429,
                        Reason.KEY_MISSING, 400,
                        Reason.CONCURRENCY, 503,
                        Reason.QUEUE_FULL, 503,
                        Reason.TIMED_OUT, 503,
                        Reason.SHED, 503,
                        Reason.CANCELLED, 503,
                        Reason.UNAVAILABLE, 503,
                        Reason.SUSPENDED, 503),
                statuses);
    }

    @Test
    void H2_whatCannotBeDecidedIsAFaultOfTheServerAndTheClientComesBack() {
        RateLimitFields fields = daily().build();
        Rejection away = refused("daily", Reason.UNAVAILABLE, 0, 0);
        String problem = fields.problem(away);

        assertEquals("1", written(fields, away).get("Retry-After"));
        assertEquals("\"daily\";q=1000;w=86400", written(fields, away).get("RateLimit-Policy"));
        assertTrue(problem.contains("#temporary-reduced-capacity\"") && problem.contains("\"status\":503"), problem);
    }

    @Test
    void H2_aSuspendedLimitTellsWhenToComeBack() {
        ManagedLimiter upstream = limiter("upstream", new Semaphore(3));
        upstream.suspendFor(SECOND.multipliedBy(90), "told");
        Rejection refused = (Rejection) upstream.tryAcquire();
        Map<String, String> fields = written(RateLimitFields.of(upstream), refused);

        assertEquals(503, RateLimitFields.status(refused));
        assertTrue(Long.parseLong(fields.get("Retry-After")) >= 90, fields::toString);
        assertEquals("\"upstream\";r=0;t=90", fields.get("RateLimit"));
    }

    @Test
    void aPartOfALimitThatRefusesIsFoundByItsQuota() {
        ManagedLimiter mail = limiter(
                "mail", new AllOf(List.of(TokenBucket.of(10, SECOND), SlidingWindow.of(15, Duration.ofHours(1)))));
        RateLimitFields fields = RateLimitFields.of(mail);

        assertEquals(
                "\"mail-2\";r=0;t=1",
                written(fields, refused("mail", Reason.RATE, MILLI, 15)).get("RateLimit"));
        assertEquals(
                "\"mail-1\";q=10;w=1, \"mail-2\";q=15;w=3600",
                written(fields, mail.tryAcquire()).get("RateLimit-Policy"));
    }

    @Test
    void H2_whatIsLeftIsOfTheLimitThatIsNamed() {
        RateLimitFields burst =
                RateLimitFields.of(limiter("burst", TokenBucket.of(10, SECOND).withCapacity(50)));
        assertEquals("\"burst\";r=10", written(burst, permit(null)).get("RateLimit"), "of 50");

        assertEquals(
                Map.of("RateLimit", "\"daily\";r=4;t=1", "RateLimit-Policy", "\"daily\";q=5;w=86400"),
                written(daily().build(), permit(new Quota(5, 4, 1))),
                "the limit was another one at the decision");

        RateLimitFields mail = RateLimitFields.of(limiter(
                "mail",
                new AllOf(List.of(
                        TokenBucket.of(10, SECOND),
                        SlidingWindow.of(15, Duration.ofHours(1)),
                        SlidingWindow.of(10, Duration.ofDays(1))))));
        assertEquals(
                "\"mail-2\";r=3;t=7",
                written(mail, permit(new Quota(15, 3, 7_000 * MILLI))).get("RateLimit"));
        assertEquals("\"mail-1\";r=10", written(mail, permit(null)).get("RateLimit"), "its limiter knows which part");
        assertEquals(
                "\"mail-3\";r=3;t=1",
                written(mail, permit(new Quota(10, 3, 1, 86_400_000 * MILLI))).get("RateLimit"));
        for (Quota unknown : new Quota[] {new Quota(10, 3, 1), new Quota(11, 3, 1)}) {
            assertNull(written(mail, permit(unknown)).get("RateLimit"), () -> "of which part is " + unknown);
        }
    }

    @Test
    @Tag("property")
    void H2_noMoreIsLeftThanTheQuotaOfThatName() {
        Seed.forAll(300, random -> {
            List<StrategySpec> rates = new ArrayList<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                TokenBucket bucket = TokenBucket.of(1 + random.nextInt(20), Duration.ofSeconds(1 + random.nextInt(9)));
                rates.add(
                        switch (random.nextInt(5)) {
                            case 0 -> bucket.withCapacity(1 + random.nextInt(40));
                            case 1 -> SlidingWindow.of(1 + random.nextInt(20), SECOND);
                            case 2 -> WarmUp.of(bucket, SECOND);
                            case 3 -> Keyed.of(bucket, 10);
                            default -> new Semaphore(1 + random.nextInt(20));
                        });
            }
            ManagedLimiter limiter = limiter("a", rates.size() == 1 ? rates.get(0) : new AllOf(rates));
            RateLimitFields fields = RateLimitFields.builder()
                    .limiter(limiter)
                    .legacy(Reset.SECONDS, CLOCK)
                    .build();
            for (int step = 0; step < 30; step++) {
                time.advance(random.nextInt(500) * MILLI);
                Decision decision = limiter.tryAcquire(Request.forKey("k" + random.nextInt(2)));
                Permit told = permit(random.nextBoolean() ? null : new Quota(20, random.nextInt(21), MILLI));
                assertNoMoreThanItsQuota(written(fields, decision));
                assertNoMoreThanItsQuota(written(fields, told));
            }
        });
    }

    private static void assertNoMoreThanItsQuota(Map<String, String> written) {
        Map<String, Long> quotas = figures(written.getOrDefault("RateLimit-Policy", ""), "q");
        figures(written.getOrDefault("RateLimit", ""), "r")
                .forEach((name, left) -> assertTrue(left >= 0 && left <= quotas.get(name), written::toString));
        if (written.containsKey("X-RateLimit-Remaining")) {
            long limit = Long.parseLong(written.get("X-RateLimit-Limit"));
            assertTrue(Long.parseLong(written.get("X-RateLimit-Remaining")) <= limit, written::toString);
        }
    }

    /** By name, the figure after this letter. */
    private static Map<String, Long> figures(String field, String letter) {
        Map<String, Long> figures = new TreeMap<>();
        Matcher each = Pattern.compile("\"([^\"]+)\";" + letter + "=(\\d+)").matcher(field);
        while (each.find()) {
            figures.put(each.group(1), Long.parseLong(each.group(2)));
        }
        return figures;
    }

    @Test
    void aChangedLimitIsToldAtTheNextResponse() {
        ManagedLimiter search = limiter("search", TokenBucket.of(100, SECOND));
        AtomicReference<StrategySpec> counted = new AtomicReference<>(SlidingWindow.of(5, SECOND));
        RateLimitFields fields = RateLimitFields.builder()
                .limiter(search)
                .limiter(new View("all", counted::get, request -> null))
                .build();
        assertEquals(
                "\"search\";q=100;w=1, \"all\";q=5;w=1",
                written(fields, permit(null)).get("RateLimit-Policy"));

        search.dial().setLimit(70);
        counted.set(SlidingWindow.of(6, Duration.ofMinutes(1)));
        assertEquals(
                "\"search\";q=70;w=1, \"all\";q=6;w=60",
                written(fields, permit(null)).get("RateLimit-Policy"));

        search.reconfigure(new Semaphore(3));
        assertEquals(
                "\"search\";q=3;qu=\"concurrent-requests\", \"all\";q=6;w=60",
                written(fields, permit(null)).get("RateLimit-Policy"));
    }

    @Test
    void aSpecificationThatCannotBeReadDoesNotBreakAResponse() {
        AtomicReference<StrategySpec> counted = new AtomicReference<>(SlidingWindow.of(5, SECOND));
        RateLimitFields fields = RateLimitFields.of(new View("all", counted::get, request -> null));
        counted.set(ticker -> {
            throw new IllegalStateException("broken");
        });
        assertEquals("\"all\";q=5;w=1", written(fields, permit(null)).get("RateLimit-Policy"));
    }

    @Test
    void theOlderFieldsAreWrittenOnRequestOnly() {
        RateLimitFields seconds = daily().legacy(Reset.SECONDS, CLOCK).build();
        RateLimitFields epoch = daily().legacy(Reset.EPOCH_SECONDS, CLOCK).build();
        Decision refusal = refused("daily", Reason.RATE, 2_400 * MILLI, 1000);
        Decision granted = permit(new Quota(1000, 7, 500 * MILLI));

        assertEquals("1000", written(seconds, refusal).get("X-RateLimit-Limit"));
        assertEquals("0", written(seconds, refusal).get("X-RateLimit-Remaining"));
        assertEquals("3", written(seconds, refusal).get("X-RateLimit-Reset"));
        assertEquals("1000003", written(epoch, refusal).get("X-RateLimit-Reset"));
        assertEquals("7", written(epoch, granted).get("X-RateLimit-Remaining"));
        assertEquals("1000001", written(epoch, granted).get("X-RateLimit-Reset"));
        assertEquals("1", written(seconds, granted).get("X-RateLimit-Reset"));
        Map<String, String> long_ = written(epoch, refused("daily", Reason.RATE, Long.MAX_VALUE, 1000));
        assertEquals("9224372038", long_.get("X-RateLimit-Reset"));
        assertFalse(written(daily().build(), granted).keySet().stream().anyMatch(name -> name.startsWith("X-")));
    }

    @Test
    void theBodyNamesTheProblemAndThePolicy() {
        RateLimitFields fields =
                daily().policy(Policy.concurrency("a\"\r\n\\<b>", 3)).build();

        assertEquals(
                "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\",\"title\":\"The request cannot be"
                        + " satisfied because the assigned quota is exceeded\",\"status\":429,\"violated-policies\":[\"daily\"]}",
                fields.problem(refused("daily", Reason.RATE, 1, 1000)));
        String busy = fields.problem(refused("a\"\r\n\\<b>", Reason.CONCURRENCY, 0, 3));
        assertTrue(busy.contains("#temporary-reduced-capacity\""), busy);
        assertTrue(busy.endsWith(",\"status\":503,\"violated-policies\":[\"a\\\"%0D%0A\\\\<b>\"]}"), busy);
    }

    @Test
    @Tag("property")
    void H2_nothingButPrintableAsciiGetsOut() {
        Seed.forAll(500, random -> {
            StringBuilder name = new StringBuilder("n");
            for (int i = random.nextInt(40); i > 0; i--) {
                name.append((char) random.nextInt(random.nextBoolean() ? 0x80 : 0x10000));
            }
            RateLimitFields fields = RateLimitFields.builder()
                    .policy(Policy.concurrency(name.toString(), 3))
                    .build();
            Rejection rejection = refused(name.toString(), Reason.CONCURRENCY, 0, 3);
            written(fields, rejection).forEach((field, value) -> assertPrintable(value));
            written(fields, permit(new Quota(3, 1, 1))).forEach((field, value) -> assertPrintable(value));
            assertPrintable(fields.problem(rejection));
        });
    }

    private static void assertPrintable(String value) {
        assertTrue(value.chars().allMatch(c -> c >= ' ' && c <= '~'), value);
    }

    @Test
    void fieldsWithoutLimitsAreRefused() {
        assertThrows(IllegalArgumentException.class, RateLimitFields::of);
    }
}
