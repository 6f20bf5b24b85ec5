package dev.weir.samples;

import dev.weir.Ticker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
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
import java.util.concurrent.locks.LockSupport;

/**
 * The clients and the operator of the application of {@link BootDemo}. The load is open: requests leave by a schedule drawn
 * beforehand, whether or not earlier ones were answered. Thread-safe.
 */
final class BootClients {
    /** An answer that the demo expects. */
    enum Answer {
        OK,
        OVER_RATE,
        OVER_CONCURRENCY,
        /** Another status, no answer, or an answer without the fields that it should have. */
        FAILED
    }

    private static final List<String> CLIENTS = List.of("ann", "ben", "greedy", "greedy", "greedy");
    private static final int PER_SECOND = 180;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Ticker ticker = Ticker.system();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    private final SplittableRandom random = new SplittableRandom(1);
    private final Queue<CompletableFuture<Answer>> sent = new ConcurrentLinkedQueue<>();
    private final AtomicLongArray answers = new AtomicLongArray(Answer.values().length);
    private final URI application;

    BootClients(int port) {
        application = URI.create("http://127.0.0.1:" + port);
    }

    /** Sends requests for so long, and returns without waiting for the last answers. */
    void load(Duration duration) {
        long start = ticker.read();
        long due = 0;
        while (due < duration.toNanos()) {
            for (long early = start + due - ticker.read(); early > 0; early = start + due - ticker.read()) {
                LockSupport.parkNanos(early);
            }
            CompletableFuture<Answer> unused = send(CLIENTS.get(random.nextInt(CLIENTS.size())));
            due += (long) (random.nextExponential() * 1e9 / PER_SECOND);
        }
    }

    /** Sends a request of this client. */
    CompletableFuture<Answer> send(String client) {
        HttpRequest request = request("/orders").header("X-Client", client).build();
        CompletableFuture<Answer> answer = http.sendAsync(request, BodyHandlers.discarding())
                .handle((response, failure) -> failure == null ? answer(response) : failed(failure.toString()))
                .whenComplete((told, failure) -> answers.incrementAndGet(told.ordinal()));
        sent.add(answer);
        return answer;
    }

    private static Answer answer(HttpResponse<Void> response) {
        boolean hinted = response.headers().firstValueAsLong("Retry-After").orElse(0) >= 1;
        boolean told = response.headers().firstValue("RateLimit").isPresent();
        return switch (response.statusCode()) {
            case 200 -> told ? Answer.OK : failed("a granted request was not told what is left");
            case 429 -> hinted ? Answer.OVER_RATE : failed("429 without Retry-After");
            case 503 -> hinted ? Answer.OVER_CONCURRENCY : failed("503 without Retry-After");
            default -> failed("status " + response.statusCode());
        };
    }

    private static Answer failed(String why) {
        System.out.println("-- a request failed: " + why);
        return Answer.FAILED;
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

    /** Waits until the application answers; false if its process ends before. */
    boolean awaitStarted(Process process) throws InterruptedException {
        while (process.isAlive()) {
            try {
                http.send(request("/actuator/weir").build(), BodyHandlers.discarding());
                return true;
            } catch (IOException notYet) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
        return false;
    }

    /** What an operator does: overrides a limit by the endpoint. */
    void override(String name, String patch) throws IOException, InterruptedException {
        String body = "{\"patch\":\"" + patch + "\",\"duration\":\"1m\",\"who\":\"demo\",\"why\":\"fewer at once\"}";
        operate(request("/actuator/weir/" + name)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    /** What an operator does: ends the override. */
    void endOverride(String name) throws IOException, InterruptedException {
        operate(request("/actuator/weir/" + name).DELETE());
    }

    private void operate(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw new IOException("the endpoint answers " + response.statusCode() + ": " + response.body());
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(application.resolve(path)).timeout(PATIENCE);
    }
}
