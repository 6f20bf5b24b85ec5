package dev.weir.samples;

import dev.weir.Ticker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Clients of a service whose load is open: requests leave by a schedule drawn beforehand, whether or not earlier ones were
 * answered, and latency runs from the scheduled instant. Thread-safe.
 */
final class Clients {
    /** An answer that is expected. */
    enum Answer {
        OK,
        OVER_RATE,
        OVER_CONCURRENCY,
        /** Another status, no answer, or an answer without the fields that it should have. */
        FAILED
    }

    private final Ticker ticker = Ticker.system();
    private final HttpClient http;
    private final SplittableRandom random = new SplittableRandom(1);
    private final Queue<CompletableFuture<Answer>> sent = new ConcurrentLinkedQueue<>();
    private final Queue<Long> latencies = new ConcurrentLinkedQueue<>();
    private final AtomicLongArray answers = new AtomicLongArray(Answer.values().length);
    private final URI service;
    private final Duration timeout;

    Clients(URI service, Duration timeout) {
        this.service = service;
        this.timeout = timeout;
        http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .build();
    }

    /** Sends requests for so long, each of one of these clients, and returns without waiting for the last answers. */
    void load(Duration duration, List<String> clients, int perSecond) {
        long start = ticker.read();
        long due = 0;
        while (due < duration.toNanos()) {
            Waits.until(start + due);
            CompletableFuture<Answer> unused = send(clients.get(random.nextInt(clients.size())), start + due);
            due += (long) (random.nextExponential() * 1e9 / perSecond);
        }
    }

    /** Sends a request of this client. */
    CompletableFuture<Answer> send(String client) {
        return send(client, ticker.read());
    }

    private CompletableFuture<Answer> send(String client, long due) {
        HttpRequest request = HttpRequest.newBuilder(service)
                .header("X-Client", client)
                .timeout(timeout)
                .build();
        CompletableFuture<Answer> answer = http.sendAsync(request, BodyHandlers.discarding())
                .handle((response, failure) -> answered(response, failure, due));
        sent.add(answer);
        return answer;
    }

    private Answer answered(HttpResponse<Void> response, @Nullable Throwable failure, long due) {
        Answer answer = failure == null ? answer(response) : Answer.FAILED;
        if (answer == Answer.OK) {
            latencies.add(ticker.read() - due);
        }
        if (answers.getAndIncrement(answer.ordinal()) == 0 && answer == Answer.FAILED) {
            System.err.println(
                    "a request failed: " + (failure == null ? response + " " + response.headers() : failure));
        }
        return answer;
    }

    private static Answer answer(HttpResponse<Void> response) {
        boolean hinted = response.headers().firstValueAsLong("Retry-After").orElse(0) >= 1;
        boolean told = response.headers().firstValue("RateLimit").isPresent();
        return switch (response.statusCode()) {
            case 200 -> told ? Answer.OK : Answer.FAILED;
            case 429 -> hinted ? Answer.OVER_RATE : Answer.FAILED;
            case 503 -> hinted ? Answer.OVER_CONCURRENCY : Answer.FAILED;
            default -> Answer.FAILED;
        };
    }

    /** Waits until each request that was sent before has been answered, or has waited too long. */
    void awaitAnswers() {
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
    }

    long sent() {
        return sent.size();
    }

    long count(Answer answer) {
        return answers.get(answer.ordinal());
    }

    /** This percentile of the latencies of what was granted; 0 if nothing was. */
    long millis(int percentile) {
        long[] sorted = latencies.stream().mapToLong(Long::longValue).sorted().toArray();
        return sorted.length == 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(sorted[sorted.length * percentile / 100]);
    }
}
