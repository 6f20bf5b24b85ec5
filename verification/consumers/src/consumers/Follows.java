package consumers;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.ConfigSource;
import dev.weir.named.NamedLimiter;
import dev.weir.named.status.ConfigEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A limit that follows a document: it decides, the document changes, it decides by the new limit. */
final class Follows {
    private static final int SECONDS = 20;

    /** Replaces the document. */
    interface Store {
        void write(String document) throws Exception;
    }

    private Follows() {}

    static void document(Store store, ConfigSource source) throws Exception {
        store.write(document(2));
        BlockingQueue<ConfigEvent> events = new LinkedBlockingQueue<>();
        try (LimiterRegistry registry =
                LimiterRegistry.builder().source(source).onEvent(events::add).build()) {
            NamedLimiter orders = registry.limiter("orders", new Semaphore(1));
            await(orders, 2, events);
            store.write(document(3));
            await(orders, 3, events);
        }
    }

    private static String document(int limit) {
        return "limits: { orders: { concurrency: " + limit + " } }";
    }

    private static void await(NamedLimiter limiter, int limit, BlockingQueue<ConfigEvent> events) throws Exception {
        List<ConfigEvent> seen = new ArrayList<>();
        while (Check.granted(limiter::tryAcquire) != limit) {
            ConfigEvent event = events.poll(SECONDS, TimeUnit.SECONDS);
            if (event == null) {
                throw new IllegalStateException(
                        "granted " + Check.granted(limiter::tryAcquire) + " in place of " + limit + " after " + seen);
            }
            seen.add(event);
        }
    }
}
