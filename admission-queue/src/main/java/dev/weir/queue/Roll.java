package dev.weir.queue;

import dev.weir.Ticker;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Which tasks have not ended, how the others did, and whether more may come. */
final class Roll {
    /*
     * It is over once it is shut and as many tasks have left as have entered.
     *
     *     who enters                        who shuts, or leaves last
     *     entered + 1                       shut := true, left + 1
     *     reads shut: true: is refused      reads left, then entered: equal: over
     *
     * Counters only grow, and `left` is read first: if they are equal, all that had entered by then had left, and who
     * entered later finds it shut.
     */
    enum Ending {
        SUCCEEDED,
        FAILED,
        CANCELLED,
        REJECTED
    }

    private final Members members = new Members();
    private final LongAdder entered = new LongAdder();
    private final LongAdder[] left = {new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder()};
    private final LongAdder failures = new LongAdder();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Runnable whenOver;
    private volatile boolean shut;
    private volatile boolean stopped;

    /** The action is called once or more often. */
    Roll(Runnable whenOver) {
        this.whenOver = whenOver;
    }

    /** Each task enters once and leaves once. False if nobody may come any more; it has to leave all the same. */
    boolean enter(Task<?> task) {
        members.add(task);
        entered.increment();
        return !shut;
    }

    void leave(Task<?> task, Ending ending) {
        task.leave();
        left[ending.ordinal()].increment();
        endIfOver();
    }

    private void endIfOver() {
        if (shut && left() == entered.sum()) {
            whenOver.run();
            over.countDown();
        }
    }

    private long left() {
        long sum = 0;
        for (LongAdder each : left) {
            sum += each.sum();
        }
        return sum;
    }

    void failed() {
        failures.increment();
    }

    void shut() {
        shut = true;
        endIfOver();
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
        return shut;
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
        long rest = unit.toNanos(timeout) - (ticker.read() - since);
        return after == null || after.awaitTermination(rest, TimeUnit.NANOSECONDS);
    }

    /** Those who have not left; who entered before it was shut is among them. */
    List<Task<?>> members() {
        return members.all();
    }

    ExecutorLedger ledger() {
        long succeeded = left(Ending.SUCCEEDED);
        long failed = left(Ending.FAILED);
        long cancelled = left(Ending.CANCELLED);
        long rejected = left(Ending.REJECTED);
        return new ExecutorLedger(entered.sum(), succeeded, failed, cancelled, rejected, failures.sum());
    }

    private long left(Ending ending) {
        return left[ending.ordinal()].sum();
    }
}
