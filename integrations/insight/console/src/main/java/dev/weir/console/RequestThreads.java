package dev.weir.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import dev.weir.internal.Workers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that read requests and answer them: four beside those that write streams, none while there are no requests. Each
 * request has a limit of time until it is read and another one to be answered, which are shorter while others wait. One that
 * has waited for four limits is dropped.
 */
final class RequestThreads implements Executor, AutoCloseable {
    private static final int THREADS = 4;
    private static final int SHARE_OF_READING = 10;
    private static final int SHARE_OF_ANSWERING = 5;
    private static final int LIMITS_TO_WAIT = 4;

    private final Map<Thread, Watch.Limit> running = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            Watch.IDLE_MILLIS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            work -> Workers.thread("weir-console-request", work));
    private final Watch watch;
    private final Ticker ticker;

    @GuardedBy("this")
    private int lent;

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
        try (Watch.Limit mine = watch.limit(limit(SHARE_OF_READING))) {
            running.put(Thread.currentThread(), mine);
            if (ticker.read() - since > LIMITS_TO_WAIT * limitNanos) {
                mine.end(); // the first read closes the connection
            }
            request.run();
        } finally {
            running.remove(Thread.currentThread());
            boolean unused = Thread.interrupted();
        }
    }

    /** Has another thread do the work of the calling one, which may go on for as long as it likes; false = that has ended. */
    synchronized void replaced(boolean isSo) {
        Watch.Limit mine = running.remove(Thread.currentThread());
        if (mine != null) {
            mine.close();
        }
        lent += isSo ? 1 : -1;
        int size = THREADS + lent;
        if (isSo) {
            threads.setMaximumPoolSize(size);
            threads.setCorePoolSize(size);
        } else {
            threads.setCorePoolSize(size);
            threads.setMaximumPoolSize(size);
        }
    }

    private long limit(int shareWhileOthersWait) {
        return threads.getQueue().isEmpty() ? limitNanos : limitNanos / shareWhileOthersWait;
    }

    /** Gives the request of the calling thread its time to be answered. */
    void answering() {
        renew(limit(SHARE_OF_ANSWERING));
    }

    /** Gives the request of the calling thread so much time from now on. */
    void renew(long nanos) {
        Watch.Limit mine = running.get(Thread.currentThread());
        if (mine != null) {
            mine.renew(nanos);
        }
    }

    void interruptAll() {
        running.values().forEach(Watch.Limit::end);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
