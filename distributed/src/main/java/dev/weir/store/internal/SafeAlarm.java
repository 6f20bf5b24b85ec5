package dev.weir.store.internal;

import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;

/** The given alarm, or the system's where the given one throws. */
public record SafeAlarm(Alarm given) implements Alarm {
    @Override
    public Registration ring(long nanos, Runnable action) {
        try {
            return given.ring(nanos, action);
        } catch (Throwable t) {
            return Alarm.system().ring(nanos, action);
        }
    }
}
