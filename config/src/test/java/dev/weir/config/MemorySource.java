package dev.weir.config;

import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A source that a test writes to: a server with one document, which may be away. */
final class MemorySource implements ConfigSource {
    private volatile Reading reading = Reading.absent();
    private volatile Runnable changed = () -> {};
    private volatile boolean away;
    private long revision;
    final List<InstanceStatus> acknowledged = new CopyOnWriteArrayList<>();

    /** Writes a whole document, as a server does. */
    synchronized void write(String yaml) {
        put(Reading.of(yaml.getBytes(StandardCharsets.UTF_8), Format.YAML)
                .revision(++revision)
                .whole());
    }

    void put(Reading next) {
        reading = next;
        changed.run();
    }

    void goAway() {
        away = true;
        changed.run();
    }

    void comeBack() {
        away = false;
        changed.run();
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Reading read() throws IOException {
        if (away) {
            throw new IOException("the server is away");
        }
        return reading;
    }

    @Override
    public void watch(Runnable whenChanged) {
        changed = whenChanged;
    }

    @Override
    public Duration readEvery() {
        return Duration.ofSeconds(10);
    }

    @Override
    public boolean acknowledges() {
        return true;
    }

    @Override
    public void acknowledge(InstanceStatus status) {
        acknowledged.add(status);
    }

    @Override
    public List<InstanceStatus> statuses() {
        return List.copyOf(acknowledged);
    }

    @Override
    public void close() {}
}
