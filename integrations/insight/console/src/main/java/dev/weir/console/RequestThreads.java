package dev.weir.console;

import dev.weir.Ticker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that read requests and answer them: four, none while there are no requests. Each request has a limit of time for
 * all of its reading and writing, which is shorter while others wait. One that has waited for as long is dropped.
 */
final class RequestThreads implements Executor, AutoCloseable {
    private static final int THREADS = 4;
    private static final int SHARE_WHILE_OTHERS_WAIT = 5;

    private final Map<Thread, Watch.Limit> running = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Daemons.named("weir-console-request"));
    private final Watch watch;
    private final Ticker ticker;
    private final long limitNanos;

    RequestThreads(Watch watch, Ticker ticker, long limitNanos) {
        this.watch = watch;
        this.ticker = ticker;
        this.limitNanos = limitNanos;
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable request) {
        long since = ticker.read();
        threads.execute(() -> run(request, since));
    }

    private void run(Runnable request, long since) {
        long limit = threads.getQueue().isEmpty() ? limitNanos : limitNanos / SHARE_WHILE_OTHERS_WAIT;
        try (Watch.Limit mine = watch.limit(limit)) {
            running.put(Thread.currentThread(), mine);
            if (ticker.read() - since > limitNanos) {
                mine.end(); // the first read closes the connection
            }
            request.run();
        } finally {
            running.remove(Thread.currentThread());
            boolean unused = Thread.interrupted();
        }
    }

    /** Gives the request of the calling thread so much time from now on. */
    void renew(long nanos) {
        Watch.Limit mine = running.get(Thread.currentThread());
        if (mine != null) {
            mine.renew(nanos);
        }
    }

    /** Interrupts all requests that are read or answered now. */
    void interruptAll() {
        running.values().forEach(Watch.Limit::end);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
