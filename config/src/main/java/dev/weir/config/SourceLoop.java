package dev.weir.config;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Stub until the real one is merged. */
final class SourceLoop {
    interface Listener {
        void onReading(Reading reading);

        void onLost(Throwable cause);

        void onRestored(Duration away);
    }

    record Status(boolean up) {}

    private final ConfigSource source;
    private final Listener listener;

    SourceLoop(
            ConfigSource source,
            Listener listener,
            Alarm alarm,
            Executor executor,
            Ticker ticker,
            RandomGenerator random) {
        this.source = source;
        this.listener = listener;
    }

    void start() {
        try {
            listener.onReading(source.read());
        } catch (Exception e) {
            listener.onLost(e);
        }
    }

    void acknowledge(InstanceStatus status) {}

    Status status() {
        return new Status(true);
    }

    void close() {}
}
