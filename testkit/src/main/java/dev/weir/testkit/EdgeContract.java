package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.engine.LimiterView;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The tests that an edge has to pass: what acquires a permit for each call that comes in, such as a filter of a server, and
 * releases it when the call has ended. Extend this class, start the edge in {@link #open}, and let {@link #start} call it. There is one
 * instance for all tests.
 *
 * <p>The limit is a concurrency limit for more calls than {@link #THREADS}. What is tested is that each call is decided once, that its
 * permit is released once, with the outcome of its {@link Scenario}, and that afterwards the whole limit can be acquired.
 */
@Tag("contract")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
public abstract class EdgeContract {
    /** How many calls there are at once under load. */
    public static final int THREADS = 8;

    private static final int ABORTED_PERCENT = 30;

    /** The work of a call. It waits for {@link #hold} where it says so, in the middle. */
    public enum Scenario {
        /** Waits, and ends well. */
        SUCCESS(Outcome.SUCCESS),
        /** Waits, and throws an exception. */
        EXCEPTION(Outcome.IGNORED),
        /** Waits, and throws an {@link java.lang.Error}. */
        ERROR(Outcome.IGNORED),
        /** Waits, and throws a {@link java.util.concurrent.TimeoutException}, in a wrapper if there is one here. */
        TIME_OUT(Outcome.DROPPED),
        /** Waits, and throws the exception of another limit that refused. */
        INNER_REJECTION(Outcome.IGNORED),
        /** Waits, and answers 503. */
        UNAVAILABLE(Outcome.DROPPED),
        /** Waits, and lets the server make an answer with the status 500. */
        ERROR_DISPATCH(Outcome.IGNORED),
        /** Ends well on another thread, which waits. */
        ASYNC(Outcome.SUCCESS),
        /** Fails on another thread, which waits. */
        ASYNC_EXCEPTION(Outcome.IGNORED),
        /** Is not ended by anyone but a limit of time of the server, and does not wait. */
        ASYNC_TIME_OUT(Outcome.DROPPED),
        /** Begins to be asynchronous, waits, and throws an exception. */
        ASYNC_THEN_EXCEPTION(Outcome.IGNORED),
        /** Answers in 20 parts of at least 1,024 bytes, on another thread, and waits after the first. */
        STREAM(Outcome.SUCCESS),
        /** Answers one such part, waits, and fails. */
        STREAM_EXCEPTION(Outcome.IGNORED),
        /** Answers one such part on the thread that was called, waits, and throws an exception. */
        COMMITTED_THEN_EXCEPTION(Outcome.IGNORED),
        /** Is prepared, but never started, such as a publisher without a subscriber: nothing is acquired. */
        NEVER_STARTED(null);

        private final @Nullable Outcome outcome;

        Scenario(@Nullable Outcome outcome) {
            this.outcome = outcome;
        }

        /** The outcome that its permit must have; null = there is no permit. */
        public @Nullable Outcome outcome() {
            return outcome;
        }
    }

    /** A call, as its client has it. */
    public interface Call {
        /** Blocks until the client has so many parts of the answer, or its end, whatever the answer is. */
        void read(int parts) throws Exception;

        /** Ends the call on the side of its client, at once: resets the connection, or cancels the subscription. */
        void abort() throws Exception;
    }

    /** Where the work of calls waits: open, but while a test closes it. Thread-safe. */
    public static final class Hold {
        private volatile CompletableFuture<Void> opened = CompletableFuture.completedFuture(null);

        private Hold() {}

        /** Blocks until it is open. */
        public void await() {
            opened.join();
        }

        /** Completes when it is open; do not complete it. */
        public CompletableFuture<Void> opened() {
            return opened;
        }

        private void close() {
            opened = new CompletableFuture<>();
        }

        private void open() {
            opened.complete(null);
        }
    }

    /** Where the work of all calls waits. */
    protected final Hold hold = new Hold();

    private final EdgeLedger ledger = new EdgeLedger();
    private @Nullable Registration registration;

    /** For subclasses. */
    protected EdgeContract() {}

    /** Starts the edge, before {@link #limiter} is asked for. Default: nothing. */
    protected void open() throws Exception {}

    /** Stops the edge. Default: nothing. */
    protected void close() throws Exception {}

    /** The limit that each call must pass with one permit. */
    protected abstract Limiter limiter();

    /** The same limit, to be observed. */
    protected abstract LimiterView view();

    /** Whether there is such a call here. Default: yes. */
    protected boolean supports(Scenario scenario) {
        return true;
    }

    /** Starts a call, and does not wait for its answer. */
    protected abstract Call start(Scenario scenario) throws Exception;

    /** The same under load, where a call may share its connection with others. Default: {@link #start}. */
    protected Call startShared(Scenario scenario) throws Exception {
        return start(scenario);
    }

    /** How many calls wait for a permit; -1 = the limit lets none wait, so that they are refused. Default: -1. */
    protected int waiting() {
        return -1;
    }

    @BeforeAll
    final void openTheEdge() throws Exception {
        open();
        registration = view().observe(ledger);
    }

    @AfterAll
    final void closeTheEdge() throws Exception {
        hold.open();
        if (registration != null) {
            registration.close();
        }
        close();
    }

    @TestFactory
    final Stream<DynamicTest> eachCallIsDecidedAndReleasedOnce() {
        return each(scenario -> {
            start(scenario).read(Integer.MAX_VALUE);
            assertReleased(scenario);
        });
    }

    @TestFactory
    final Stream<DynamicTest> anAbortAfterTheAnswerChangesNothing() {
        return each(scenario -> {
            Call call = start(scenario);
            call.read(Integer.MAX_VALUE);
            call.abort();
            assertReleased(scenario);
        });
    }

    @TestFactory
    final Stream<DynamicTest> anAbortWhileThePermitIsHeldReleasesItOnce() {
        return each(scenario -> {
            hold.close();
            try {
                Call call = start(scenario);
                if (scenario.outcome() != null) {
                    ledger.await(() -> ledger.admitted() == 1);
                }
                call.abort();
            } finally {
                hold.open();
            }
            // The work may end as if nothing had happened, be told of the abort, which says nothing about load, or not
            // start.
            assertReleased(
                    scenario,
                    scenario.outcome() == Outcome.DROPPED
                            ? Set.of(Outcome.values())
                            : Set.of(Outcome.SUCCESS, Outcome.IGNORED, Outcome.CANCELLED));
        });
    }

    @Test
    final void anAbortBeforeThePermitLosesNothing() throws Exception {
        assumeTrue(waiting() >= 0, "calls do not wait for permits");
        List<Permit> all = Oracle.takeAll(Integer.MAX_VALUE, limiter(), () -> Request.ONE);
        ledger.clear();
        Call call = start(Scenario.SUCCESS);
        ledger.await(() -> waiting() == 1);
        call.abort();
        all.forEach(Permit::close);
        ledger.await(() -> waiting() == 0 && inFlight() == 0);
        // A permit that is granted while the call is cancelled is undone, and the call is refused as well.
        assertTrue(ledger.decided() - ledger.undone() <= 1, ledger::toString);
        assertCapacity();
    }

    @Test
    final void aRefusedCallHoldsNothing() throws Exception {
        assumeTrue(waiting() < 0, "calls wait for permits");
        List<Permit> all = Oracle.takeAll(Integer.MAX_VALUE, limiter(), () -> Request.ONE);
        ledger.clear();
        start(Scenario.SUCCESS).read(Integer.MAX_VALUE);
        ledger.await(() -> ledger.decided() == 1);
        assertEquals(0, ledger.admitted());
        all.forEach(Permit::close);
        assertCapacity();
    }

    /**
     * 10,000 calls and 4,000 streams in the short form. Of both 30 % are aborted, some at once and some in the middle. It is the last
     * test: a server may still read a call that its client aborted at once, when the test has ended.
     */
    @Test
    @Order(Integer.MAX_VALUE)
    @Tag("proof")
    final void underLoadWithAbortsNothingIsLost() throws Exception {
        load(List.of(Scenario.values()), Stress.of(300, 10_000, 100_000));
        load(List.of(Scenario.STREAM), Stress.of(200, 4_000, 40_000));
    }

    /** The load of one test, for those of edges that lose permits. */
    public final void load(List<Scenario> of, int calls) throws InterruptedException {
        List<Scenario> scenarios = of.stream()
                .filter(each -> supports(each) && each != Scenario.ASYNC_TIME_OUT)
                .toList();
        awaitNothingHeld();
        ledger.clear();
        AtomicInteger thread = new AtomicInteger();
        AtomicInteger next = new AtomicInteger();
        Parallel.run(THREADS, () -> {
            SplittableRandom random = new SplittableRandom(thread.getAndIncrement());
            while (!scenarios.isEmpty() && next.getAndIncrement() < calls) {
                callOrAbort(scenarios.get(random.nextInt(scenarios.size())), random);
            }
        });
        awaitNothingHeld();
        assertEquals(0, view().counts().doubleReleases());
        assertCapacity();
    }

    private void callOrAbort(Scenario scenario, SplittableRandom random) {
        boolean isAborted = random.nextInt(100) < ABORTED_PERCENT;
        int parts = random.nextInt(4);
        try {
            Call call = startShared(scenario);
            call.read(isAborted ? parts : Integer.MAX_VALUE);
            if (isAborted) {
                call.abort();
            }
        } catch (Exception e) {
            throw new AssertionError(scenario + (isAborted ? ", aborted after " + parts : ""), e);
        }
    }

    private interface Body {
        void run(Scenario scenario) throws Exception;
    }

    private Stream<DynamicTest> each(Body body) {
        return Stream.of(Scenario.values())
                .filter(this::supports)
                .map(scenario -> dynamicTest(scenario.name(), () -> {
                    awaitNothingHeld();
                    ledger.clear();
                    body.run(scenario);
                }));
    }

    private void assertReleased(Scenario scenario) throws InterruptedException {
        Outcome expected = scenario.outcome();
        assertReleased(scenario, expected == null ? Set.of() : Set.of(expected));
    }

    private void assertReleased(Scenario scenario, Set<Outcome> allowed) throws InterruptedException {
        int calls = scenario.outcome() == null ? 0 : 1;
        ledger.await(() -> ledger.released() == calls && inFlight() == 0);
        assertEquals(calls, ledger.decided(), ledger::toString);
        assertTrue(allowed.containsAll(ledger.outcomes()), () -> "expected " + allowed + ", " + ledger);
        assertEquals(0, view().counts().doubleReleases());
        assertCapacity();
    }

    private void awaitNothingHeld() throws InterruptedException {
        ledger.await(() -> inFlight() == 0 && ledger.held() == 0);
    }

    private long inFlight() {
        return view().snapshot().inFlight();
    }

    private void assertCapacity() {
        Oracle.assertCapacity(view().snapshot().limit(), limiter());
    }
}
