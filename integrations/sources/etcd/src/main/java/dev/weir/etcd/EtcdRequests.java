package dev.weir.etcd;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Requests to etcd, whose answers are waited for during a bounded time, whatever the client's retry policy is, and
 * until closed.
 */
final class EtcdRequests {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final String name;
    private final Duration timeout;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    EtcdRequests(String name) {
        this(name, TIMEOUT);
    }

    EtcdRequests(String name, Duration timeout) {
        this.name = name;
        this.timeout = timeout;
    }

    <T> T answer(CompletableFuture<T> answer) throws Exception {
        try {
            checkOpen();
            CompletableFuture.anyOf(answer, closed).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return answer.join();
        } catch (TimeoutException e) {
            throw new IOException(name + " did not answer within " + timeout, e);
        } catch (ExecutionException e) {
            throw new IOException(name + " failed: " + e.getCause(), e.getCause());
        } finally {
            answer.cancel(true);
        }
    }

    void checkOpen() {
        if (isClosed()) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    boolean isClosed() {
        return closed.isDone();
    }

    void close() {
        closed.completeExceptionally(new IOException("closed"));
    }

    static void ignored(Exception failure) {
        System.getLogger(EtcdRequests.class.getName()).log(Level.DEBUG, "Ignored", failure);
    }
}
