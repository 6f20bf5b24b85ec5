package dev.weir.benchmarks.retries;

import dev.weir.Limiter;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Open;
import dev.weir.benchmarks.sim.Draws;
import dev.weir.budget.RetryBudget;
import dev.weir.engine.Limiters;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** One run: calls come at random, the service below three layers is down for 20 s, and up again. */
final class Storm {
    static final int DOWN_FOR = 20;

    private static final int LAYERS = 3;
    private static final int BEFORE = 30;
    static final int AFTER = 20;
    private static final double A_SECOND = 300;
    private static final long SECOND = 1_000_000_000;
    private static final long LONGEST_CALL = 2 * SECOND;
    private static final double GOOD = 0.95;

    private final VirtualTime time = new VirtualTime(0);
    private final SplittableRandom random;
    private final Service service;
    private final Callee top;
    private final long[] load = new long[BEFORE + DOWN_FOR + AFTER];
    private final long[] arrived = new long[load.length];
    private final long[] served = new long[load.length];

    /**
     * The way in which the layers call again.
     *
     * @param retries by each layer, after a call that failed
     * @param limit of each layer, around all its calls
     */
    record Client(String name, int retries, StrategySpec limit) {
        static final Client ONCE = new Client("no retries", 0, new Open());
        static final Client UNLIMITED = new Client("3 retries in each layer", 3, new Open());
        static final Client BUDGET = new Client("3 retries, budget 10 %, 3/s", 3, RetryBudget.of(0.1, 3));
        static final Client SHORT =
                new Client("3 retries, budget 10 %, 3/s, period 1s", 3, new RetryBudget(0.1, 3, Duration.ofSeconds(1)));
        static final List<Client> ALL = List.of(ONCE, UNLIMITED, BUDGET, SHORT);
    }

    /**
     * The result.
     *
     * @param normal the share of calls that were served in time before the service was down
     * @param calls that the service got while it was down
     * @param peak the most that it got in one of these seconds
     * @param back after how many seconds of being up each second has 95 % of its calls served, up to the end; the whole time if not
     */
    record Result(double normal, long calls, long peak, int back) {}

    private Storm(Client client, boolean hangs, long seed) {
        random = new SplittableRandom(seed);
        service = new Service(time, random.split(), hangs);
        Callee below = service;
        for (int layer = 0; layer < LAYERS; layer++) {
            below = layer(client, below);
        }
        top = below;
    }

    /** Runs it. */
    static Result of(Client client, boolean hangs, long seed) {
        return new Storm(client, hangs, seed).run();
    }

    private Callee layer(Client client, Callee below) {
        Limiter limiter = Limiters.builder("calls", client.limit).ticker(time).build();
        return new Layer(time, random.split(), limiter, client.retries, below);
    }

    private Result run() {
        time.ring(0, this::arrive);
        for (int second = 0; second < load.length; second++) {
            if (second == BEFORE) {
                service.goDown();
            } else if (second == BEFORE + DOWN_FOR) {
                service.comeUp();
            }
            long before = service.calls();
            // What is due at the end of a second belongs to the next one.
            time.advance((second + 1) * SECOND - 1 - time.read());
            load[second] = service.calls() - before;
        }
        return new Result(goodput(BEFORE / 2, BEFORE - 1), sum(load), peak(), back());
    }

    private void arrive() {
        time.ring((long) (Draws.exponential(random) / A_SECOND * SECOND), this::arrive);
        long at = time.read();
        int second = (int) (at / SECOND);
        arrived[second]++;
        top.call(success -> served[second] += success && time.read() - at <= LONGEST_CALL ? 1 : 0);
    }

    private double goodput(int from, int to) {
        long in = 0;
        long out = 0;
        for (int second = from; second < to; second++) {
            in += arrived[second];
            out += served[second];
        }
        return (double) out / in;
    }

    private static long sum(long[] load) {
        long sum = 0;
        for (int second = BEFORE; second < BEFORE + DOWN_FOR; second++) {
            sum += load[second];
        }
        return sum;
    }

    private long peak() {
        long most = 0;
        for (int second = BEFORE; second < BEFORE + DOWN_FOR; second++) {
            most = Math.max(most, load[second]);
        }
        return most;
    }

    /* The calls of the last seconds have not ended when the run ends. */
    private int back() {
        int last = load.length - (int) (LONGEST_CALL / SECOND) - 1;
        int second = last;
        while (second >= BEFORE + DOWN_FOR && goodput(second, second + 1) >= GOOD) {
            second--;
        }
        return second == last ? AFTER : second + 1 - BEFORE - DOWN_FOR;
    }

    /** A client that calls what is below it, and calls again if that fails, as often as its limiter grants it. */
    static final class Layer implements Callee {
        private static final long BACKOFF = 50_000_000;

        private final VirtualTime time;
        private final SplittableRandom random;
        private final Limiter limiter;
        private final int retries;
        private final Callee below;

        Layer(VirtualTime time, SplittableRandom random, Limiter limiter, int retries, Callee below) {
            this.time = time;
            this.random = random;
            this.limiter = limiter;
            this.retries = retries;
            this.below = below;
        }

        @Override
        public void call(Answer answer) {
            attempt(0, answer);
        }

        private void attempt(int retry, Answer answer) {
            if (!(limiter.tryAcquire(Request.ONE.withPriority(retry)) instanceof Permit permit)) {
                answer.is(false);
                return;
            }
            below.call(success -> {
                permit.release(success ? Outcome.SUCCESS : Outcome.DROPPED);
                if (success || retry == retries) {
                    answer.is(success);
                } else {
                    time.ring(backoff(retry), () -> attempt(retry + 1, answer));
                }
            });
        }

        /* 50, 100, 200 ms, of which a random part. */
        private long backoff(int retry) {
            return random.nextLong(1, BACKOFF << retry);
        }
    }
}
