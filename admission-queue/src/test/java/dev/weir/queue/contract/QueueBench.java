package dev.weir.queue.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSnapshot;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.Fifo;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A real queue before a semaphore, in virtual time, and its callers. */
public final class QueueBench {
    private static final int MAX = 6;
    private static final int ROUNDS = 1000;

    public final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 1_000_000_000);
    public final ManagedLimiter limiter;
    public final AdmissionQueue queue;
    private final QueueSpec spec;
    private final SplittableRandom random;
    private final Supplier<Request> requests;
    private final List<CompletableFuture<Decision>> waiting = new ArrayList<>();
    private final List<Permit> held = new ArrayList<>();
    private int waits;
    private int granted;

    public QueueBench(QueueSpec spec, int limit, SplittableRandom random, Supplier<Request> requests) {
        this.spec = spec;
        this.random = random;
        this.requests = requests;
        limiter = Limiters.builder("limiter", new Semaphore(limit)).ticker(time).build();
        queue = AdmissionQueue.builder("limiter", limiter, spec)
                .ticker(time)
                .alarm(time::alarm)
                .executor(Runnable::run)
                .build();
        queue.observe((request, decision, waited) -> waits++);
    }

    public long limit() {
        return limiter.dial().limit();
    }

    /** How many permits were granted. */
    public int granted() {
        return granted;
    }

    public void acquire(Duration maxWait) {
        waiting.add(queue.acquireAsync(requests.get(), maxWait));
    }

    public void step() {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3, 4 ->
                acquire(Seed.oneOf(random, Duration.ofMillis(10), Duration.ofMillis(200), Duration.ofDays(9)));
            case 5, 6, 7 -> releaseOne();
            case 8 ->
                waiting.stream()
                        .skip(random.nextInt(waiting.size() + 1))
                        .findFirst()
                        .ifPresent(future -> future.cancel(true));
            case 9 -> time.advance(random.nextLong(60_000_000));
            case 10 -> limiter.dial().setLimit(random.nextLong(3, MAX + 1));
            default ->
                queue.reconfigure(Seed.oneOf(
                        random, spec, spec.by(new Fifo()), spec.unfair(IntervalFunction.of(Duration.ofMillis(7)))));
        }
        collect();
        assertTrue(limiter.snapshot().inFlight() <= MAX);
    }

    private void releaseOne() {
        if (!held.isEmpty()) {
            held.remove(random.nextInt(held.size())).close();
        }
    }

    private void collect() {
        for (CompletableFuture<Decision> future : List.copyOf(waiting)) {
            if (future.isDone()) {
                waiting.remove(future);
                if (!future.isCancelled() && future.join() instanceof Permit permit) {
                    held.add(permit);
                    granted++;
                }
            }
        }
    }

    private void drain() {
        collect();
        for (int round = 0; round < ROUNDS && !(waiting.isEmpty() && held.isEmpty()); round++) {
            time.advance(random.nextLong(10_000_000));
            collect();
            releaseOne();
        }
        assertEquals(List.of(), waiting);
    }

    /** Every future completes once permits are released, and each was counted once. */
    public void finish() {
        drain();
        QueueSnapshot end = queue.snapshot();
        assertEquals(0, end.length());
        assertEquals(0, end.permits());
        assertEquals(0, end.failures());
        assertEquals(0, limiter.snapshot().inFlight());
        long refused = end.timedOut() + end.shed() + end.full() + end.cancelled() + end.never() + end.limited();
        assertTrue(waits <= end.granted() + refused, () -> waits + " notified, counted " + end);
    }
}
