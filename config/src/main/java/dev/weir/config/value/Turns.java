package dev.weir.config.value;

import dev.weir.Ticker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An executor of the code of listeners, one after the other in one thread, and in one more for each that does not return. Threads
 * end when they had nothing to do for 5 seconds, and do not keep the JVM alive.
 */
final class Turns implements AutoCloseable {
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), Turns::thread);
    private final Ticker ticker;
    private final Duration limit;

    Turns() {
        this(Ticker.system(), Duration.ofSeconds(1));
    }

    Turns(Ticker ticker, Duration limit) {
        this.ticker = ticker;
        this.limit = limit;
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "weir-config-values");
        thread.setDaemon(true);
        return thread;
    }

    /** The turns of one document. They are waited for as long as the limit, all together; then, a twentieth of it each. */
    Round round() {
        return new Round(ticker.read());
    }

    /** How many threads there are, of which one or two had their turn a moment ago. */
    int threads() {
        return threads.getPoolSize();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    final class Round {
        private final long start;

        private Round(long start) {
            this.start = start;
        }

        /** Whether the turn has ended. If not, {@code late} is called when it has. */
        boolean runs(Runnable turn, Runnable late) {
            if (threads.isShutdown()) {
                return true;
            }
            CompletableFuture<Void> run = CompletableFuture.runAsync(turn, threads);
            try {
                run.get(Math.max(limit.toNanos() / 20, limit.toNanos() - elapsed()), TimeUnit.NANOSECONDS);
                return true;
            } catch (TimeoutException e) {
                return isLate(run, late);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return isLate(run, late);
            } catch (ExecutionException e) {
                throw new AssertionError("a turn does not throw", e);
            }
        }

        private long elapsed() {
            return ticker.read() - start;
        }

        private boolean isLate(CompletableFuture<Void> run, Runnable late) {
            CompletableFuture<Void> unused = run.thenRun(late);
            return false;
        }
    }
}
