package dev.weir.samples;

import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A document in memory, as a config center has it for many instances; also a source in few lines. Thread-safe. */
final class MemoryStore {
    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
    private volatile Reading document = Reading.absent();

    /** A new source of the document. */
    ConfigSource source() {
        return new ConfigSource() {
            @Override
            public String name() {
                return "memory";
            }

            @Override
            public void watch(Runnable changed) {
                watchers.add(changed);
            }

            @Override
            public Reading read() {
                return document;
            }

            @Override
            public void close() {}
        };
    }

    /** Replaces the document. A reader gets all of it, so it is known to be whole. */
    void write(String text) {
        document =
                Reading.of(text.getBytes(StandardCharsets.UTF_8), Format.YAML).whole();
        watchers.forEach(Runnable::run);
    }
}
