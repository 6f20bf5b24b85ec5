package dev.weir.config.follow;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weir.config.source.Reading;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Calls that do not return, on threads of their own. */
class SourceLoopThreadsTest extends SourceLoopFixture {
    @Test
    void aReadingThatHangsIsReportedOnceAndNotDoubled() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        source.script = () -> {
            entered.countDown();
            answer.await();
            return reading("late");
        };
        try (SourceLoop loop = loop(thread)) {
            loop.start();
            entered.await();
            time.advance(Duration.ofSeconds(74));
            assertEquals(List.of(), told);
            time.advance(Duration.ofHours(1));
            loop.wake();
            assertEquals(List.of("lost: script did not answer within 75 s"), told);
            assertEquals(2, source.attempts.size(), "the watch and one reading");
            assertFalse(loop.isUp());
            answer.countDown();
            await().until(() -> told.size() == 3);
            assertEquals("restored after 3674 s", told.get(1));
            assertEquals("late?", told.get(2));
            await().until(() -> source.attempts.size() == 3);
        } finally {
            thread.shutdown();
        }
    }

    @Test
    void theEndOfAnOutageIsNotToldBeforeItsStart() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        source.script = () -> {
            entered.countDown();
            answer.await();
            return reading("late");
        };
        SourceLoop.Listener slow = new SourceLoop.Listener() {
            @Override
            public void onReading(Reading reading) {
                told.add(text(reading));
            }

            @Override
            public void onLost(Throwable why) {
                answer.countDown();
                await().until(() -> returned.getCount() == 0);
                told.add("lost");
            }

            @Override
            public void onRestored(Duration away) {
                told.add("restored");
            }
        };
        Executor counted = task -> thread.execute(() -> {
            task.run();
            returned.countDown();
        });
        try (SourceLoop loop = new SourceLoop(source, slow, time, counted, time, new Random(1))) {
            loop.start();
            entered.await();
            time.advance(Duration.ofSeconds(75));
            await().until(() -> told.size() == 3);
            assertEquals(List.of("lost", "restored", "late?"), told);
        } finally {
            thread.shutdown();
        }
    }

    @Test
    void closeInterruptsAReading() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        CountDownLatch entered = new CountDownLatch(1);
        source.script = () -> {
            entered.countDown();
            new CountDownLatch(1).await();
            return reading("never");
        };
        SourceLoop loop = loop(thread);
        loop.start();
        entered.await();
        loop.close();
        thread.shutdown();
        await().until(thread::isTerminated);
        assertEquals(List.of(), told);
        assertEquals(0, time.pendingAlarms());
    }
}
