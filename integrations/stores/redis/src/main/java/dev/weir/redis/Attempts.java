package dev.weir.redis;

import dev.weir.spi.Alarm;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Attempts to connect, until one succeeds. The next one begins 0.1 s after the one before, if that has failed, and after 0.3 s
 * beside those that still wait: a server that is halted does not greet, while another may have taken its place.
 */
final class Attempts<T> {
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int CHECKS_BESIDE = 3;

    private final Alarm alarm;
    private final Connector<T> connector;
    private final AtomicInteger waiting = new AtomicInteger();
    /* Decides which connection is used; all others are discarded. */
    private final AtomicBoolean over = new AtomicBoolean();

    private Attempts(Alarm alarm, Connector<T> connector) {
        this.alarm = alarm;
        this.connector = connector;
    }

    /** The operations of an attempt: to connect, and to take or to drop the connection. */
    interface Connector<T> {
        /** Begins an attempt, which ends by itself: few wait at a time. Does not throw. */
        CompletionStage<T> connect();

        /** Is called once, with the first connection. */
        void use(T made);

        /** Is called with every other connection. */
        void discard(T made);

        /** True once no attempt shall begin any more. */
        boolean isClosed();
    }

    static <T> void begin(Alarm alarm, Connector<T> connector) {
        new Attempts<>(alarm, connector).check(CHECKS_BESIDE);
    }

    private void check(int checksSinceLast) {
        if (over.get() || connector.isClosed()) {
            return;
        }
        boolean begins = waiting.get() == 0 || checksSinceLast >= CHECKS_BESIDE;
        if (begins) {
            connect();
        }
        alarm.ring(CHECK_NANOS, () -> check(begins ? 1 : checksSinceLast + 1));
    }

    private void connect() {
        waiting.incrementAndGet();
        connector.connect().whenComplete((made, failure) -> {
            waiting.decrementAndGet();
            if (made == null) {
                return;
            }
            if (over.compareAndSet(false, true)) {
                connector.use(made);
            } else {
                connector.discard(made);
            }
        });
    }
}
