package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.internal.RequestRule;
import dev.weir.internal.RuledLimiter;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.Keyed;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Registration;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A limiter that makes the key of each request by a rule: all that it does with a request is by the key of the rule in force. */
class RuledLimiterTest {
    private static final Request ANN = Request.forKey("ann");
    private static final Request BEN = Request.forKey("ben");
    private static final StrategySpec BY_USER = Keyed.of(new Semaphore(1), 100).by("user");
    private static final StrategySpec BY_IP = Keyed.of(new Semaphore(1), 100).by("ip");

    private final ManagedLimiter limiter = Limiters.of("a", BY_USER);
    private final RuledLimiter rules = (RuledLimiter) limiter;

    /** A text is the value of this name; nothing else is a key. */
    private record By(String name) implements RequestRule {
        @Override
        public Request counted(Request request) {
            return request.key() instanceof Dimensions named
                            && !named.value(name).isEmpty()
                    ? request
                    : request.key() instanceof String text ? request.withKey(Dimensions.of(name, text)) : null;
        }

        @Override
        public Decision withoutKey(String limiter) {
            return new Rejection(limiter, Reason.KEY_MISSING, 0, 0);
        }
    }

    private Permit granted(Request request) {
        return assertInstanceOf(Permit.class, limiter.tryAcquire(request));
    }

    private Reason refused(Request request) {
        return assertInstanceOf(Rejection.class, limiter.tryAcquire(request)).reason();
    }

    @Test
    void theNextSpecificationBringsItsRule() {
        RequestRule user = new By("user");
        rules.countBy(user);
        assertSame(user, rules.rule());
        Permit held = granted(ANN);
        rules.countNextBy(new By("ip"));
        assertSame(user, rules.rule());
        assertEquals(Reason.CONCURRENCY, refused(ANN));
        granted(BEN).release(Outcome.SUCCESS);
        limiter.reconfigure(BY_IP);
        assertEquals(new By("ip"), rules.rule());
        Permit ofIp = granted(ANN);
        assertEquals(Reason.CONCURRENCY, refused(ANN));
        held.release(Outcome.SUCCESS);
        assertEquals(Reason.CONCURRENCY, refused(ANN), "that was for the user");
        ofIp.release(Outcome.SUCCESS);
        granted(ANN).release(Outcome.SUCCESS);
        limiter.reconfigure(Keyed.of(new Semaphore(2), 100).by("ip"));
        assertEquals(new By("ip"), rules.rule(), "others change the specification, not the rule");
        assertEquals(0, limiter.inFlight());
    }

    @Test
    void aSpecificationThatCannotBePutInForceLeavesTheRule() {
        RequestRule user = new By("user");
        rules.countBy(user);
        rules.countNextBy(new By("ip"));
        StrategySpec bad = new StrategySpec() {
            @Override
            public Strategy create(Ticker ticker) {
                throw new IllegalStateException("none");
            }
        };
        assertThrows(IllegalStateException.class, () -> limiter.reconfigure(bad));
        assertSame(user, rules.rule());
        limiter.reconfigure(Keyed.of(new Semaphore(2), 100).by("user"));
        assertSame(user, rules.rule(), "nor does the one after it get the other");
        granted(ANN).release(Outcome.SUCCESS);
    }

    @Test
    void thoseThatWaitAreAskedForAgainByAnotherRuleAlone() {
        AtomicInteger told = new AtomicInteger();
        Registration unused = limiter.whenCapacity(told::incrementAndGet);
        RequestRule user = new By("user");
        rules.countBy(user);
        assertEquals(1, told.get());
        rules.countBy(new By("user"));
        assertEquals(1, told.get());
        assertSame(user, rules.rule());
        rules.countBy(null);
        assertEquals(2, told.get());
        assertNull(rules.rule());
        assertEquals(Reason.KEY_MISSING, refused(ANN), "a text is no key of a table by names");
    }

    @Test
    void allIsByTheKeyOfTheRule() throws Exception {
        rules.countBy(new By("user"));
        List<Object> seen = new ArrayList<>();
        Registration unused = limiter.observe(new LimiterObserver() {
            @Override
            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                seen.add(request.key());
            }

            @Override
            public void onRejected(Request request, Rejection rejection) {
                seen.add(rejection.reason() + " " + request.key());
            }
        });
        Permit held = assertInstanceOf(Permit.class, limiter.attempt(ANN));
        assertEquals(0, Objects.requireNonNull(limiter.quota(ANN)).remaining());
        assertEquals(1, Objects.requireNonNull(limiter.quota(BEN)).remaining());
        assertNull(limiter.quota(Request.ONE));
        assertEquals("ann", limiter.countedBy(ANN));
        assertNull(limiter.countedBy(Request.ONE));
        Predicate<Request> grantable = limiter.grantable();
        assertTrue(grantable.test(ANN));
        assertFalse(grantable.test(ANN.withPermits(2)));
        assertFalse(limiter.refusesAlike());
        Rejection full = assertInstanceOf(Rejection.class, limiter.attempt(ANN));
        limiter.refused(ANN, full);
        assertEquals("fallback", limiter.call(ANN, () -> "called", rejection -> "fallback"));
        assertEquals("called", limiter.call(BEN, () -> "called", rejection -> "fallback"));
        assertFalse(limiter.charge(ANN));
        limiter.enforce(0);
        Objects.requireNonNull(limiter.letThrough(ANN, limiter.requestData())).release(Outcome.SUCCESS);
        limiter.enforce(1);
        held.release(Outcome.SUCCESS);
        assertEquals(List.of("CONCURRENCY ann", "CONCURRENCY ann", "ben", "ann", "ann"), seen);
        assertEquals(0, limiter.inFlight());
    }

    @Test
    void aRateIsByTheKeyOfTheRuleAlsoWhereNobodyLooks() {
        limiter.reconfigure(Keyed.of(TokenBucket.of(1, Duration.ofDays(1)), 100).by("user"));
        rules.countBy(new By("user"));
        AtomicInteger ran = new AtomicInteger();
        limiter.run(ANN, ran::incrementAndGet, rejection -> ran.addAndGet(100));
        limiter.run(ANN, ran::incrementAndGet, rejection -> ran.addAndGet(100));
        limiter.run(BEN, ran::incrementAndGet, rejection -> ran.addAndGet(100));
        assertEquals(102, ran.get());
        limiter.run(
                Request.ONE,
                ran::incrementAndGet,
                rejection -> ran.addAndGet(rejection.reason().ordinal()));
        assertEquals(102 + Reason.KEY_MISSING.ordinal(), ran.get());
    }

    @Test
    void aRequestIsCountedAnewIfARuleComesWhileItIsCounted() {
        limiter.reconfigure(BY_USER);
        AtomicInteger counted = new AtomicInteger();
        rules.countBy(new RequestRule() {
            @Override
            public Request counted(Request request) {
                if (counted.getAndIncrement() == 0) {
                    rules.countNextBy(new By("ip"));
                    limiter.reconfigure(BY_IP);
                }
                return new By("user").counted(request);
            }

            @Override
            public Decision withoutKey(String limiter) {
                return new By("user").withoutKey(limiter);
            }
        });
        Permit held = granted(ANN);
        assertEquals(1, counted.get());
        assertEquals(0, Objects.requireNonNull(limiter.quota(ANN)).remaining());
        assertEquals(Reason.CONCURRENCY, refused(ANN));
        held.release(Outcome.SUCCESS);
        assertEquals(0, limiter.inFlight());
    }

    @Test
    void aClosedLimiterNeedsNoKey() {
        rules.countBy(new By("user"));
        limiter.close();
        assertEquals(Reason.CANCELLED, refused(Request.ONE));
    }
}
