package dev.weir.samples;

import com.sun.net.httpserver.HttpExchange;
import dev.weir.Ticker;
import java.io.IOException;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A service with a fixed number of workers and a queue without end before them, in a process of its own. It has no limit, and
 * tells nobody how long its queue is. Prints its port; then, for each line of its input, how many calls were in it at each
 * tenth of a second since the line before, and now; exits when its input ends.
 */
final class FleetBackend {
    /*
     * A worker waits for the time that a call takes, so that the calls need no processor, of which there are few. The server
     * gives each request to the pool before it reads it, so the queue of the pool is the queue of the service.
     */
    static final int WORKERS = 24;

    /** The mean of the times that calls take; they are drawn from an exponential distribution. */
    static final int MEAN_MILLIS = 100;

    private static final long SEED = 1;
    private static final long SAMPLE_MILLIS = 100;

    private final Ticker ticker = Ticker.system();
    private final Random random = new Random(SEED);
    private final ThreadPoolExecutor workers =
            new ThreadPoolExecutor(WORKERS, WORKERS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    private StringJoiner samples = new StringJoiner(" ");

    private FleetBackend() {}

    public static void main(String[] args) throws IOException {
        FleetBackend backend = new FleetBackend();
        ScheduledFuture<?> sampling = Executors.newSingleThreadScheduledExecutor()
                .scheduleAtFixedRate(backend::sample, 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
        Child.serve(backend::handle, backend.workers);
        Child.answer(backend::taken);
        sampling.cancel(false);
        System.exit(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        Waits.until(ticker.read() + (long) (random.nextExponential() * MEAN_MILLIS * 1_000_000));
        exchange.sendResponseHeaders(200, -1);
    }

    private synchronized void sample() {
        samples.add(
                Integer.toString(workers.getActiveCount() + workers.getQueue().size()));
    }

    private synchronized String taken() {
        sample();
        String taken = samples.toString();
        samples = new StringJoiner(" ");
        return taken;
    }
}
