package dev.weir.samples;

import dev.weir.Ticker;
import dev.weir.samples.Guard.Job;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A client of the backend with a limit of its own, in a process of its own. Its calls are due at times drawn beforehand,
 * whether or not earlier ones were answered. It warms up behind a fixed limit of 2; the first line of its input puts the limit
 * to be measured in force. For each line it prints how many calls were due, refused and answered in time so far. When its
 * input ends, it waits for the last answers, prints the state of its limit, and exits.
 */
final class FleetClient {
    /*
     * A call that is answered late is of no use to the client, but a success to its limit: no time-out tells the limit that
     * the backend is overloaded. So a limit can tell by the times and the rate of the answers alone.
     */
    static final Duration IN_TIME = Duration.ofMillis(10 * FleetBackend.MEAN_MILLIS);

    /** The first limit, and the fixed one: a third of the workers. */
    static final int FIRST = FleetBackend.WORKERS / 3;

    private static final int WARM_UP = 2;

    private final Ticker ticker = Ticker.system();
    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final LongAdder due = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder inTime = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final HttpRequest request;
    private volatile Guard guard = Guard.named("fixed", pool, WARM_UP);
    private volatile boolean ended;

    private FleetClient(URI backend) {
        request = HttpRequest.newBuilder(backend).build();
    }

    /** Takes the name of the guard, the address of the backend, the calls in a second and the seed of their times. */
    public static void main(String[] args) throws Exception {
        FleetClient client = new FleetClient(URI.create(args[1]));
        Thread calls = new Thread(
                () -> client.call(Double.parseDouble(args[2]), new SplittableRandom(Long.parseLong(args[3]))));
        calls.start();
        Guard warmUp = client.guard;
        Child.answer(() -> {
            if (client.guard == warmUp) {
                client.guard = Guard.named(args[0], client.pool, FIRST);
            }
            return client.due + " " + client.refused + " " + client.inTime;
        });
        client.ended = true;
        calls.join();
        client.pool.shutdown();
        boolean all = client.pool.awaitTermination(Waits.STUCK.toSeconds(), TimeUnit.SECONDS);
        long lost = warmUp.inside() + client.guard.inside();
        System.out.println(client.guard.state() + "; failed=" + client.failed + " lost=" + lost);
        System.exit(all ? 0 : 1);
    }

    private void call(double perSecond, SplittableRandom random) {
        for (long next = ticker.read(); !ended; next += (long) (random.nextExponential() * 1e9 / perSecond)) {
            Waits.until(next);
            due.increment();
            guard.admit(new Call(next));
        }
    }

    private final class Call implements Job {
        private final long start;
        private boolean unanswered = true;

        Call(long start) {
            this.start = start;
        }

        @Override
        public void run() {
            try {
                unanswered = http.send(request, BodyHandlers.discarding()).statusCode() != 200;
            } catch (IOException | InterruptedException e) {
                if (failed.sum() == 0) {
                    System.err.println("a call failed: " + e);
                }
            }
            if (unanswered) {
                failed.increment();
            } else if (ticker.read() - start <= IN_TIME.toNanos()) {
                inTime.increment();
            }
        }

        @Override
        public boolean isLate() {
            return unanswered;
        }

        @Override
        public void refuse() {
            refused.increment();
        }
    }
}
