package dev.weir.micrometer;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import dev.weir.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A document that a test writes, and which a registry reads each second of virtual time. */
final class WrittenDocument implements ConfigSource {
    final VirtualTime time = new VirtualTime();
    private volatile String yaml = "";

    /** A registry of the document, which it has already. */
    LimiterRegistry registry(String first) {
        yaml = first;
        return LimiterRegistry.builder()
                .source(this)
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .onEvent(event -> {})
                .build();
    }

    /** Writes another one, and lets the time pass in which it is read. */
    void write(String next) {
        yaml = next;
        time.advance(Duration.ofSeconds(3));
    }

    @Override
    public String name() {
        return "test";
    }

    @Override
    public Reading read() {
        return Reading.of(yaml.getBytes(StandardCharsets.UTF_8), Format.YAML).whole();
    }

    @Override
    public Duration readEvery() {
        return Duration.ofSeconds(1);
    }

    @Override
    public void close() {}
}
