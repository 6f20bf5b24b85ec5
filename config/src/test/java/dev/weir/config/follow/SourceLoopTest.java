package dev.weir.config.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.config.source.Reading;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SourceLoopTest extends SourceLoopFixture {
    @Test
    void deliversEachReadingThatIsNew() {
        started();
        assertEquals(List.of("absent"), told);
        source.script = () -> reading("a");
        time.advance(Duration.ofSeconds(29));
        assertEquals(1, told.size());
        time.advance(SECOND);
        time.advance(Duration.ofMinutes(5));
        source.script = () -> reading("a").whole();
        source.changed.run();
        source.script = () -> reading("a").whole().revision(7);
        source.changed.run();
        source.script = () -> reading("a").whole().revision(8);
        source.changed.run();
        source.changed.run();
        assertEquals(List.of("absent", "a?", "a", "a@7", "a@8"), told);
        assertEquals(1, source.watched);
    }

    @Test
    void aLocalSourceIsReadOnceByWhoStartsTheLoopAndThenByTheExecutor() {
        source.local = true;
        source.every = Duration.ZERO;
        source.script = () -> reading("a" + source.attempts.size());
        List<Runnable> tasks = new ArrayList<>();
        SourceLoop loop = loop(tasks::add);
        loop.wake();
        Thread.currentThread().interrupt();
        loop.start();
        assertTrue(Thread.interrupted(), "the interrupt is for the caller");
        assertEquals(List.of("a2?"), told);
        assertEquals(1, tasks.size());
        source.every = SECOND;
        tasks.get(0).run();
        assertEquals(List.of("a2?", "a3?"), told);
        time.advance(SECOND);
        assertEquals(2, tasks.size());
        assertThrows(IllegalStateException.class, loop::start);
    }

    @Test
    void aLocalSourceThatFailsIsReadAgainByTheExecutor() {
        source.local = true;
        source.script = () -> {
            throw new IOException("refused");
        };
        List<Runnable> tasks = new ArrayList<>();
        loop(tasks::add).start();
        assertEquals(List.of("lost: refused"), told);
        assertEquals(List.of(), tasks);
        source.script = () -> reading("a");
        time.advance(Duration.ofSeconds(2));
        tasks.get(0).run();
        assertEquals(3, told.size(), told::toString);
    }

    @Test
    void whatIsReadAgainIsToldOnceMoreAlsoAfterAnOutage() {
        source.script = () -> reading("a");
        SourceLoop loop = started();
        loop.reread();
        assertEquals(List.of("a?", "a?"), told);
        time.advance(Duration.ofMinutes(5));
        assertEquals(2, told.size());
        source.script = () -> {
            throw new IOException("refused");
        };
        loop.reread();
        source.script = () -> reading("a");
        time.advance(Duration.ofSeconds(2));
        assertEquals("a?", told.get(told.size() - 1));
        assertEquals(5, told.size(), told::toString);
        loop.close();
        loop.reread();
        assertEquals(5, told.size());
    }

    @Test
    void C5_anHourOfOutage() {
        SourceLoop loop = started();
        source.script = () -> {
            throw new IOException("refused");
        };
        source.attempts.clear();
        source.changed.run();
        time.advance(Duration.ofHours(1));
        assertEquals(List.of("absent", "lost: refused"), told);
        assertFalse(loop.isUp());
        List<Long> gaps = source.gaps(0);
        assertTrue(gaps.size() >= 240 && gaps.size() <= 362, "attempts: " + gaps.size());
        assertTrue(gaps.stream().allMatch(gap -> gap >= SECOND.toNanos() && gap <= 15 * SECOND.toNanos()));
        assertTrue(gaps.get(0) <= 1.5 * SECOND.toNanos() && gaps.get(1) <= 3 * SECOND.toNanos(), gaps::toString);
        assertEquals(gaps.size(), new HashSet<>(gaps).size(), "no two delays are the same");

        source.script = () -> reading("missed").whole();
        time.advance(Duration.ofSeconds(15));
        assertEquals("missed", told.get(3));
        assertTrue(told.get(2).matches("restored after 36\\d\\d s"), told::toString);
        assertTrue(loop.isUp());
        assertEquals(4, told.size());
    }

    @Test
    void aChangeEndsTheDelayButNotTheSecondBetweenAttempts() {
        started();
        source.script = () -> {
            throw new IOException("refused");
        };
        source.changed.run();
        time.advance(Duration.ofMinutes(2));
        int attempts = source.attempts.size();
        long last = source.attempts.get(attempts - 1);
        source.script = () -> reading("back");
        source.changed.run();
        time.advance(Math.max(0, last + SECOND.toNanos() - time.read()));
        assertEquals("back?", told.get(3));
        assertEquals(attempts + 1, source.attempts.size());
        assertTrue(source.gaps(2).stream().allMatch(gap -> gap >= SECOND.toNanos()));
    }

    @Test
    void changesWhileTheSourceIsAwayAreAtMostOneAttemptASecond() {
        started();
        source.script = () -> {
            source.changed.run();
            throw new IOException("refused");
        };
        source.attempts.clear();
        source.changed.run();
        time.advance(Duration.ofSeconds(100));
        assertEquals(101, source.attempts.size());
    }

    @Test
    void changesDuringAReadingCauseOneMore() {
        int[] readings = new int[1];
        source.script = () -> {
            if (++readings[0] == 1) {
                for (int i = 0; i < 100; i++) {
                    source.changed.run();
                }
            }
            return reading("r" + readings[0]);
        };
        started();
        assertEquals(List.of("r1?", "r2?"), told);
    }

    @Test
    void aHundredThousandChangesOnOneThreadDoNotRecurse() {
        int[] readings = new int[1];
        source.script = () -> {
            if (++readings[0] < 100_000) {
                source.changed.run();
            }
            return Reading.absent().revision(readings[0]);
        };
        started();
        assertEquals(100_000, told.size());
    }

    @Test
    void aSourceThatDoesNotWaitIsReadOnceASecond() {
        source.every = Duration.ZERO;
        started();
        time.advance(Duration.ofSeconds(100));
        assertEquals(103, source.attempts.size(), "the watch, two readings at once, and one each second");
    }

    @Test
    void watchIsTriedUntilItSucceeds() {
        source.watchable = false;
        started();
        time.advance(Duration.ofSeconds(20));
        assertEquals(List.of("lost: no watch"), told);
        source.watchable = true;
        time.advance(Duration.ofSeconds(15));
        time.advance(Duration.ofMinutes(1));
        assertEquals(1, source.watched);
        assertEquals(List.of("lost: no watch", "absent"), List.of(told.get(0), told.get(2)));
    }

    @Test
    void nothingThatIsThrownEndsTheLoop() {
        List<Throwable> thrown = List.of(
                new StackOverflowError("a"), new OutOfMemoryError("b"), new InterruptedException("c"), new Error("d"));
        int[] next = new int[1];
        source.script = () -> {
            Thread.currentThread().interrupt();
            Throwable now = thrown.get(next[0]++ % thrown.size());
            if (now instanceof Error error) {
                throw error;
            }
            throw (Exception) now;
        };
        SourceLoop loop = new SourceLoop(
                source,
                new SourceLoop.Listener() {
                    @Override
                    public void onReading(Reading reading) {
                        told.add(text(reading));
                        throw new AssertionError("listener");
                    }

                    @Override
                    public void onLost(Throwable why) {
                        throw new AssertionError("listener");
                    }

                    @Override
                    public void onRestored(Duration away) {
                        throw new AssertionError("listener");
                    }
                },
                time,
                Runnable::run,
                time,
                new Random(1));
        loop.start();
        time.advance(Duration.ofMinutes(1));
        assertFalse(Thread.interrupted());
        source.script = () -> null;
        time.advance(Duration.ofMinutes(1));
        source.script = () -> reading("a");
        time.advance(Duration.ofMinutes(1));
        source.script = () -> reading("b");
        time.advance(Duration.ofMinutes(1));
        assertEquals(List.of("a?", "b?"), told);
    }

    @Test
    void anIntervalThatIsNotOneIsAFailure() {
        source.every = Duration.ofNanos(-1);
        started();
        assertEquals(List.of("lost: interval must be >= 0, was PT-0.000000001S"), told);
        source.every = Duration.ofSeconds(Long.MAX_VALUE);
        time.advance(Duration.ofSeconds(2));
        assertEquals("absent", told.get(2));
        source.script = () -> reading("a");
        time.advance(Duration.ofHours(24));
        assertEquals("a?", told.get(3));
    }

    @Test
    void anExecutorThatRefusesIsAskedAgain() {
        boolean[] refuses = {true};
        SourceLoop loop = loop(task -> {
            if (refuses[0]) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        });
        loop.start();
        loop.wake();
        time.advance(Duration.ofMinutes(1));
        assertEquals(List.of("lost: full"), told);
        assertEquals(List.of(), source.attempts);
        refuses[0] = false;
        time.advance(Duration.ofSeconds(2));
        assertEquals(List.of("lost: full", "absent"), List.of(told.get(0), told.get(2)));
    }

    @Test
    void closeLeavesNothing() {
        SourceLoop loop = started();
        loop.acknowledge(status("1"));
        loop.close();
        loop.close();
        loop.wake();
        loop.acknowledge(status("2"));
        assertEquals(0, time.pendingAlarms());
        assertEquals(1, source.closed);
        int attempts = source.attempts.size();
        time.advance(Duration.ofHours(1));
        assertEquals(attempts, source.attempts.size());
        assertThrows(IllegalStateException.class, loop::start);
    }

    @Test
    void aReadingThatClosesTheLoopIsDropped() {
        SourceLoop[] loop = new SourceLoop[1];
        source.script = () -> {
            loop[0].close();
            return reading("late");
        };
        loop[0] = loop(Runnable::run);
        loop[0].start();
        assertEquals(List.of(), told);
        assertEquals(0, time.pendingAlarms());
    }

    @Test
    void onlyTheLastAcknowledgementIsWritten() {
        SourceLoop loop = started();
        source.writable = false;
        loop.acknowledge(status("1"));
        loop.acknowledge(status("2"));
        time.advance(Duration.ofSeconds(5));
        loop.acknowledge(status("3"));
        assertEquals(List.of(), source.written);
        source.attempts.clear();
        time.advance(Duration.ofSeconds(20));
        assertTrue(source.gaps(0).stream().filter(gap -> gap < SECOND.toNanos()).count() <= 1, "one reading");
        source.writable = true;
        time.advance(Duration.ofSeconds(15));
        assertEquals(List.of("3"), source.written);
        assertTrue(loop.isUp());
        time.advance(Duration.ofHours(1));
        assertEquals(List.of("3"), source.written);
        assertEquals(List.of("absent"), told);
    }

    @Test
    void whatWasAcknowledgedIsWrittenAgainAfterAnOutage() {
        SourceLoop loop = started();
        loop.acknowledge(status("1"));
        source.script = () -> {
            throw new IOException("refused");
        };
        source.changed.run();
        loop.acknowledge(status("2"));
        assertEquals(List.of("1"), source.written);
        source.script = Reading::absent;
        time.advance(Duration.ofMinutes(1));
        source.script = () -> {
            throw new IOException("refused");
        };
        source.changed.run();
        source.script = Reading::absent;
        time.advance(Duration.ofMinutes(1));
        assertEquals(List.of("1", "2", "2"), source.written);
    }
}
