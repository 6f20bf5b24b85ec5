package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.spi.StrategySpec;
import java.time.Duration;

/** A limit that several processes use up together, and what it allows. Times are microseconds of the server. */
enum SharedLimit {
    BUCKET(TokenBucket.of(Figures.RATE, Duration.ofSeconds(1)).withCapacity(Figures.BURST)),
    WINDOW(SlidingWindow.of(Figures.LIMIT, Figures.PERIOD).withBlocks(Figures.BLOCKS)),
    LOG(SlidingLog.of(Figures.LIMIT, Figures.PERIOD)),
    FIXED(FixedWindow.aligned(Figures.LIMIT, Figures.PERIOD));

    private static final class Figures {
        static final int RATE = 2_000;
        static final int BURST = 2_000;
        static final int LIMIT = 100;
        static final int BLOCKS = 10;
        static final long PAUSE = 500_000;
        static final Duration PERIOD = Duration.ofMillis(50);
        static final long MICROS = PERIOD.toMillis() * 1_000;
        static final long BLOCK = MICROS / BLOCKS;
    }

    private final StrategySpec spec;

    SharedLimit(StrategySpec spec) {
        this.spec = spec;
    }

    StrategySpec spec() {
        return spec;
    }

    /** Checks each window: never more than the limit, and nothing refused while there was room. What was found, as text. */
    String check(AnswerHistory history) {
        String found = history.granted() + " of " + (history.granted() + history.refused()) + " granted in "
                + history.micros() / 1_000 + " ms";
        if (this == BUCKET) {
            return found + checkBucket(history);
        }
        if (this != FIXED) {
            assertTrue(history.most(at -> at - Figures.MICROS + 1) <= Figures.LIMIT, "in any window");
        }
        long most = history.most(this::firstThatCounts);
        assertTrue(most <= Figures.LIMIT, () -> "in a window: " + most);
        long least = history.leastWhenRefused(this::firstThatCounts);
        assertEquals(Figures.LIMIT, least, "used up when a request was refused");
        return found + ", at most " + most + " in a window, at least " + least + " of " + Figures.LIMIT
                + " when one was refused";
    }

    private static String checkBucket(AnswerHistory history) {
        long allowed = Figures.BURST + history.micros() * Figures.RATE / AnswerHistory.SECOND;
        assertTrue(history.granted() <= allowed, () -> history.granted() + " granted of " + allowed);
        long excess = history.excess(Figures.RATE) - Figures.BURST * AnswerHistory.SECOND;
        assertTrue(excess <= 0, () -> "millionths of a permit too many in some window: " + excess);
        long room = history.roomWhenRefused(Figures.RATE, Figures.BURST);
        assertTrue(room < AnswerHistory.SECOND, () -> "room when a request was refused: " + room);
        long refilled = history.saturatedMicros() * Figures.RATE / AnswerHistory.SECOND;
        long pauses = history.pauses(Figures.PAUSE);
        long asked = refilled - pauses * Figures.RATE / AnswerHistory.SECOND;
        long used = history.grantedWhileSaturated();
        assertTrue((used + 1) * 100 >= asked * 99, () -> used + " used of " + asked);
        return ", B + r*T = " + allowed + ", no window has more, used " + used * 10_000 / refilled / 100.0
                + " % while saturated, " + pauses / 1_000 + " ms in long pauses";
    }

    /** The earliest grant that counts against a request at this time. */
    private long firstThatCounts(long at) {
        return switch (this) {
            case WINDOW -> (at / Figures.BLOCK - Figures.BLOCKS) * Figures.BLOCK;
            case FIXED -> at / Figures.MICROS * Figures.MICROS;
            default -> at - Figures.MICROS + 1;
        };
    }
}
