package dev.weir.verification.composition;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import dev.weir.engine.ManagedLimiter;
import dev.weir.engine.Snapshot;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent;
import dev.weir.testkit.Composition;
import dev.weir.testkit.VirtualTime;
import dev.weir.verification.composition.Documents.Text;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The name of a registry that reads documents from memory, at once and on the thread that writes them. */
final class DocumentSubject implements Composition.Subject {
    private final Memory memory = new Memory();
    private final List<ConfigEvent> events = new ArrayList<>();
    private final NamedLimiter limiter;
    private Text inForce;

    DocumentSubject(Text first, VirtualTime time) {
        memory.write(first.text());
        inForce = first;
        limiter = LimiterRegistry.builder()
                .source(memory)
                .ticker(time)
                .alarm(time)
                .executor(Runnable::run)
                .startWithin(Duration.ZERO)
                .onEvent(events::add)
                .build()
                .limiter("a");
        checkRead();
    }

    private void checkRead() {
        for (ConfigEvent event : events) {
            if (!(event instanceof ConfigEvent.Changed changed)
                    || !changed.problems().isEmpty()) {
                throw new IllegalArgumentException(inForce + " is not in force: " + event);
            }
        }
        events.clear();
    }

    /** A request of the dimensions of the caller, or by its whole key if the document counts by that. */
    @Override
    public Decision tryAcquire(Request request) {
        if (inForce.isByWholeKey()) {
            return limiter.tryAcquire(request);
        }
        Request named = limiter.request(dimension -> Names.value(request, dimension));
        return limiter.tryAcquire(named.withPermits(request.permits()).withPriority(request.priority()));
    }

    @Override
    public void change(Composition next) {
        Text text = (Text) next.spec();
        boolean differs = !text.text().equals(inForce.text());
        inForce = text;
        memory.write(text.text());
        if (differs && events.isEmpty()) {
            throw new IllegalArgumentException(text + " is not read");
        }
        checkRead();
    }

    @Override
    public Snapshot snapshot() {
        return limiter.snapshot();
    }

    @Override
    public @Nullable ManagedLimiter engine() {
        return null;
    }

    private static final class Memory implements ConfigSource {
        private Reading reading = Reading.absent();
        private Runnable changed = () -> {};
        private long revision;

        void write(String text) {
            reading = Reading.of(text.getBytes(StandardCharsets.UTF_8), Format.YAML)
                    .revision(++revision)
                    .whole();
            changed.run();
        }

        @Override
        public String name() {
            return "memory";
        }

        @Override
        public Reading read() {
            return reading;
        }

        @Override
        public void watch(Runnable whenChanged) {
            changed = whenChanged;
        }

        @Override
        public void close() {}
    }
}
