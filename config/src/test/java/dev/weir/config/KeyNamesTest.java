package dev.weir.config;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.LimiterView;
import dev.weir.keyed.Dimensions;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.RegistryObserver;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Limits by the names of a key, in one document and from one to the next, and who sees the key without its name. */
class KeyNamesTest extends RegistryFixture {
    private static final String BOTH =
            "limits: { a: { all-of: [{ rate: 5/h, key: tenant }, { rate: 5/h, key: user }] } }";

    private static Reason reason(Decision decision) {
        return assertInstanceOf(Rejection.class, decision).reason();
    }

    private static long remaining(NamedLimiter limiter, Object key) {
        return Objects.requireNonNull(limiter.quota(Request.forKey(key))).remaining();
    }

    /* The permits that each names has left, in a document that counts by it alone. */
    private long remaining(NamedLimiter limiter, String... namesAndValues) {
        return remaining(limiter, Dimensions.of(namesAndValues));
    }

    @Test
    void theDimensionsAreThoseOfTheKeyInForceOfEachName() {
        LimiterRegistry registry =
                registry("limits: { a: { rate: 5/h, key: user }, b: { rate: 5/h }, c: { rate: 5/h, key: true } }");
        NamedLimiter limiter = registry.limiter("a");
        assertEquals(Set.of("user"), limiter.dimensions());
        assertEquals(Set.of(), registry.limiter("b").dimensions());
        assertEquals(Set.of(), registry.limiter("c").dimensions());
        assertEquals(Set.of("user"), registry.names().limiter("a", "b").dimensions());
        write(BOTH);
        assertEquals(Set.of("tenant", "user"), limiter.dimensions());
    }

    @Test
    void whoIsRequestedThroughAChangeOfTheKeyIsNeverCountedUnderAWrongName() {
        NamedLimiter limiter =
                registry("limits: { a: { rate: 5/h, key: user } }").limiter("a");
        int ofTenant = 5;
        for (String next : List.of(BOTH, "limits: { a: { rate: 5/h, key: ip } }", BOTH)) {
            String name = next.equals(BOTH) ? "tenant" : "ip";
            write("limits: { a: { rate: 5/h, key: user } }");
            Function<String, String> values = dimension -> dimension + "-ann";
            List<String> asked = new ArrayList<>();
            Request late = limiter.request(dimension -> {
                asked.add(dimension);
                if (!dimension.equals("user")) {
                    return values.apply(dimension);
                }
                return "user-ann";
            });
            assertEquals(List.of("user"), asked);
            // Between the key of a request and the question, the limit changes: the text of this key is read there.
            assertEquals(
                    next.equals(BOTH) ? Reason.KEY_MISSING : null,
                    limiter.tryAcquire(Request.forKey(new ChangingNumber(() -> write(next))))
                                    instanceof Rejection refused
                            ? refused.reason()
                            : null);
            assertInstanceOf(Permit.class, limiter.tryAcquire(late));
            assertEquals(List.of("user", name), asked);
            if (next.equals(BOTH)) {
                assertEquals(5, remaining(limiter, "tenant", "7", "user", "fresh"));
                assertEquals(5, remaining(limiter, "tenant", "user-ann", "user", "fresh"));
                assertEquals(--ofTenant, remaining(limiter, "tenant", "tenant-ann", "user", "fresh"));
            } else {
                assertEquals(5, remaining(limiter, "ip", "user-ann"));
                assertEquals(4, remaining(limiter, "ip", "ip-ann"));
                assertEquals(4, remaining(limiter, "ip", "7"), "asked again, by the key of the document in force");
            }
        }
    }

    /** A key whose text changes the limit. */
    private static final class ChangingNumber extends Number {
        private static final long serialVersionUID = 1;

        private final transient Runnable change;
        private boolean isChanged;

        ChangingNumber(Runnable change) {
            this.change = change;
        }

        @Override
        public String toString() {
            if (!isChanged) {
                isChanged = true;
                change.run();
            }
            return "7";
        }

        @Override
        public int intValue() {
            return 7;
        }

        @Override
        public long longValue() {
            return 7;
        }

        @Override
        public float floatValue() {
            return 7;
        }

        @Override
        public double doubleValue() {
            return 7;
        }
    }

    @Test
    void aValueThatIsReadWhileTheKeyChangesIsNotCountedUnderTheNextName() {
        NamedLimiter limiter = registry("limits: { a: { rate: 5/h } }").limiter("a");
        for (String next : List.of(BOTH, "limits: { a: { rate: 5/h, key: ip } }")) {
            write("limits: { a: { rate: 5/h } }");
            Request request = limiter.request(dimension -> {
                if (dimension.equals("user")) {
                    write(next);
                }
                return dimension + "-ann";
            });
            write("limits: { a: { rate: 5/h, key: user } }");
            assertInstanceOf(Permit.class, limiter.tryAcquire(request));
            if (next.equals(BOTH)) {
                assertEquals(5, remaining(limiter, "tenant", "user-ann", "user", "fresh"));
                assertEquals(4, remaining(limiter, "tenant", "tenant-ann", "user", "fresh"));
            } else {
                assertEquals(5, remaining(limiter, "ip", "user-ann"));
                assertEquals(4, remaining(limiter, "ip", "ip-ann"));
            }
        }
    }

    @Test
    void anySubsetOfTheNamesIsALimit() {
        NamedLimiter limiter = registry("limits: { a: { all-of: [{ rate: 2/h, key: [tenant, user] }, "
                        + "{ rate: 3/h, key: [user, ip] }, { rate: 4/h, key: tenant }] } }")
                .limiter("a");
        Function<String, Request> from = ip -> limiter.request(Map.of("tenant", "t", "user", "ann", "ip", ip)::get);
        assertInstanceOf(Permit.class, limiter.tryAcquire(from.apply("1")));
        assertInstanceOf(Permit.class, limiter.tryAcquire(from.apply("2")));
        assertEquals(2, ((Rejection) limiter.tryAcquire(from.apply("3"))).limit(), "by tenant and user");
        Function<String, Request> of =
                tenant -> limiter.request(Map.of("tenant", tenant, "user", "ann", "ip", "2")::get);
        assertInstanceOf(Permit.class, limiter.tryAcquire(of.apply("u")));
        assertInstanceOf(Permit.class, limiter.tryAcquire(of.apply("v")));
        assertEquals(3, ((Rejection) limiter.tryAcquire(of.apply("w"))).limit(), "by user and ip");
        assertEquals(Reason.KEY_MISSING, reason(limiter.tryAcquire(limiter.request(Map.of("tenant", "t")::get))));
    }

    @Test
    void theSameUserIsOneKeyHoweverItIsGiven() {
        NamedLimiter limiter = registry(
                        "limits: { a: { all-of: [{ rate: 9/h, key: user }, { rate: 6/h, key: true }] } }")
                .limiter("a");
        Function<String, String> ann = Map.of("user", "ann", "ip", "::1")::get;
        assertInstanceOf(Permit.class, limiter.tryAcquire(limiter.request(ann)));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("ann")));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey(Dimensions.of("user", "ann"))));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey(Dimensions.of("user", "ann", "ip", "::2"))));
        assertEquals(2, remaining(limiter, "ann"));
        assertEquals(6, remaining(limiter, "ben"));
        assertEquals(
                Reason.KEY_MISSING, reason(limiter.tryAcquire(Request.forKey(Dimensions.of("ip", "ann")))), "no user");
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey(7)));
        assertEquals(5, remaining(limiter, "7"));
        assertEquals(Reason.KEY_MISSING, reason(limiter.tryAcquire(Request.forKey(new Object()))), "it has no text");
    }

    @Test
    void partitionsBesideAKeySeeTheValueOfTheOnlyName() {
        LimiterRegistry registry = registry("limits: { a: { all-of: [{ concurrency: 10, algorithm: partitioned, "
                + "percents: { ann: 60, ben: 30 }, lent: 0 }, { rate: 4/h, key: user }] } }");
        NamedLimiter limiter = registry.limiter("a");
        Permit plain = assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("ann")));
        Permit named = assertInstanceOf(Permit.class, limiter.tryAcquire(limiter.request(any -> "ann")));
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("ben")));
        assertEquals(2L, inFlight(limiter, "ann"));
        assertEquals(1L, inFlight(limiter, "ben"));
        plain.release(Outcome.SUCCESS);
        named.release(Outcome.SUCCESS);
        assertEquals(0L, inFlight(limiter, "ann"));
        assertEquals(2, remaining(limiter, "ann"));
    }

    private static long inFlight(NamedLimiter limiter, String partition) {
        return limiter.snapshot().details().entrySet().stream()
                .filter(detail -> detail.getKey().endsWith(partition + ".inFlight"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    @Test
    void anObserverSeesTheValueOfTheOnlyName() {
        List<Object> seen = new ArrayList<>();
        LimiterRegistry registry = registry("limits: { a: { concurrency: 10, key: user } }");
        registry.names().observe(new RegistryObserver() {
            @Override
            public Registration onLimiter(LimiterView limiter) {
                return limiter.observe(new LimiterObserver() {
                    @Override
                    public void onReleased(Request request, Outcome outcome, long heldNanos) {
                        seen.add(request.key());
                    }
                });
            }
        });
        NamedLimiter limiter = registry.limiter("a");
        for (Request each : List.of(limiter.request(any -> "ann"), Request.forKey("ann"))) {
            assertInstanceOf(Permit.class, limiter.tryAcquire(each)).release(Outcome.SUCCESS);
        }
        assertEquals(List.of("ann", "ann"), seen);
    }

    @Test
    void aDisciplineByTenantSeesOneTenantHoweverItsKeyIsGiven() {
        NamedLimiter limiter = registry("limits: { a: { all-of: [{ concurrency: 1 }, { rate: 100/h, key: user }], "
                        + "queue: { capacity: 9, max-wait: 1h, discipline: fair-share } } }")
                .limiter("a");
        Permit held = assertInstanceOf(Permit.class, limiter.tryAcquire(Request.forKey("eve")));
        Map<String, Request> requests = new LinkedHashMap<>();
        requests.put("ann by name", limiter.request(any -> "ann"));
        requests.put("ann", Request.forKey("ann"));
        requests.put("ann of code", Request.forKey(Dimensions.of("user", "ann")));
        requests.put("ben", Request.forKey("ben"));
        List<String> order = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        requests.forEach((who, request) -> all.add(limiter.acquireAsync(request).thenAccept(decision -> {
            order.add(who);
            assertInstanceOf(Permit.class, decision).release(Outcome.SUCCESS);
        })));
        held.release(Outcome.SUCCESS);
        await().until(() -> all.stream().allMatch(CompletableFuture::isDone));
        assertEquals(List.of("ann by name", "ben", "ann", "ann of code"), order);
    }
}
