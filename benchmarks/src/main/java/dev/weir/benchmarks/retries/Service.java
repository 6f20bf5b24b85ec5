package dev.weir.benchmarks.retries;

import dev.weir.benchmarks.sim.Draws;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

/**
 * The service at the end: so many workers, first come first served, behind a queue. It goes on with calls whose callers have given
 * up. While it is down it refuses calls, or does not answer at all.
 */
final class Service implements Callee {
    private static final int WORKERS = 9;
    private static final long WORK = 20_000_000;
    private static final int QUEUE = 1_000;
    private static final double FAILS = 0.02;
    private static final long REFUSING = 1_000_000;
    private static final long TIMEOUT = 500_000_000;

    private final VirtualTime time;
    private final SplittableRandom random;
    private final boolean hangs;
    private final Deque<Answer> waiting = new ArrayDeque<>();
    private int busy;
    private boolean isDown;
    /* What began before it was down does not end after that. */
    private int start;
    private long calls;

    /**
     * A service that is up.
     *
     * @param hangs whether it does not answer while it is down, or refuses
     */
    Service(VirtualTime time, SplittableRandom random, boolean hangs) {
        this.time = time;
        this.random = random;
        this.hangs = hangs;
    }

    /** The calls that it got so far. */
    long calls() {
        return calls;
    }

    void goDown() {
        isDown = true;
        start++;
        waiting.clear();
        busy = 0;
    }

    void comeUp() {
        isDown = false;
    }

    /** Its caller gives up after a time-out. */
    @Override
    public void call(Answer answer) {
        calls++;
        Once once = new Once(answer);
        time.ring(TIMEOUT, () -> once.is(false));
        if (isDown ? !hangs : waiting.size() == QUEUE) {
            time.ring(REFUSING, () -> once.is(false));
        } else if (!isDown) {
            waiting.add(once);
            work();
        }
    }

    private void work() {
        while (busy < WORKERS && !waiting.isEmpty()) {
            Answer answer = waiting.poll();
            busy++;
            int began = start;
            time.ring((long) (Draws.exponential(random) * WORK), () -> {
                if (began == start) {
                    busy--;
                    answer.is(random.nextDouble() >= FAILS);
                    work();
                }
            });
        }
    }

    /** An answer of which only the first counts. */
    private static final class Once implements Answer {
        private final Answer answer;
        private boolean isGiven;

        Once(Answer answer) {
            this.answer = answer;
        }

        @Override
        public void is(boolean success) {
            if (!isGiven) {
                isGiven = true;
                answer.is(success);
            }
        }
    }
}
