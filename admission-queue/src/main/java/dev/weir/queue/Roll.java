package dev.weir.queue;

import dev.weir.Ticker;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Which tasks have not ended, how the others did, and whether more may come. */
final class Roll {
    /*
     * `open` is the number of tasks that have not ended, and SHUT beside it: who enters learns in the same step whether
     * he may, and who leaves whether he was the last.
     */
    private static final long SHUT = Long.MIN_VALUE;

    enum Ending {
        SUCCEEDED,
        FAILED,
        CANCELLED,
        REJECTED
    }

    private final Set<Task<?>> members = ConcurrentHashMap.newKeySet();
    private final AtomicLong open = new AtomicLong();
    private final LongAdder submitted = new LongAdder();
    private final LongAdder[] endings = {new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder()};
    private final LongAdder failures = new LongAdder();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Runnable whenOver;
    private volatile boolean stopped;

    /** The action is called once or more often. */
    Roll(Runnable whenOver) {
        this.whenOver = whenOver;
    }

    /** Each task enters once and leaves once. False if nobody may come any more; it has to leave all the same. */
    boolean enter(Task<?> task) {
        submitted.increment();
        members.add(task);
        return open.getAndIncrement() >= 0;
    }

    void leave(Task<?> task, Ending ending) {
        endings[ending.ordinal()].increment();
        members.remove(task);
        if (open.decrementAndGet() == SHUT) {
            end();
        }
    }

    private void end() {
        whenOver.run();
        over.countDown();
    }

    void failed() {
        failures.increment();
    }

    void shut() {
        if (open.updateAndGet(count -> count | SHUT) == SHUT) {
            end();
        }
    }

    /** As {@link #shut}; and no task begins any more. */
    void stop() {
        stopped = true;
        shut();
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isShut() {
        return open.get() < 0;
    }

    /** Whether it is shut and the last has left. */
    boolean isOver() {
        return over.getCount() == 0;
    }

    /** Waits until it is over and then, in what is left of the time, for this one too. */
    boolean awaitOver(long timeout, TimeUnit unit, @Nullable ExecutorService after) throws InterruptedException {
        Ticker ticker = Ticker.system();
        long since = ticker.read();
        if (!over.await(timeout, unit)) {
            return false;
        }
        long left = unit.toNanos(timeout) - (ticker.read() - since);
        return after == null || after.awaitTermination(left, TimeUnit.NANOSECONDS);
    }

    /** Those who have not left; who entered before it was shut is among them. */
    Set<Task<?>> members() {
        return members;
    }

    ExecutorLedger ledger() {
        return new ExecutorLedger(
                submitted.sum(),
                sum(Ending.SUCCEEDED),
                sum(Ending.FAILED),
                sum(Ending.CANCELLED),
                sum(Ending.REJECTED),
                failures.sum());
    }

    private long sum(Ending ending) {
        return endings[ending.ordinal()].sum();
    }
}
