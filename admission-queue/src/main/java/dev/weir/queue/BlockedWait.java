package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Rejection.Reason;
import dev.weir.Ticker;
import java.util.concurrent.locks.LockSupport;

/** The wait of a blocked thread: it parks, times itself, and tries to acquire when it is time. Thread-safe. */
record BlockedWait(Dispatcher dispatcher, Ticker ticker) {
    private static final long TOO_SHORT_TO_PARK = 1_000;

    /* Interrupt and grant meet at the waiter's decision: a granted thread keeps the flag, an interrupted one holds nothing. */
    Decision await(QueuedRequest waiter) throws InterruptedException {
        dispatcher.entered(waiter);
        Waited time = new Waited(ticker, waiter.since);
        for (Decision decision = waiter.decision(); ; decision = waiter.decision()) {
            if (decision != null) {
                dispatcher.unfair.passOn(waiter);
                return decision;
            }
            long waited = time.nanos();
            if (Thread.interrupted()) {
                if (dispatcher.cancel(waiter, Reason.CANCELLED)) {
                    throw new InterruptedException();
                }
                Thread.currentThread().interrupt();
            } else if (waited < waiter.timeoutNanos) {
                tryOrPark(waiter, waited);
            } else {
                dispatcher.cancel(waiter, Reason.TIMED_OUT);
            }
        }
    }

    /** For how long a thread has waited. Once the queue's clock was set back, the time counts that the thread has measured itself. */
    private static final class Waited {
        private final Ticker ticker;
        private long read;
        private long own;
        private long nanos;
        private boolean isSetBack;

        Waited(Ticker ticker, long since) {
            this.ticker = ticker;
            this.read = since;
            this.own = Ticker.system().read();
        }

        long nanos() {
            long now = ticker.read();
            long ownNow = Ticker.system().read();
            isSetBack |= now - read < 0;
            nanos = Math.max(nanos, nanos + (isSetBack ? ownNow - own : now - read));
            read = now;
            own = ownNow;
            return nanos;
        }
    }

    private void tryOrPark(QueuedRequest waiter, long waited) {
        UnfairDispatch unfair = dispatcher.unfair;
        long retryAfter = waiter.retryAfter;
        if (retryAfter > 0 && waited >= retryAfter) {
            waiter.retryAfter = 0;
            if (dispatcher.waitList.spec().isFair() || waited >= Granter.HAND_OFF_NANOS) {
                dispatcher.dispatch();
            } else {
                unfair.tryByItself(waiter);
            }
        } else if (unfair.isWoken(waiter)) {
            unfair.tryWoken(waiter, waited);
        } else {
            long nanos = (retryAfter > 0 ? Math.min(waiter.timeoutNanos, retryAfter) : waiter.timeoutNanos) - waited;
            if (nanos > TOO_SHORT_TO_PARK) {
                LockSupport.parkNanos(dispatcher, nanos);
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
