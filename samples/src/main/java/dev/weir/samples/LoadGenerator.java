package dev.weir.samples;

import dev.weir.Ticker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Clients of the guarded service, in a process of their own. The load is open: requests leave by a schedule drawn
 * beforehand, whether or not earlier ones were answered, and latency runs from the scheduled instant. Ends after the
 * seconds asked for, and as long as the last answers take, with one line of totals, and exit code 0 if every request is
 * accounted for. Those that failed are: on a starved machine callers time out, which loses nothing.
 */
final class LoadGenerator {
    private static final List<Client> CLIENTS =
            List.of(new Client("ann", 50), new Client("ben", 50), new Client("cleo", 50), new Client("greedy", 250));
    private static final int PER_SECOND =
            CLIENTS.stream().mapToInt(Client::perSecond).sum();

    private final Ticker ticker = Ticker.system();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private final SplittableRandom random = new SplittableRandom(1);
    private final ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();
    private final LongAdder admitted = new LongAdder();
    private final LongAdder overRate = new LongAdder();
    private final LongAdder overConcurrency = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final URI service;

    private record Client(String name, int perSecond) {}

    private LoadGenerator(URI service) {
        this.service = service;
    }

    public static void main(String[] args) throws Exception {
        LoadGenerator load = new LoadGenerator(URI.create(args[0]));
        int sent = load.run(Duration.ofSeconds(Long.parseLong(args[1])));
        System.exit(load.report(sent) ? 0 : 1);
    }

    private int run(Duration duration) throws Exception {
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        long start = ticker.read();
        long due = 0;
        while (due < duration.toNanos()) {
            for (long early = start + due - ticker.read(); early > 0; early = start + due - ticker.read()) {
                LockSupport.parkNanos(early);
            }
            answers.add(send(drawClient(), start + due));
            due += (long) (random.nextExponential() * 1e9 / PER_SECOND);
        }
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
        return answers.size();
    }

    private Client drawClient() {
        int draw = random.nextInt(PER_SECOND);
        for (Client client : CLIENTS) {
            draw -= client.perSecond();
            if (draw < 0) {
                return client;
            }
        }
        throw new AssertionError();
    }

    private CompletableFuture<Void> send(Client client, long due) {
        HttpRequest request = HttpRequest.newBuilder(service)
                .header("X-Client", client.name())
                .timeout(Duration.ofSeconds(10))
                .build();
        return http.sendAsync(request, BodyHandlers.discarding())
                .thenAccept(response -> answered(response, due))
                .exceptionally(this::failed);
    }

    private void answered(HttpResponse<Void> response, long due) {
        boolean hinted = response.headers().firstValueAsLong("Retry-After").orElse(0) >= 1;
        if (response.statusCode() == 200) {
            admitted.increment();
            latencies.add(ticker.read() - due);
        } else if (response.statusCode() == 429 && hinted) {
            overRate.increment();
        } else if (response.statusCode() == 503 && hinted) {
            overConcurrency.increment();
        } else {
            failed.increment();
        }
    }

    private @Nullable Void failed(Throwable why) {
        if (failed.sum() == 0) {
            System.err.println("a request failed: " + why);
        }
        failed.increment();
        return null;
    }

    private boolean report(int sent) {
        long[] sorted = latencies.stream().mapToLong(Long::longValue).sorted().toArray();
        long p50 = sorted.length == 0 ? 0 : sorted[sorted.length / 2];
        long p99 = sorted.length == 0 ? 0 : sorted[sorted.length * 99 / 100];
        System.out.printf(
                "asked:  sent=%d admitted=%d refused=%d (%d rate, %d concurrency) failed=%d p50=%d ms p99=%d ms%n",
                sent,
                admitted.sum(),
                overRate.sum() + overConcurrency.sum(),
                overRate.sum(),
                overConcurrency.sum(),
                failed.sum(),
                TimeUnit.NANOSECONDS.toMillis(p50),
                TimeUnit.NANOSECONDS.toMillis(p99));
        long accounted = admitted.sum() + overRate.sum() + overConcurrency.sum() + failed.sum();
        return accounted == sent;
    }
}
