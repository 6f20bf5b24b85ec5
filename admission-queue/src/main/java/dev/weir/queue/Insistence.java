package dev.weir.queue;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Registration;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Blocks the current thread until a request is granted, also while the queue has no room for it. One request: what it is
 * refused meanwhile is not counted; the last refusal is the caller's to count.
 */
final class Insistence {
    /** After how many nanoseconds to look whether the queue has room. */
    static final long LOOK_AGAIN = 10_000_000;

    private final AdmissionQueue queue;
    private final Request request;
    private final Duration maxWait;
    private @Nullable Answer place;

    Insistence(AdmissionQueue queue, Request request, Duration maxWait) {
        this.queue = queue;
        this.request = request;
        this.maxWait = maxWait;
    }

    /** Where it waited last. */
    @Nullable
    Answer place() {
        return place;
    }

    Decision acquire() throws InterruptedException {
        Ticker ticker = Ticker.system();
        Thread me = Thread.currentThread();
        Registration heard = queue.whenCapacity(() -> LockSupport.unpark(me));
        try {
            long since = ticker.read();
            for (Duration left = maxWait; ; left = maxWait.minusNanos(ticker.read() - since)) {
                Decision decision = once(AdmissionQueue.patience(request, left));
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

    private Decision once(long patience) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        place = null;
        Object kept = queue.arrival();
        Decision atOnce = queue.atTheDoor(request, patience, kept);
        if (atOnce != null) {
            return atOnce;
        }
        Ending ending = new Ending(Thread.currentThread());
        Answer answer = new Answer(queue, ending);
        place = answer;
        Rejection refused = queue.stand(request, patience, answer, kept);
        return refused == null ? ending.await(answer) : refused;
    }

    private static final class Ending implements Consumer<Decision> {
        private final Thread waits;
        private volatile @Nullable Decision decision;

        Ending(Thread waits) {
            this.waits = waits;
        }

        @Override
        public void accept(Decision given) {
            decision = given;
            LockSupport.unpark(waits);
        }

        /* Interrupt and grant meet at the waiter's end: who was granted keeps the flag. */
        Decision await(Answer place) throws InterruptedException {
            boolean interrupted = false;
            try {
                for (Decision given = decision; ; given = decision) {
                    if (given != null) {
                        return given;
                    }
                    LockSupport.park(this);
                    if (Thread.interrupted()) {
                        if (place.withdraw()) {
                            throw new InterruptedException();
                        }
                        interrupted = true;
                    }
                }
            } finally {
                if (interrupted) {
                    waits.interrupt();
                }
            }
        }
    }
}
