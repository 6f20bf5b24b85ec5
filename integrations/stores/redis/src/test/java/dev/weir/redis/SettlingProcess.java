package dev.weir.redis;

import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Settled;
import dev.weir.algorithms.TokenBucket;
import dev.weir.store.StoreRateLimiter;
import dev.weir.store.WhenAway;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Makes calls by a limit by cost that other processes use too, holds some of them, and settles them. Each line that it writes is there
 * also if it is killed: a call when it begins, and when the server has certainly been told what it has cost.
 */
final class SettlingProcess {
    /** Tokens a second, and at once. */
    static final int RATE = 5_000;

    static final int BURST = 500;

    /** Calls that are held at a time. */
    static final int HELD = 3;

    static final int MAX_ESTIMATE = 40;

    /** A call costs at most this many times its estimate; twice on average. */
    static final int MAX_TIMES = 4;

    static final Settled LIMIT =
            Settled.of(TokenBucket.of(RATE, Duration.ofSeconds(1)).withCapacity(BURST));
    private static final Duration LONG = Duration.ofMinutes(1);

    private record Call(long id, Permit permit, long cost) {}

    private final StoreRateLimiter limiter;
    private final PrintStream file;
    private final Random random;
    private final Deque<Call> held = new ArrayDeque<>();
    private final List<Call> told = new ArrayList<>();

    private SettlingProcess(StoreRateLimiter limiter, PrintStream file, long seed) {
        this.limiter = limiter;
        this.file = file;
        random = new Random(seed);
    }

    /** Arguments: the URI, the file, the seed and the number of calls. It ends when its input ends, and so with its parent. */
    public static void main(String[] arguments) throws Exception {
        Thread parent = new Thread(SettlingProcess::endWithParent);
        parent.setDaemon(true);
        parent.start();
        try (Redis redis = Redis.connect(arguments[0]);
                PrintStream file =
                        new PrintStream(Files.newOutputStream(Path.of(arguments[1])), true, StandardCharsets.US_ASCII);
                StoreRateLimiter limiter = RedisLimiters.of(
                        "settled", LIMIT, redis, WhenAway.closed(), options -> options.timeout(LONG))) {
            new SettlingProcess(limiter, file, Long.parseLong(arguments[2])).run(Integer.parseInt(arguments[3]));
        }
        System.out.println("done");
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException e) {
            e.printStackTrace();
        }
        Runtime.getRuntime().halt(0);
    }

    private void run(int calls) throws InterruptedException {
        for (int id = 0; id < calls; id++) {
            call(id);
            if (held.size() == HELD) {
                settle();
            }
        }
        while (!held.isEmpty()) {
            settle();
        }
        call(calls);
        file.println("settled " + calls); // for nothing
    }

    private void call(int id) throws InterruptedException {
        long estimate = 1 + random.nextInt(MAX_ESTIMATE);
        long cost = random.nextLong(MAX_TIMES * estimate + 1);
        while (!(limiter.acquire(Request.forKey("model").settled(estimate), LONG) instanceof Permit permit)) {
            told();
        }
        file.println("call " + id + " " + estimate + " " + cost);
        told();
        held.add(new Call(id, permit, cost));
    }

    private void settle() {
        Call call = held.remove();
        if (!call.permit.settle(call.cost)) {
            file.println("not settled");
        }
        told.add(call);
    }

    /* Commands of a connection are run in their order, so what was settled before the last answer was counted. */
    private void told() {
        told.forEach(call -> file.println("settled " + call.id));
        told.clear();
    }
}
