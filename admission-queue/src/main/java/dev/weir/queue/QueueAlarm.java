package dev.weir.queue;

import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import org.jspecify.annotations.Nullable;

/** Sets the alarm of one queue. Where the one it was given fails, the system's takes its place. */
final class QueueAlarm {
    /** What to do when it rings. */
    interface Due {
        /**
         * Sees to what is due.
         *
         * @param asking whether to ask for those who wait in any case
         */
        void seeTo(boolean asking);
    }

    private static final long RETRY = 1_000_000;

    private final Alarm alarm;
    private final Alarm spare;
    private final Line line;
    private final Due due;
    private volatile boolean retrying;

    QueueAlarm(@Nullable Alarm given, Workers workers, Line line, Due due) {
        this.spare = (nanos, action) -> Alarm.system().ring(nanos, () -> workers.execute(action));
        this.alarm = given == null ? spare : given;
        this.line = line;
        this.due = due;
    }

    /** Sets it as the line has decided, if it has. */
    void set(@Nullable Ring ring) {
        if (ring == null) {
            return;
        }
        try {
            ring.isSet(ring(ring.wait, () -> rung(ring)));
        } catch (Throwable t) {
            line.rang(ring);
            throw t;
        }
    }

    private void rung(Ring ring) {
        line.rang(ring);
        due.seeTo(false);
    }

    /** Has the line asked later, on another thread, when the code that failed may work again. */
    void retry() {
        if (retrying) {
            return;
        }
        retrying = true;
        try {
            line.failed();
            ring(RETRY, this::again);
        } catch (Throwable t) {
            retrying = false;
            throw t;
        }
    }

    private void again() {
        retrying = false;
        due.seeTo(line.length() > 0);
    }

    private Registration ring(long wait, Runnable action) {
        try {
            return alarm.ring(wait, action);
        } catch (Throwable t) {
            line.failed();
            return spare.ring(wait, action);
        }
    }
}
