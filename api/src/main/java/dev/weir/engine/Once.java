package dev.weir.engine;

import dev.weir.spi.Registration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Registrations whose first close runs an action; later ones do nothing. */
final class Once {
    private Once() {}

    static Registration of(Runnable end) {
        AtomicBoolean open = new AtomicBoolean(true);
        return () -> {
            if (open.compareAndSet(true, false)) {
                end.run();
            }
        };
    }
}
