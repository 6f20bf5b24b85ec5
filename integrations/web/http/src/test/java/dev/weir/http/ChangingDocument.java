package dev.weir.http;

import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import java.nio.charset.StandardCharsets;

/** A document that a test writes again. */
final class ChangingDocument implements ConfigSource {
    private volatile String yaml;
    private volatile Runnable changed = () -> {};

    ChangingDocument(String yaml) {
        this.yaml = yaml;
    }

    void write(String next) {
        yaml = next;
        changed.run();
    }

    @Override
    public String name() {
        return "test";
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public void watch(Runnable whenChanged) {
        changed = whenChanged;
    }

    @Override
    public Reading read() {
        return Reading.of(yaml.getBytes(StandardCharsets.UTF_8), Format.YAML).whole();
    }

    @Override
    public void close() {}
}
