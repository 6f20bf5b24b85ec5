package dev.weir.http.source.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.config.source.Reading;
import dev.weir.internal.Workers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A client of one server: it follows no redirects, and limits the size of an answer, by {@link Reading#MAX_BYTES}, and the time
 * until all of it is there. {@link #send} is for one thread at a time.
 */
public final class HttpConnection implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(5);

    private final Object lock = new Object();

    @GuardedBy("lock")
    private @Nullable HttpClient client;

    @GuardedBy("lock")
    private @Nullable ExecutorService threads;

    @GuardedBy("lock")
    private @Nullable CompletableFuture<?> inFlight;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * Sends a request and waits for all of the answer.
     *
     * @throws IOException if there is none in this time, or the source is closed
     * @throws InterruptedException if the thread is interrupted; the request is then cancelled
     */
    public HttpResponse<byte[]> send(HttpRequest request, Duration timeout) throws IOException, InterruptedException {
        refuseLinkLocal(request.uri().getHost());
        CompletableFuture<HttpResponse<byte[]>> answer = begin(request);
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw cause instanceof IOException io ? io : new IOException(cause);
        } catch (CancellationException e) {
            throw new IOException("closed", e);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("no complete answer within " + timeout.toMillis() + " ms");
        } finally {
            answer.cancel(true);
        }
    }

    private CompletableFuture<HttpResponse<byte[]>> begin(HttpRequest request) throws IOException {
        synchronized (lock) {
            if (closed) {
                throw new IOException("closed");
            }
            if (client == null) {
                threads = Executors.newCachedThreadPool(work -> Workers.thread("weir-http", work));
                client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(CONNECT)
                        .executor(threads)
                        .build();
            }
            CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request, info -> new LimitedBody());
            inFlight = answer;
            return answer;
        }
    }

    /** Such an address is that of the metadata service of a cloud, which holds credentials, and never of a config server. */
    private static void refuseLinkLocal(String host) throws IOException {
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (address.isLinkLocalAddress()) {
                    throw new IOException("is a link-local address: " + host);
                }
            }
        } catch (UnknownHostException e) {
            // A proxy may know it.
        }
    }

    /** Ends what {@link #send} waits for. */
    @Override
    public void close() {
        CompletableFuture<?> cancelled;
        ExecutorService ended;
        synchronized (lock) {
            closed = true;
            cancelled = inFlight;
            ended = threads;
            inFlight = null;
            client = null;
            threads = null;
        }
        if (cancelled != null) {
            cancelled.cancel(true);
        }
        if (ended != null) {
            ended.shutdown();
        }
    }

    /** The body of an answer; one that is too large ends the transfer. */
    private static final class LimitedBody implements BodySubscriber<byte[]> {
        private final BodySubscriber<byte[]> body = BodySubscribers.ofByteArray();
        private long received;
        private Flow.@Nullable Subscription subscription;

        @Override
        public CompletionStage<byte[]> getBody() {
            return body.getBody();
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            body.onSubscribe(given);
        }

        @Override
        public void onNext(List<ByteBuffer> parts) {
            received += parts.stream().mapToLong(ByteBuffer::remaining).sum();
            if (received <= Reading.MAX_BYTES) {
                body.onNext(parts);
            } else {
                body.onError(new IOException("is larger than " + Reading.MAX_BYTES + " bytes"));
                Objects.requireNonNull(subscription).cancel();
            }
        }

        @Override
        public void onError(Throwable thrown) {
            body.onError(thrown);
        }

        @Override
        public void onComplete() {
            body.onComplete();
        }
    }
}
