package dev.weir.redis;

import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/** When requests for one permit were granted and refused, in microseconds of the server, each in ascending order. */
record AnswerHistory(long[] grants, long[] refusals) {
    /** Microseconds; also the unit of permits: a permit is as many. */
    static final long SECOND = 1_000_000;

    /** Of answers in any order, each of them twice its time, and one more if it was granted. */
    static AnswerHistory of(LongStream answers) {
        long[] all = answers.sorted().toArray();
        return new AnswerHistory(times(all, 1), times(all, 0));
    }

    private static long[] times(long[] all, int kind) {
        return LongStream.of(all).filter(a -> (a & 1) == kind).map(a -> a >> 1).toArray();
    }

    int granted() {
        return grants.length;
    }

    int refused() {
        return refusals.length;
    }

    /** From the first grant to the last. */
    long micros() {
        return grants[grants.length - 1] - grants[0];
    }

    /** From the first refusal to the last: a limit was used up then. */
    long saturatedMicros() {
        return refusals[refusals.length - 1] - refusals[0];
    }

    /** Grants after the first refusal and before the last. */
    long grantedWhileSaturated() {
        return LongStream.of(grants)
                .filter(at -> at > refusals[0] && at <= refusals[refusals.length - 1])
                .count();
    }

    /** The sum of all pauses longer than this between two answers of any kind, from the first grant to the last. */
    long pauses(long longest) {
        long pauses = 0;
        int next = 0;
        for (int i = 1; i < grants.length; i++) {
            long last = grants[i - 1];
            while (next < refusals.length && refusals[next] < grants[i]) {
                pauses += refusals[next] - last > longest ? refusals[next] - last : 0;
                last = Math.max(last, refusals[next++]);
            }
            pauses += grants[i] - last > longest ? grants[i] - last : 0;
        }
        return pauses;
    }

    /** The most grants that count against a grant, itself included. */
    long most(LongUnaryOperator firstThatCounts) {
        long most = 0;
        int from = 0;
        for (int to = 0; to < grants.length; to++) {
            long first = firstThatCounts.applyAsLong(grants[to]);
            while (grants[from] < first) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    /** The fewest grants that count against a refused request. Those of the same microsecond count. */
    long leastWhenRefused(LongUnaryOperator firstThatCounts) {
        long least = Long.MAX_VALUE;
        int from = 0;
        int to = 0;
        for (long at : refusals) {
            long first = firstThatCounts.applyAsLong(at);
            while (to < grants.length && grants[to] <= at) {
                to++;
            }
            while (from < to && grants[from] < first) {
                from++;
            }
            least = Math.min(least, to - from);
        }
        return least;
    }

    /** The most permits beyond the rate, from any grant to any other, both included. */
    long excess(long rate) {
        long largest = 0;
        long least = 0;
        for (int i = 0; i < grants.length; i++) {
            long level = i * SECOND - rate * (grants[i] - grants[0]);
            least = Math.min(least, level);
            largest = Math.max(largest, level + SECOND - least);
        }
        return largest;
    }

    /** The most that was in a bucket when it refused. */
    long roomWhenRefused(long rate, long burst) {
        long room = 0;
        long missing = 0;
        long last = grants[0];
        int next = 0;
        for (long at : refusals) {
            for (; next < grants.length && grants[next] <= at; next++) {
                missing = Math.max(0, missing - rate * (grants[next] - last)) + SECOND;
                last = grants[next];
            }
            room = Math.max(room, burst * SECOND - Math.max(0, missing - rate * (at - last)));
        }
        return room;
    }
}
