package dev.weir.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.source.Reading;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent;
import dev.weir.named.status.ConfigEvent.Changed;
import dev.weir.named.status.ConfigEvent.Refused;
import dev.weir.testkit.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A registry with one source, in virtual time and on the thread of the test, and the events that it told. */
class RegistryFixture {
    final VirtualTime time = new VirtualTime();
    final MemorySource source = new MemorySource();
    final List<ConfigEvent> events = new ArrayList<>();

    LimiterRegistry.Builder builder() {
        return unnamedBuilder().instance("one");
    }

    /** As {@link #builder}, for an instance without a name that survives restarts. */
    LimiterRegistry.Builder unnamedBuilder() {
        return LimiterRegistry.builder()
                .source(source)
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .startWithin(Duration.ZERO)
                .onEvent(events::add);
    }

    /** A registry of this document, which is right. */
    LimiterRegistry registry(String document) {
        source.write(document);
        LimiterRegistry registry = builder().build();
        assertInstanceOf(Changed.class, last(), () -> last().toString());
        assertEquals(List.of(), ((Changed) last()).problems());
        return registry;
    }

    /** A registry with the factories of this reader. */
    LimiterRegistry registry(DocumentReader reader) {
        LimiterRegistry.Builder builder = builder();
        builder.reader = reader;
        return builder.build();
    }

    ConfigEvent last() {
        return events.get(events.size() - 1);
    }

    Changed changed() {
        return assertInstanceOf(Changed.class, last(), () -> last().toString());
    }

    Refused refused() {
        return assertInstanceOf(Refused.class, last(), () -> last().toString());
    }

    void write(String document) {
        source.write(document);
        time.advance(Duration.ofSeconds(2));
    }

    /** Takes permits until refused, at most 5000, returns them and says how many. */
    static int granted(NamedLimiter limiter) {
        List<Permit> permits = new ArrayList<>();
        Decision decision = limiter.tryAcquire();
        while (decision instanceof Permit permit && permits.size() < 5000) {
            permits.add(permit);
            decision = limiter.tryAcquire();
        }
        if (decision instanceof Permit beyond) {
            beyond.release(Outcome.IGNORED);
        }
        permits.forEach(permit -> permit.release(Outcome.IGNORED));
        return permits.size();
    }

    static Reading half(String yaml) {
        return Reading.of(yaml.getBytes(StandardCharsets.UTF_8), Format.YAML);
    }
}
