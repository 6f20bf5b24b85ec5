package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class AnswerHistoryTest {
    private static final long S = AnswerHistory.SECOND;

    @Test
    void answersAreSorted() {
        AnswerHistory history = AnswerHistory.of(LongStream.of(2 * 7 + 1, 2 * 5, 2 * 6 + 1));
        assertArrayEquals(new long[] {6, 7}, history.grants());
        assertArrayEquals(new long[] {5}, history.refusals());
    }

    @Test
    void theMostInAWindowIsCounted() {
        AnswerHistory history = new AnswerHistory(new long[] {0, 1, 9, 10, 11, 30}, new long[] {10, 29});
        assertEquals(4, history.most(at -> at - 10));
        assertEquals(3, history.most(at -> at - 9));
        assertEquals(3, history.leastWhenRefused(at -> Math.max(0, at - 20)));
        assertEquals(0, history.leastWhenRefused(at -> at - 1));
    }

    @Test
    void aLimitIsSaturatedFromTheFirstRefusalToTheLast() {
        AnswerHistory history = new AnswerHistory(new long[] {10, 20, 50}, new long[] {15, 30});
        assertEquals(15, history.saturatedMicros());
        assertEquals(1, history.grantedWhileSaturated());
        assertEquals(40, history.micros());
    }

    @Test
    void onlyTimeWithoutAnyAnswerIsAPause() {
        assertEquals(0, new AnswerHistory(new long[] {10, 40}, new long[] {5, 20, 30, 99}).pauses(10));
        assertEquals(11 + 12, new AnswerHistory(new long[] {10, 40, 52}, new long[] {21, 30, 31}).pauses(10));
    }

    @Test
    void anExcessInTheMiddleIsFound() {
        AnswerHistory history = new AnswerHistory(new long[] {0, 10 * S, 10 * S, 10 * S, 20 * S}, new long[] {});
        assertEquals(3 * S, history.excess(1));
        assertEquals(S + S / 2, new AnswerHistory(new long[] {0, S / 2}, new long[] {}).excess(1));
    }

    @Test
    void theRoomOfABucketIsFound() {
        AnswerHistory history = new AnswerHistory(new long[] {0, 0}, new long[] {0, S / 2, S});
        assertEquals(S, history.roomWhenRefused(1, 2));
        assertEquals(2 * S, history.roomWhenRefused(1, 3));
    }
}
