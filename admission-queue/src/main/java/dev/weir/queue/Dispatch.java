package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** How tasks come from the line to the delegate, and from one to the next on the same worker. */
final class Dispatch {
    /*
     * A permit that comes home lets the next in line go, on the thread that returns it: a worker of ours, which is about
     * to be free. Instead of waking another, it runs that task itself. `returning` counts the workers that return a
     * permit at this moment; who grants meanwhile leaves the task in `ready`.
     *
     *     worker                        granter, the same thread or another
     *                                   adds to ready
     *     returning - 1                 reads returning: not 0: leaves it there
     *     takes from ready
     *
     * The granter reads after he has added, the worker takes after it has left off: either the worker finds the task, or
     * the granter reads 0 and sees to it. The worker runs the first and hands the others to the delegate; after
     * IN_A_ROW of them it makes way for what else the delegate has to do.
     */
    static final int IN_A_ROW = 64;

    private static final long LOOK_AGAIN = 10_000_000;

    private final Executor delegate;
    private final AdmissionQueue queue;
    private final Request request;
    private final Duration maxWait;
    private final long patience;
    private final RejectionPolicy policy;
    private final Roll roll;
    private final Queue<Task<?>> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger returning = new AtomicInteger();

    Dispatch(LimitedExecutor.Builder asked, Roll roll) {
        delegate = asked.delegate;
        queue = asked.queue;
        request = asked.request;
        maxWait = asked.maxWait;
        patience = AdmissionQueue.patience(request, maxWait);
        policy = asked.policy;
        this.roll = roll;
    }

    Roll roll() {
        return roll;
    }

    /** Sees the task to its end; may throw what the policy throws. */
    void submit(Task<?> task) {
        Rejection refused = roll.enter(task) ? admit(task) : refusal(Reason.CANCELLED);
        if (refused != null) {
            refused(task, refused, null, false);
        }
    }

    private Rejection refusal(Reason reason) {
        return new Rejection(queue.name(), reason, 0, 0);
    }

    /** Null if the task is on its way. */
    @Nullable
    Rejection admit(Task<?> task) {
        Decision decision = queue.atTheDoor(request, patience);
        if (decision == null) {
            Answer place = new Answer(queue, task);
            task.standsAt(place);
            decision = queue.stand(request, patience, place);
            if (decision == null) {
                if (task.isOver()) {
                    place.withdraw();
                }
                return null;
            }
        }
        if (decision instanceof Permit permit && task.hold(permit)) {
            handOver(task, false);
        }
        return decision instanceof Rejection refused ? refused : null;
    }

    void grantedInLine(Task<?> task, Permit permit) {
        if (!task.hold(permit)) {
            return;
        }
        if (returning.get() == 0) {
            handOver(task, true);
            return;
        }
        ready.add(task);
        if (returning.get() == 0) {
            handOverReady();
        }
    }

    private void handOverReady() {
        for (Task<?> task = ready.poll(); task != null; task = ready.poll()) {
            handOver(task, true);
        }
    }

    private void handOver(Task<?> task, boolean late) {
        try {
            delegate.execute(task);
        } catch (RuntimeException | Error e) {
            if (task.isGranted()) {
                refused(task, refusal(isDelegateShut() ? Reason.CANCELLED : Reason.QUEUE_FULL), e, late);
            } else if (!late) {
                throw e;
            }
        }
    }

    private boolean isDelegateShut() {
        return delegate instanceof ExecutorService service && service.isShutdown();
    }

    void refused(Task<?> task, Rejection why, @Nullable Throwable cause, boolean late) {
        new RejectedTask(this, task, why, cause, late).decide(policy);
    }

    /** Returns a permit; who is let in by it is left to this worker. */
    void release(Permit permit, Outcome outcome) {
        if (!queue.isWaitedFor()) {
            permit.release(outcome);
            return;
        }
        returning.incrementAndGet();
        try {
            permit.release(outcome);
        } finally {
            returning.decrementAndGet();
        }
    }

    /* An interrupt that was meant for a task ends with it. One that came from elsewhere while it ran is most likely the
    delegate's, which wants its worker back: it gets it, and knows by itself why. */
    void work(Task<?> first) {
        boolean interruptedBefore = Thread.currentThread().isInterrupted();
        Task<?> task = first;
        try {
            for (int i = 1; task != null; i++) {
                Task<?> done = task;
                perform(done);
                boolean called = Thread.interrupted() && !done.isCancelled();
                boolean stays = i < IN_A_ROW && !called && !done.rethrows() && !isDelegateShut();
                task = stays ? ready.poll() : null;
                handOverReady();
                done.rethrow();
            }
        } finally {
            handOverReady();
            if (interruptedBefore) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs one that was granted on a thread that is not the delegate's. */
    void performHere(Task<?> task) {
        boolean interruptedBefore = Thread.currentThread().isInterrupted();
        perform(task);
        if (task.isCancelled() && Thread.interrupted() && interruptedBefore) {
            Thread.currentThread().interrupt();
        }
        handOverReady();
        task.rethrow();
    }

    private void perform(Task<?> task) {
        boolean ran = false;
        try {
            ran = task.perform();
        } finally {
            if (ran) {
                roll.leave(task, task.ending());
            }
        }
    }

    /** Waits for a permit, also where the line has no room for one more. */
    Decision insist() throws InterruptedException {
        Ticker ticker = Ticker.system();
        Thread me = Thread.currentThread();
        Registration heard = queue.whenCapacity(() -> LockSupport.unpark(me));
        try {
            long since = ticker.read();
            for (Duration left = maxWait; ; left = maxWait.minusNanos(ticker.read() - since)) {
                Decision decision = queue.acquire(request, left);
                boolean full = decision instanceof Rejection refused && refused.reason() == Reason.QUEUE_FULL;
                if (!full || left.isNegative()) {
                    return decision;
                }
                LockSupport.parkNanos(this, LOOK_AGAIN);
            }
        } finally {
            heard.close();
        }
    }

    /** Who of ours has waited longest. */
    @Nullable
    Task<?> oldest() {
        Waiter waiter = queue.oldest(one -> ours(one) != null);
        return waiter == null ? null : ours(waiter);
    }

    private @Nullable Task<?> ours(Waiter waiter) {
        Answer answer = waiter.answer;
        return answer != null && answer.receiver instanceof Task<?> task && task.isOf(this) ? task : null;
    }
}
