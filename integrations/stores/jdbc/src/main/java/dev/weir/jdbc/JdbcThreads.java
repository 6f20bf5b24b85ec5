package dev.weir.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Threads that make calls of a database, and the queue before them. Thread-safe; no method but {@link #close} blocks. */
final class JdbcThreads implements AutoCloseable {
    static final int QUEUE = 1_024;

    private final SessionSource sessions;
    private final BlockingQueue<JdbcThread.Call<?>> queue = new ArrayBlockingQueue<>(QUEUE);
    private final List<JdbcThread> workers = new ArrayList<>();
    private volatile boolean isClosed;

    JdbcThreads(SessionSource sessions, int threads) {
        this.sessions = sessions;
        for (int i = 0; i < threads; i++) {
            JdbcThread worker = new JdbcThread(sessions, queue, () -> isClosed);
            worker.setName("weir-jdbc-" + i);
            worker.setDaemon(true);
            workers.add(worker);
        }
        workers.forEach(Thread::start);
    }

    /** Completes when a thread has made the call, or exceptionally after the time-out or if there is no room in the queue. */
    <T> CompletionStage<T> call(JdbcThread.Call.Work<T> work) {
        JdbcThread.Call<T> call = JdbcThread.Call.of(work);
        if (!isClosed && !queue.offer(call)) {
            call.fail(new RejectedExecutionException(QUEUE + " calls wait for the database already"));
        }
        if (isClosed) {
            call.fail(closed()); // also if it came after close() had emptied the queue
        }
        return call.answer().orTimeout(sessions.waits().networkMillis(), TimeUnit.MILLISECONDS);
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("the store is closed");
    }

    /** Returns when the threads have ended, at the latest soon after the time-out of a statement. */
    @Override
    public void close() {
        isClosed = true;
        List<JdbcThread.Call<?>> waiting = new ArrayList<>();
        queue.drainTo(waiting);
        waiting.forEach(call -> call.fail(closed()));
        workers.forEach(worker -> queue.offer(JdbcThread.END));
        workers.forEach(worker -> worker.end(sessions.waits().networkMillis()));
    }
}
