package dev.weir.verification.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.LimiterObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** The order in which observers are told of changes of the limit: that of the changes. */
class LimitEventsTest {
    private static final int ROUNDS = 2_000;

    private final ManagedLimiter limiter = Limiters.of("two", new Semaphore(2));
    private final List<String> told = new CopyOnWriteArrayList<>();

    private static LimiterObserver observer(LongConsumer to) {
        return new LimiterObserver() {
            @Override
            public void onLimitChanged(long from, long limit, String why) {
                to.accept(limit);
            }
        };
    }

    private void tellOfAll() {
        limiter.observe(new LimiterObserver() {
            @Override
            public void onLimitChanged(long from, long to, String why) {
                told.add(from + "->" + to + " " + why);
            }
        });
    }

    /** The second change is made while the first one is told, and does not wait for that. */
    @Test
    void anEventIsToldAfterThatOfTheChangeBefore() {
        limiter.observe(observer(to -> {
            if (to == 20) {
                inAnotherThread(() -> limiter.reconfigure(new Semaphore(30)));
                inAnotherThread(() -> limiter.dial().setLimit(40, "by hand"));
            }
        }));
        tellOfAll();
        limiter.reconfigure(new Semaphore(20));
        assertEquals(List.of("2->20 reconfigured", "20->30 reconfigured", "30->40 by hand"), told);
        assertEquals(40, limiter.dial().limit());
    }

    private static void inAnotherThread(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anObserverThatChangesTheLimitIsToldOfThatLater() {
        limiter.observe(observer(to -> limiter.dial().setLimit(Math.max(to, 5), "at least 5")));
        tellOfAll();
        limiter.dial().setLimit(3, "by hand");
        limiter.dial().setLimit(9, "by hand");
        assertEquals(List.of("2->3 by hand", "3->5 at least 5", "5->9 by hand"), told);
    }

    @Test
    void anObserverThatThrowsStopsNoEvent() {
        limiter.observe(observer(to -> {
            throw new IllegalStateException("mine");
        }));
        tellOfAll();
        limiter.dial().setLimit(3, "by hand");
        limiter.reconfigure(new Semaphore(4));
        assertEquals(List.of("2->3 by hand", "3->4 reconfigured"), told);
        assertEquals(2, limiter.counts().failures());
    }

    @Test
    void theLastEventIsThatOfTheLimitInForce() throws Exception {
        tellOfAll();
        for (int round = 1; round <= ROUNDS; round++) {
            long one = 3L * round;
            Thread dials = new Thread(() -> limiter.dial().setLimit(one, "by hand"));
            Thread reconfigures = new Thread(() -> limiter.reconfigure(new Semaphore(one + 1)));
            dials.start();
            reconfigures.start();
            limiter.reconfigure(new Semaphore(one + 2));
            dials.join();
            reconfigures.join();
            String last = told.get(told.size() - 1).split("->|\\s")[1];
            assertEquals("" + limiter.dial().limit(), last, "round " + round);
        }
        String before = "2";
        for (String event : told) {
            assertEquals(before, event.split("->|\\s")[0], event);
            before = event.split("->|\\s")[1];
        }
    }
}
