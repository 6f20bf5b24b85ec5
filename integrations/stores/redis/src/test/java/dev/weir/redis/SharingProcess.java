package dev.weir.redis;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Uses up limits together with other processes. It ends when its standard input ends, and so with its parent. */
final class SharingProcess {
    private static final int IN_FLIGHT = 64;
    private static final int WARM_UP = 500;
    private static final Duration NEVER = Duration.ofMinutes(1);
    private static final Request SHARED = Request.forKey("shared");

    private final Redis redis;
    private final long skewNanos;
    private final Semaphore window = new Semaphore(IN_FLIGHT);

    private SharingProcess(Redis redis, Duration skew) {
        this.redis = redis;
        skewNanos = skew.toNanos();
    }

    /** Arguments: the URI, and how far the clock of the limiter is ahead. Each line of the input: a limit, how many decisions, and the file for the answers. */
    public static void main(String[] arguments) throws Exception {
        BlockingQueue<String> lines = new ArrayBlockingQueue<>(16);
        new Thread(() -> read(lines)).start();
        try (Redis redis = Redis.connect(arguments[0])) {
            SharingProcess process = new SharingProcess(redis, Duration.parse(arguments[1]));
            process.run(
                    SharedLimit.BUCKET,
                    "warm" + ProcessHandle.current().pid(),
                    WARM_UP,
                    OutputStream.nullOutputStream());
            System.out.println("ready");
            for (String line = lines.take(); ; line = lines.take()) {
                String[] parts = line.split(" ", 3);
                try (OutputStream file = Files.newOutputStream(Path.of(parts[2]))) {
                    process.run(SharedLimit.valueOf(parts[0]), parts[0], Integer.parseInt(parts[1]), file);
                }
                System.out.println("done");
            }
        }
    }

    private static void read(BlockingQueue<String> lines) {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
        Runtime.getRuntime().halt(0);
    }

    private void run(SharedLimit limit, String name, int decisions, OutputStream to) throws Exception {
        RecordedLimit store = new RecordedLimit(redis, name, limit.spec(), decisions);
        AtomicInteger granted = new AtomicInteger();
        try (StoreRateLimiter limiter = StoreRateLimiter.builder(name, limit.spec(), spec -> store, WhenAway.closed())
                .timeout(NEVER)
                .ticker(() -> Ticker.system().read() + skewNanos)
                .executor(Runnable::run)
                .build()) {
            for (int i = 0; i < decisions; i++) {
                window.acquire();
                limiter.acquireAsync(SHARED, Duration.ZERO).whenComplete((decision, failure) -> {
                    if (decision instanceof Permit) {
                        granted.incrementAndGet();
                    }
                    window.release();
                });
            }
            window.acquire(IN_FLIGHT);
            window.release(IN_FLIGHT);
        }
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(to))) {
            store.write(out, granted.get());
        }
    }
}
