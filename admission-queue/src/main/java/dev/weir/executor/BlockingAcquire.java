package dev.weir.executor;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.queue.CallbackQueue;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An acquire that blocks the current thread until the request is granted, also while the queue is full. For one request:
 * rejections on the way are not counted; the caller counts the last one.
 */
final class BlockingAcquire {
    /** The delay between two attempts to enter a full queue. */
    static final long RETRY_NANOS = 10_000_000;

    private final CallbackQueue queue;
    private final Request request;
    private final Duration maxWait;
    /** Where it waited last. */
    CallbackQueue.@Nullable Place place;

    BlockingAcquire(CallbackQueue queue, Request request, Duration maxWait) {
        this.queue = queue;
        this.request = request;
        this.maxWait = maxWait;
    }

    Decision acquire() throws InterruptedException {
        Ticker ticker = Ticker.system();
        Thread me = Thread.currentThread();
        Registration listening = queue.whenCapacity(() -> LockSupport.unpark(me));
        try {
            long since = ticker.read();
            for (Duration left = maxWait; ; left = maxWait.minusNanos(ticker.read() - since)) {
                Decision decision = once(CallbackQueue.timeoutNanos(request, left));
                boolean full = decision instanceof Rejection refused && refused.reason() == Reason.QUEUE_FULL;
                if (!full || left.isNegative()) {
                    return decision;
                }
                LockSupport.parkNanos(this, RETRY_NANOS);
            }
        } finally {
            listening.close();
        }
    }

    private Decision once(long timeoutNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        place = null;
        Object requestData = queue.requestData();
        Decision atOnce = queue.tryAcquire(request, timeoutNanos, requestData);
        if (atOnce != null) {
            return atOnce;
        }
        BlockedThread blocked = new BlockedThread(Thread.currentThread());
        CallbackQueue.Place entered = queue.place(request, blocked);
        place = entered;
        Rejection refused = entered.enter(timeoutNanos, requestData);
        return refused == null ? blocked.await(entered, WaitTime.of(timeoutNanos)) : refused;
    }

    private static final class BlockedThread implements Consumer<Decision> {
        private final Thread thread;
        private volatile @Nullable Decision decision;

        BlockedThread(Thread thread) {
            this.thread = thread;
        }

        @Override
        public void accept(Decision given) {
            decision = given;
            LockSupport.unpark(thread);
        }

        /* Interrupt, grant and the end of the time meet at the waiter's decision: a granted thread keeps the flag. The queue's
        clock may be set back, so the thread also times itself. */
        Decision await(CallbackQueue.Place place, WaitTime time) throws InterruptedException {
            boolean interrupted = false;
            try {
                for (Decision given = decision; ; given = decision) {
                    if (given != null) {
                        return given;
                    }
                    long left = time.left();
                    if (left <= 0 && place.withdraw(Reason.TIMED_OUT)) {
                        return Objects.requireNonNull(place.decision());
                    }
                    LockSupport.parkNanos(this, left <= 0 ? RETRY_NANOS : left);
                    if (Thread.interrupted()) {
                        if (place.withdraw()) {
                            throw new InterruptedException();
                        }
                        interrupted = true;
                    }
                }
            } finally {
                if (interrupted) {
                    thread.interrupt();
                }
            }
        }
    }
}
