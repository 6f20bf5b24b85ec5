package dev.weir.queue;

import dev.weir.internal.Workers;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The alarm of one queue. If the given alarm throws, the system alarm is used in its place. */
final class QueueAlarm {
    private static final long RETRY_NANOS = 1_000_000;

    private final Alarm alarm;
    private final Alarm spare;
    private final WaitList waitList;
    /* Ends the waits that are over; true = dispatches in any case. */
    private final Consumer<Boolean> whenDue;
    /* A late write costs one more attempt. */
    private volatile boolean retrying;

    QueueAlarm(@Nullable Alarm given, Workers workers, WaitList waitList, Consumer<Boolean> whenDue) {
        this.spare = (nanos, action) -> Alarm.system().ring(nanos, () -> workers.execute(action));
        this.alarm = given == null ? spare : given;
        this.waitList = waitList;
        this.whenDue = whenDue;
    }

    /** Sets it as the wait list has decided; null for not at all. */
    void set(@Nullable AlarmSetting setting) {
        if (setting == null) {
            return;
        }
        try {
            setting.wasSet(ring(setting.delay, () -> fired(setting)));
        } catch (Throwable t) {
            waitList.cleared(setting);
            throw t;
        }
    }

    private void fired(AlarmSetting setting) {
        waitList.cleared(setting);
        whenDue.accept(false);
    }

    /** Runs the dispatcher later, on another thread, when the code that failed may work again. */
    void retry() {
        if (retrying) {
            return;
        }
        retrying = true;
        try {
            waitList.countFailure();
            ring(RETRY_NANOS, this::retryNow);
        } catch (Throwable t) {
            retrying = false;
            throw t;
        }
    }

    private void retryNow() {
        retrying = false;
        whenDue.accept(waitList.length() > 0);
    }

    private Registration ring(long delay, Runnable action) {
        try {
            return alarm.ring(delay, action);
        } catch (Throwable t) {
            waitList.countFailure();
            return spare.ring(delay, action);
        }
    }
}
