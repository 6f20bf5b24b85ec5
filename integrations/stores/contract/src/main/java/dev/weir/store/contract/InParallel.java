package dev.weir.store.contract;

import dev.weir.store.state.ContentionException;
import dev.weir.store.state.StateLimit;
import dev.weir.store.state.StateRate;
import dev.weir.store.state.StateStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that work at the same time, one for each of some values. */
final class InParallel {
    private InParallel() {}

    /** The work of one thread. */
    @FunctionalInterface
    interface Work<T> {
        void run(T value) throws Exception;
    }

    /** Throws what one of them throws. */
    static <T> void run(List<T> values, Work<T> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(values.size());
        try {
            List<Future<?>> all = new ArrayList<>();
            for (T value : values) {
                all.add(threads.submit(() -> {
                    work.run(value);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                Object unused = each.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Counts the permits that limits of one name and one rate grant together until each has been refused; each is asked for more than the burst. */
    static long granted(List<StateStore> stores, String name, StateRate rate, int burst) throws Exception {
        AtomicLong granted = new AtomicLong();
        run(stores, store -> {
            StateLimit limit = StateLimit.of(store, name, rate, String::valueOf);
            for (int i = 0; i <= burst; i++) {
                granted.addAndGet(granted(limit));
            }
        });
        return granted.get();
    }

    /* A call that has lost each race has counted nothing. */
    private static long granted(StateLimit limit) throws Exception {
        while (true) {
            try {
                return limit.acquire("k", 1)
                        .toCompletableFuture()
                        .get(1, TimeUnit.MINUTES)
                        .granted();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof ContentionException)) {
                    throw e;
                }
            }
        }
    }
}
