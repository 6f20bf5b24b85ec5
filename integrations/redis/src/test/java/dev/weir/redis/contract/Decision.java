package dev.weir.redis.contract;

import java.util.List;

/**
 * What a script answers.
 *
 * @param reset microseconds
 * @param retry microseconds, -1 = never
 */
record Decision(long granted, long remaining, long limit, long reset, long retry) {
    static final int ACQUIRE = 0;
    static final int ACQUIRE_UP_TO = 1;
    static final int CHARGE = 2;

    static Decision of(List<Long> answer) {
        return new Decision(answer.get(0), answer.get(1), answer.get(2), answer.get(3), answer.get(4));
    }
}
