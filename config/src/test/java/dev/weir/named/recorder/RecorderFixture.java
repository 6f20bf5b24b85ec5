package dev.weir.named.recorder;

import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import dev.weir.spi.Registration;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;

/** A registry in virtual time, whose recorder ticks when a test says so. */
class RecorderFixture {
    static final Duration SLICE = Duration.ofMillis(10);
    static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    final VirtualTime time = new VirtualTime(0);
    final LimiterRegistry limits = LimiterRegistry.builder()
            .ticker(time)
            .alarm(time)
            .clock(() -> BEGIN.plusNanos(time.read()))
            .executor(Runnable::run)
            .build();
    final Recorder recorder = Recorder.of(limits.names().table(), work -> new Thread(() -> {}));

    /** Time passes, with a tick after each slice. */
    void ticks(int slices) {
        for (int i = 0; i < slices; i++) {
            time.advance(SLICE);
            recorder.tick();
        }
    }

    /** Puts these settings, as a document has them, over those of a limit. */
    Registration set(String name, String entry) {
        return limits.override(name, entry, Duration.ofDays(1), "ann", "test");
    }

    static void ask(NamedLimiter limiter, int times) {
        for (int i = 0; i < times; i++) {
            limiter.tryAcquire();
        }
    }
}
