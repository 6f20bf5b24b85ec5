package dev.weir.engine;

import dev.weir.spi.Registration;
import java.util.concurrent.atomic.AtomicBoolean;

/** What ends a registration, done by the first close and by no other. */
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
