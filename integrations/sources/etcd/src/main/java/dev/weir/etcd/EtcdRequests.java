package dev.weir.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Requests to etcd, whose answers are waited for during a bounded time, whatever the client retries, and until closed. */
final class EtcdRequests {
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final String name;
    private final Duration timeout;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

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

    /** Ends a lease, if the server answers within a second; 0 = there is none. Also after the requests were closed. */
    static void revoke(Client client, long lease) {
        if (lease == 0) {
            return;
        }
        try {
            client.getLeaseClient().revoke(lease).get(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            ignored(e);
        }
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    static void ignored(Exception failure) {
        System.getLogger(EtcdRequests.class.getName()).log(Level.DEBUG, "Ignored", failure);
    }
}
