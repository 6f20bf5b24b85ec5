package dev.weir.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.spi.LimiterObserver;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** The decisions about the calls of a test, and the outcomes of those that ended. Thread-safe. */
final class EdgeLedger implements LimiterObserver {
    private static final int ROUNDS = 6_000;
    private static final long ROUND_MILLIS = 5;

    private final Map<Outcome, Integer> outcomes = new TreeMap<>();
    private long held;
    private int admitted;
    private int refused;

    @Override
    public synchronized void onAdmitted(Request request) {
        held++;
        admitted++;
        notifyAll();
    }

    @Override
    public synchronized void onRejected(Request request, Rejection rejection) {
        refused++;
        notifyAll();
    }

    @Override
    public synchronized void onReleased(Request request, Outcome outcome, long heldNanos) {
        held--;
        outcomes.merge(outcome, 1, Integer::sum);
        notifyAll();
    }

    /** Blocks until it is so, for half a minute at least: it is asked after each event, and sometimes between. */
    void await(BooleanSupplier reached) throws InterruptedException {
        for (int round = 0; round < ROUNDS && !reached.getAsBoolean(); round++) {
            synchronized (this) {
                wait(ROUND_MILLIS);
            }
        }
        assertTrue(reached.getAsBoolean(), this::toString);
    }

    /** Permits that were granted and not released, since the beginning. */
    synchronized long held() {
        return held;
    }

    synchronized int admitted() {
        return admitted;
    }

    synchronized int decided() {
        return admitted + refused;
    }

    /** Permits that were released as {@code CANCELLED}. */
    synchronized int undone() {
        return outcomes.getOrDefault(Outcome.CANCELLED, 0);
    }

    synchronized int released() {
        return outcomes.values().stream().mapToInt(Integer::intValue).sum();
    }

    synchronized Set<Outcome> outcomes() {
        return Set.copyOf(outcomes.keySet());
    }

    /** Forgets the decisions and outcomes until now. */
    synchronized void clear() {
        admitted = 0;
        refused = 0;
        outcomes.clear();
    }

    @Override
    public synchronized String toString() {
        return admitted + " admitted, " + refused + " refused, released " + outcomes;
    }
}
