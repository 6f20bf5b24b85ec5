package dev.weir.samples;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.value.ConfigParam;
import dev.weir.named.status.ConfigEvent;
import dev.weir.spi.Registration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/*
 * A method that is called with a value of the document, now and after each change. A value that it refuses is reported, and not
 * in force. The class Gate is the part to copy.
 *
 * Expected output:
 *
 *     {}                40 permits
 *     {permits: 50}     50 permits
 *     {permits: -1}     50 permits: values.permits must be accepted by Gate.onUpdate, which threw java.lang.IllegalArgumentException
 *     {}                40 permits
 */
public final class S14_ConfigParam {
    // #region gate
    static final class Gate {
        private volatile Semaphore semaphore = new Semaphore(0);

        @ConfigParam(value = "permits", orElse = "40")
        void onUpdate(int permits) {
            if (permits <= 0) {
                throw new IllegalArgumentException("permits must be > 0");
            }
            semaphore = new Semaphore(permits);
        }

        int permits() {
            return semaphore.availablePermits();
        }
    }
    // #endregion gate

    private final BlockingQueue<ConfigEvent> events = new LinkedBlockingQueue<>();

    private int version = 1;

    private S14_ConfigParam() {}

    public static void main(String[] args) throws Exception {
        new S14_ConfigParam().run();
    }

    private void run() throws Exception {
        try (DocumentStore store = new DocumentStore()) {
            write(store, "{}");
            try (LimiterRegistry registry = LimiterRegistry.builder()
                    .source(store.source())
                    .onEvent(events::add)
                    .build()) {
                Gate gate = new Gate();
                Registration ignored = registry.values().bind(gate);
                show("{}", gate);
                for (String values : List.of("{permits: 50}", "{permits: -1}", "{}")) {
                    version++;
                    write(store, values);
                    show(values, gate);
                }
            }
        }
    }

    private void show(String values, Gate gate) throws InterruptedException {
        String problems = events.take() instanceof ConfigEvent.Changed changed
                ? changed.problems().stream()
                        .map(problem -> ": " + problem.field() + " " + problem.rule())
                        .collect(Collectors.joining())
                : "";
        System.out.printf("%-17s %d permits%s%n", values, gate.permits(), problems);
    }

    private void write(DocumentStore store, String values) throws Exception {
        store.write("""
                document: { version: %d }
                limits: {}
                values: %s
                ...
                """.formatted(version, values));
    }
}
